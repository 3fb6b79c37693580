// Sends API sessions to many routers at a pace that neither fills the memory nor delays others.

import type { Ids } from '../../platform/ids.ts';
import type { Clock } from '../../platform/ports.ts';
import { type BoundValues, boundsOf } from '../../settings/bounds.ts';
import { type NextRun, onceATurn } from '../../turns/once-a-turn.ts';
import type { ApiSessionMessages } from './api-session-messages.ts';
import type { SyncedRouter } from './router-groups.ts';
import { lastIdOf, type SessionChunk, sessionsAChunkMax } from './session-chunks.ts';
import type { SessionGroup } from './session-groups.ts';

/** Is told how the API sessions of routers get along, by the id of the router. */
export interface SyncStatus {
  /** A full state begins to leave. */
  inProgress(routerId: string): void;
  /** The last message of a full state was handed to the channel. */
  done(routerId: string): void;
  /** The router needs a full state again: it asked for one, or it has fallen behind. */
  resync(routerId: string): void;
}

/** What one router is being sent. */
export interface SyncJob {
  /** Whether it is a full state; otherwise API sessions are added to those that it knows. */
  readonly isFull: boolean;
  /** Id of the full state; empty until its first message is made. */
  id: string;
  sequence: number;
  groups: SessionGroup[];
  /** Index of the group that is being sent, and the last id of it that was. */
  at: number;
  afterId: string;
  /** Monotonic ms before which it does not begin. */
  readonly notBeforeMs: number;
}

/** What jobs work with. */
export interface SyncJobsOptions {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'sortable'>;
  readonly messages: ApiSessionMessages;
  readonly status: SyncStatus;
  /** The groups whose API sessions the router is to know. */
  readonly groupsOf: (router: SyncedRouter) => Iterable<SessionGroup>;
  /** Nothing is sent or waits any more. */
  readonly idle: () => void;
  readonly bounds?: BoundValues | undefined;
}

/** A router whose bytes count. */
interface Flow {
  /** Bytes that had not left at the last look. */
  unsentBytes: number;
  /** Monotonic ms at which fewer of them were left than before. */
  progressAtMs: number;
}

/** How often unsent bytes are looked at. */
const lookMs = 10;

/** A router of which this much is unsent has drained. */
const drainedBytes = 4096;

/** The jobs of all routers. They run in the order in which they came, in turns of `turnMs`. */
export class SyncJobs {
  readonly #options: SyncJobsOptions;
  readonly #bounds: typeof syncBounds;
  /** Waiting for room. */
  readonly #queue = new Set<SyncedRouter>();
  /** Being sent to, or with bytes of it unsent. */
  readonly #active = new Map<SyncedRouter, Flow>();
  /** Waiting until they have drained, or may ask again. Their bytes do not count. */
  readonly #slow = new Set<SyncedRouter>();
  /** When it goes on sending, and when it looks whether bytes have left. */
  readonly #next: NextRun;
  readonly #look: NextRun;

  constructor(options: SyncJobsOptions) {
    this.#options = options;
    this.#bounds = boundsOf(syncBounds, options.bounds);
    this.#next = onceATurn(options.clock, () => this.#turn());
    this.#look = onceATurn(options.clock, () => this.#turn());
  }

  /** The most unsent bytes of one router; what gives access is not added to more than that. */
  get routerBytesMax(): number {
    return this.#bounds.syncRouterBytesMax;
  }

  /** Sends a full state, from the beginning if one is being sent. */
  full(router: SyncedRouter): void {
    // One that has not begun will say everything.
    if (router.job?.isFull && router.job.id === '') return;
    router.job = newJob(true, [], router.lastFullAtMs + fullPauseMs);
    this.#enqueue(router);
  }

  /** Adds the API sessions of these groups to those that the router knows. */
  added(router: SyncedRouter, groups: Iterable<SessionGroup>): void {
    if (router.job?.isFull) this.full(router);
    else if (router.job !== undefined) router.job.groups.push(...groups);
    else {
      router.job = newJob(false, [...groups], 0);
      this.#enqueue(router);
    }
  }

  /** The router is gone. */
  drop(router: SyncedRouter): void {
    router.job = undefined;
    this.#queue.delete(router);
    this.#active.delete(router);
    this.#slow.delete(router);
  }

  #enqueue(router: SyncedRouter): void {
    this.#active.delete(router);
    this.#slow.delete(router);
    this.#queue.delete(router);
    const isReady = this.#isReady(router);
    (isReady ? this.#queue : this.#slow).add(router);
    if (isReady) this.#next.request();
    else this.#look.requestIn(lookMs);
  }

  #isReady({ router, job }: SyncedRouter): boolean {
    const now = this.#options.clock.monotonic();
    return router.channel.unsentBytes <= drainedBytes && (job?.notBeforeMs ?? 0) <= now;
  }

  #turn(): void {
    for (const router of this.#slow) {
      if (!this.#isReady(router)) continue;
      this.#slow.delete(router);
      this.#queue.add(router);
    }
    if (this.#send() === 'more') this.#next.request();
    else if (this.#queue.size + this.#active.size + this.#slow.size > 0) {
      this.#look.requestIn(lookMs);
    } else this.#options.idle();
  }

  /** @returns `more` when the time of this turn is over, `later` when bytes have to leave first */
  #send(): 'more' | 'later' {
    const { clock } = this.#options;
    const endMs = clock.monotonic() + turnMs;
    let room = this.#bounds.syncBytesMax - this.#countUnsent();
    const isOver = () => clock.monotonic() >= endMs;
    for (const [router, flow] of this.#active) {
      room -= this.#sendTo(router, flow, room, isOver);
      if (isOver()) return 'more';
    }
    for (const router of this.#queue) {
      if (room <= 0) return 'later';
      this.#queue.delete(router);
      const { unsentBytes } = router.router.channel;
      const flow = { unsentBytes, progressAtMs: clock.monotonic() };
      this.#active.set(router, flow);
      room -= this.#sendTo(router, flow, room, isOver);
      if (isOver()) return 'more';
    }
    return 'later';
  }

  /** Forgets routers that have drained, and puts those aside that take nothing. */
  #countUnsent(): number {
    const now = this.#options.clock.monotonic();
    let sum = 0;
    for (const [router, flow] of this.#active) {
      const { unsentBytes } = router.router.channel;
      if (unsentBytes < flow.unsentBytes) flow.progressAtMs = now;
      flow.unsentBytes = unsentBytes;
      const isStalled = unsentBytes > drainedBytes && now - flow.progressAtMs >= stalledMs;
      if (isStalled || (router.job === undefined && unsentBytes <= drainedBytes)) {
        this.#active.delete(router);
        if (router.job !== undefined) this.#slow.add(router);
      } else sum += unsentBytes;
    }
    return sum;
  }

  /** @returns how many bytes were sent */
  #sendTo(router: SyncedRouter, flow: Flow, room: number, isOver: () => boolean): number {
    const { channel } = router.router;
    let sent = 0;
    while (router.job !== undefined && sent < room) {
      if (channel.unsentBytes > this.routerBytesMax || channel.isClosed) break;
      sent += this.#sendNext(router, router.job);
      if (isOver()) break;
    }
    flow.unsentBytes = Math.max(flow.unsentBytes, channel.unsentBytes);
    return sent;
  }

  #sendNext(router: SyncedRouter, job: SyncJob): number {
    const { ids, messages, status, groupsOf } = this.#options;
    const { id: routerId, channel } = router.router;
    if (job.isFull && job.id === '') {
      job.id = ids.sortable();
      job.groups = [...groupsOf(router)];
      router.lastFullAtMs = this.#options.clock.monotonic();
      status.inProgress(routerId);
    }
    const { chunks, isLast } = nextChunks(job);
    const bodies = chunks.map((chunk) => (chunk.body ??= messages.fullBody(chunk.rows)));
    const message = job.isFull
      ? messages.full(bodies, { id: job.id, isLast, sequence: job.sequence })
      : messages.added(bodies, ids.sortable());
    job.sequence += 1;
    if (job.isFull || chunks.length > 0) channel.send(message);
    if (isLast) {
      router.job = undefined;
      if (job.isFull) status.done(routerId);
    }
    return (message.body?.length ?? 0) + frameBytes;
  }
}

function newJob(isFull: boolean, groups: SessionGroup[], notBeforeMs: number): SyncJob {
  return { isFull, id: '', sequence: 0, groups, at: 0, afterId: '', notBeforeMs };
}

/**
 * The chunks of the next message: one, or several small ones. The last message has the last of
 * them, and it is empty if there are none at all.
 */
function nextChunks(job: SyncJob): { chunks: SessionChunk[]; isLast: boolean } {
  const chunks: SessionChunk[] = [];
  let sessions = 0;
  for (;;) {
    const group = job.groups[job.at];
    if (group === undefined) return { chunks, isLast: true };
    const chunk = group.sessions.after(job.afterId);
    if (chunk === undefined) {
      job.at += 1;
      job.afterId = '';
      continue;
    }
    sessions += chunk.rows.length;
    if (chunks.length > 0 && sessions > sessionsAChunkMax) return { chunks, isLast: false };
    chunks.push(chunk);
    job.afterId = lastIdOf(chunk);
  }
}

/** The bytes of a message beside its body, roughly. */
const frameBytes = 128;

/** How long one turn of sending takes. */
const turnMs = 2;

/** A router that has taken nothing for this long no longer counts as one that is being sent to. */
const stalledMs = 1000;

/** The time between two full states of one router, which it could ask for at any rate. */
const fullPauseMs = 1000;

const syncBounds = {
  /**
   * Unsent bytes of all routers that are being sent their API sessions. The bodies are shared, so
   * this bounds what the sockets hold. @bound per controller
   */
  syncBytesMax: 64 * 1024 * 1024,
  /**
   * Unsent bytes of a router, beyond which API sessions are not sent to it any more; it gets all of
   * them again when it has drained. @bound per connection
   */
  syncRouterBytesMax: 1024 * 1024,
};
