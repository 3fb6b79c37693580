// The routers that are connected: who may connect, whose messages go where, and the end of each
// channel (behaviour/control-channel#presence).

import type { ChannelOwner, Greeting } from '../channel/channel.ts';
import {
  type Channel,
  type ControlConnection,
  type Frame,
  MalformedMessage,
  type MessageSteps,
} from '../channel/channel-api.ts';
import { contentTypes } from '../channel/content-types.ts';
import { type Hello, rejectionClasses } from '../channel/hello.ts';
import type { edge } from '../channel/messages/messages.ts';
import { type RouterRecord, routerKind } from '../records/router.ts';
import { routerPresenceKind } from '../records/router-presence.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { Row } from '../store/record.ts';
import { type ChangeSet, isOf } from '../store/transaction.ts';
import { inSlices } from '../turns/slices.ts';
import { TokenBuckets } from '../turns/token-buckets.ts';
import type { ConnectedTable } from './connected-table.ts';
import type { RoutersContext } from './context.ts';
import { type HelloRefusal, refusalTexts, routerOfHello } from './hello-checks.ts';
import type { PacedWork } from './paced-work.ts';
import type { PresenceEvents } from './presence-events.ts';
import type { ConnectedRouter, MessageHandler, RouterFeature } from './router-feature.ts';

/** What is counted since the start. */
export interface RoutersFigures {
  readonly refused: Readonly<Record<HelloRefusal, number>>;
  /** Messages whose handler has failed; the log says how. */
  readonly failedMessages: number;
  /** Routers whose first messages wait for their turn. */
  readonly waiting: number;
}

/** Bounds of the connections of one router. */
export const routerBounds = {
  /**
   * Hellos of one router that are accepted in a burst; after that, one per 2 s. A router redials at
   * most once per second, and stays when it has connected. Two routers with one certificate would
   * replace each other for ever. @bound per entity
   */
  hellosBurstMax: 10,
  /**
   * Bytes of messages of one router that has not had its turn after its hello. It sends a few
   * reports of its own accord. @bound per entity
   */
  earlyBytesMax: 256 * 1024,
};

/** The part of a connection that the check of a hello uses. */
export type GreetedConnection = Pick<ControlConnection, 'address' | 'certificates'>;

/** What routers are made of. */
export interface RoutersOptions extends RoutersContext {
  readonly connected: ConnectedTable;
  readonly presence: PresenceEvents;
  readonly paced: PacedWork;
  /** In the order in which they are told of routers. */
  readonly features: readonly RouterFeature[];
}

/** One per controller. */
export class Routers {
  readonly #options: RoutersOptions;
  readonly #handlers = new Map<number, MessageHandler>();
  readonly #hellos: TokenBuckets;
  readonly #bounds: typeof routerBounds;
  readonly #refused: Record<HelloRefusal, number>;
  /** Ends the last channel of a router, whose features were not told yet: by its id. */
  readonly #ending = new Map<string, () => void>();
  #failedMessages = 0;
  #isStopping = false;

  constructor(options: RoutersOptions) {
    const { env, features } = options;
    this.#options = options;
    this.#bounds = boundsOf(routerBounds, env.bounds);
    this.#hellos = new TokenBuckets({ perSecond: 0.5, burst: this.#bounds.hellosBurstMax });
    const reasons = Object.keys(refusalTexts) as HelloRefusal[];
    this.#refused = Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<
      HelloRefusal,
      number
    >;
    for (const { handlers } of features) {
      for (const [type, handler] of handlers) {
        if (this.#handlers.has(type)) throw new Error(`two parts handle messages of type ${type}`);
        this.#handlers.set(type, handler);
      }
    }
    env.store.follow((changes) => this.#follow(changes));
  }

  get figures(): RoutersFigures {
    return {
      refused: this.#refused,
      failedMessages: this.#failedMessages,
      waiting: this.#options.paced.size,
    };
  }

  /** Answers a hello. The channel's owner is asked from then on. */
  greet(hello: Hello, { address, certificates }: GreetedConnection): Greeting {
    const { env, log } = this.#options;
    env.store.fence.begin();
    const found = this.#evaluate(hello, certificates);
    if (typeof found !== 'string') return { owner: this.#ownerOf(hello, address, found) };
    this.#refused[found] += 1;
    const { routerId } = hello;
    log.debug({ routerId, address, reason: found }, 'a router was refused');
    const { busy, notPermitted } = rejectionClasses;
    const rejectionClass = transientRefusals.has(found) ? busy : notPermitted;
    return { refusal: refusalTexts[found], rejectionClass };
  }

  /** An edge router is ready for the sync; without a part that syncs, it is done at once. */
  greeted(router: ConnectedRouter, hello: edge.ClientHello): void {
    const { features, presence } = this.#options;
    const syncing = features.filter((feature) => feature.greeted !== undefined);
    for (const feature of syncing) {
      this.#guarded(router, 'greeted', () => feature.greeted?.(router, hello));
    }
    if (syncing.length === 0) presence.done(router.id);
  }

  /** Closes the channel of a router, if it has one. The reason is for logs. */
  disconnect(routerId: string, reason: string): void {
    const router = this.#options.connected.get(routerId);
    if (router !== undefined) this.#drop(router, reason);
  }

  /** Closes all channels; what routers have told stays as it is. */
  stop(): void {
    this.#isStopping = true;
    for (const router of this.#options.connected.all()) {
      router.channel.close(refusalTexts.stopping);
    }
  }

  #evaluate(
    { routerId }: Hello,
    certificates: readonly Buffer[],
  ): Row<RouterRecord> | HelloRefusal {
    const { env, durable } = this.#options;
    if (this.#isStopping) return 'stopping';
    const found = routerOfHello(env, { routerId, certificates });
    if (typeof found === 'string') return found;
    if (this.#hellos.left(found.slot, env.clock.monotonic()) === 0) return 'tooOften';
    // What allows it to connect must not be undone by a crash.
    return env.store.fence.lsn <= durable.lsn ? found : 'notDurable';
  }

  #ownerOf(hello: Hello, address: string, { slot, record }: Row<RouterRecord>): ChannelOwner {
    const arrival = new Arrival(this.#bounds.earlyBytesMax);
    return {
      opened: (channel) => {
        this.#hellos.take(slot, this.#options.env.clock.monotonic());
        const router = this.#connect({ hello, address, channel, isEdge: record.isEdge });
        arrival.router = router;
        this.#options.paced.arrived();
        this.#options.paced.add(router, () => this.#welcome(arrival, router));
      },
      frame: (frame) => this.#received(arrival, frame),
      closed: (reason) => this.#closed(arrival, reason),
    };
  }

  #connect({ hello, address, channel, isEdge }: OpenedChannel): ConnectedRouter {
    const { connected, presence, env, log } = this.#options;
    const { routerId: id, linkListeners, version: versionInfo } = hello;
    const former = connected.get(id);
    if (former !== undefined) this.#drop(former, 'a newer connection has taken its place');
    this.#endPrevious(id);
    const { version } = versionInfo;
    const isQuiesced = env.store.table(routerPresenceKind).peek(id)?.record.isQuiesced ?? false;
    const router: ConnectedRouter = { id, channel, version, linkListeners, isQuiesced };
    connected.set(router);
    const capabilities = [...hello.capabilities];
    presence.connect(router, isEdge, { address, versionInfo, capabilities });
    log.info({ routerId: id, address, version }, 'a router has connected');
    return router;
  }

  /** Tells the features of a router, then hands on what it has sent meanwhile. */
  #welcome(arrival: Arrival, router: ConnectedRouter): void {
    if (this.#options.connected.get(router.id) !== router) return;
    for (const feature of this.#options.features) {
      this.#guarded(router, 'connected', () => feature.connected?.(router));
    }
    void inSlices(this.#early(arrival, router), this.#options.env.clock, sliceMs).catch((err) => {
      if (err instanceof MalformedMessage) this.#drop(router, err.message);
      else this.#options.log.error({ err }, 'what a router sent at first was not handled');
    });
  }

  /** @throws MalformedMessage */
  *#early(arrival: Arrival, router: ConnectedRouter): MessageSteps {
    for (let frame = arrival.take(); frame !== undefined; frame = arrival.take()) {
      yield* this.#dispatch(router, frame) ?? [];
      yield;
    }
    arrival.release();
  }

  #received(arrival: Arrival, frame: Frame): boolean | MessageSteps {
    const { router } = arrival;
    if (!this.#handlers.has(frame.contentType)) return false;
    if (router === undefined) return true;
    if (arrival.isReleased) return this.#dispatch(router, frame) ?? true;
    if (!arrival.hold(frame)) {
      this.#drop(router, 'it has sent too much before it had its turn');
    }
    return true;
  }

  /** What is left to be done for it, if anything. @throws MalformedMessage */
  #dispatch(router: ConnectedRouter, frame: Frame): MessageSteps | undefined {
    // An earlier message may have ended the channel.
    if (this.#options.connected.get(router.id) !== router) return undefined;
    const handler = this.#handlers.get(frame.contentType);
    let left: MessageSteps | undefined;
    this.#guarded(router, frame, () => {
      left = handler?.(router, frame) ?? undefined;
    });
    return left && this.#continue(router, frame, left);
  }

  /** @throws MalformedMessage */
  *#continue(router: ConnectedRouter, frame: Frame, steps: MessageSteps): MessageSteps {
    let isDone = false;
    while (!isDone && this.#options.connected.get(router.id) === router) {
      isDone = true;
      this.#guarded(router, frame, () => {
        isDone = steps.next().done === true;
      });
      if (!isDone) yield;
    }
  }

  /**
   * Runs a part's function with the fence begun. @throws MalformedMessage if it handles a message
   */
  #guarded(router: ConnectedRouter, call: string | Frame, run: () => void): void {
    const { env, log } = this.#options;
    env.store.fence.begin();
    try {
      run();
    } catch (err) {
      if (err instanceof MalformedMessage && typeof call !== 'string') throw err;
      const what = typeof call === 'string' ? call : nameOf(call);
      this.#failedMessages += 1;
      log.error({ routerId: router.id, what, err }, 'a message of a router was not handled');
    }
  }

  /** Closes a channel from our side. */
  #drop(router: ConnectedRouter, reason: string): void {
    const { connected, env } = this.#options;
    if (!connected.delete(router)) return;
    router.channel.close(reason);
    this.#endLater(router, reason, () => this.#options.presence.close(router.id, reason));
    env.clock.soon(() => this.#endPrevious(router.id));
  }

  #closed({ router }: Arrival, reason: string): void {
    if (router === undefined || this.#isStopping) return;
    const { connected, presence } = this.#options;
    const { id } = router;
    const write = () => presence.disconnect(id, reason);
    if (connected.delete(router)) {
      this.#endLater(router, reason, write);
      this.#endPrevious(id);
    } else {
      this.#endPrevious(id);
      write();
    }
  }

  /**
   * The features are told in a turn of their own: a channel may be closed from within a transaction
   * or one of its followers. A router that comes back before is told of after that.
   */
  #endLater(router: ConnectedRouter, reason: string, write: () => void): void {
    const { features, log } = this.#options;
    const { id } = router;
    this.#ending.set(id, () => {
      this.#ending.delete(id);
      write();
      log.info({ routerId: id, reason }, 'a router has disconnected');
      for (const feature of features) {
        this.#guarded(router, 'disconnected', () => feature.disconnected?.(router));
      }
    });
  }

  #endPrevious(routerId: string): void {
    this.#ending.get(routerId)?.();
  }

  /** What takes the right to connect away ends the channel. */
  #follow({ cause, changes }: ChangeSet): void {
    const { connected, env } = this.#options;
    if (connected.size === 0) return;
    for (const change of changes) {
      if (!isOf(change, routerKind)) continue;
      const { id } = change.row;
      const router = connected.get(id);
      if (router === undefined) continue;
      const isOwn = cause.actor === id && cause.requestId === '';
      const reason = endOf(change.before, change.after, isOwn);
      if (reason === undefined) continue;
      // What the router itself has asked for is answered first.
      if (isOwn) env.clock.soon(() => this.#drop(router, reason));
      else this.#drop(router, reason);
    }
  }
}

/** Why a change of its record ends the channel of a router; undefined when it does not. */
function endOf(
  before: RouterRecord | undefined,
  after: RouterRecord | undefined,
  isOwn: boolean,
): string | undefined {
  if (after === undefined) return 'the router was deleted';
  if (after.disabled) return 'the router was disabled';
  if (after.fingerprint === before?.fingerprint) return undefined;
  if (after.fingerprint === undefined) return 'the router has to enroll again';
  // A router that renews its certificate over its channel goes on with it.
  return isOwn ? undefined : 'the router has another certificate';
}

/** Refusals after which it is worthwhile to try again soon. */
const transientRefusals: ReadonlySet<HelloRefusal> = new Set([
  'tooOften',
  'notDurable',
  'stopping',
]);

/** What is known of a router when its channel opens. */
interface OpenedChannel {
  readonly hello: Hello;
  readonly address: string;
  readonly channel: Channel;
  readonly isEdge: boolean;
}

/** A channel whose features were not told of it yet, with what it has received meanwhile. */
class Arrival {
  router: ConnectedRouter | undefined;
  readonly #bytesMax: number;
  #held: Frame[] | undefined = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isReleased(): boolean {
    return this.#held === undefined;
  }

  /** Keeps a frame; false when it is too much. */
  hold(frame: Frame): boolean {
    // The channel reuses its memory.
    const headers = new Map<number, Buffer>();
    for (const [key, value] of frame.headers) headers.set(key, Buffer.from(value));
    const kept = { ...frame, headers, body: Buffer.from(frame.body) };
    this.#bytes += weightOf(kept);
    this.#held?.push(kept);
    return this.#bytes <= this.#bytesMax;
  }

  /** The oldest frame that it keeps. */
  take(): Frame | undefined {
    const frame = this.#held?.shift();
    if (frame !== undefined) this.#bytes -= weightOf(frame);
    return frame;
  }

  /** Frames are handled as they come from now on. */
  release(): void {
    this.#held = undefined;
  }
}

function weightOf({ headers, body }: Frame): number {
  let bytes = frameBytes + body.length;
  for (const value of headers.values()) bytes += value.length;
  return bytes;
}

/** The name of the content type, for logs. */
function nameOf({ contentType }: Frame): string {
  const [name = String(contentType)] =
    Object.entries(contentTypes).find(([, type]) => type === contentType) ?? [];
  return name;
}

/** What a frame takes in memory besides its content. */
const frameBytes = 500;
/** How long what a router has sent at first is handled per turn of the event loop. */
const sliceMs = 2;
