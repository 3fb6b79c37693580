// The process of a fleet of routers: the Go program in `fleet/`, which leaves the processors to the
// controller. It is asked by lines of JSON.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Message } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { edge, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { systemClock } from '../../src/platform/clock-and-random.ts';
import { helloBytes, twinMessages } from '../../test/simulated/router-twin.ts';
import { buildGoProgram } from '../../test/system/go-program.ts';
import type { ControlTarget } from './control-target.ts';
import type { RouterIdentity } from './enrolled-routers.ts';

/** How routers dial. */
export interface Dialing {
  /**
   * The pause after the first attempt for nothing, which doubles with each further one, and the
   * longest one. A connection that was lost is dialed again after a second.
   */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** The groups that are offered, by their numbers in TLS; what Go prefers if absent. */
  readonly keyExchanges?: readonly number[];
}

/** The ways of dialing, by the name of their back-off. */
export const dialings = {
  /** Stock routers whose connection was lost pause without any chance in it. */
  stock: { firstPauseMs: 2000, longestPauseMs: 60_000 },
  /** Of earlier figures of this bench; X25519 alone costs the fleet less. */
  own: { firstPauseMs: 1000, longestPauseMs: 60_000, keyExchanges: [29] },
} as const satisfies Readonly<Record<string, Dialing>>;

/** The name of a back-off. */
export type BackOff = keyof typeof dialings;

/** The place in the model at which the routers of a fleet say that they are. */
export interface FleetTask {
  readonly apiSessionsEach: number;
  /** The model of the network that they know already and subscribe to; absent if they do not. */
  readonly model?: KnownModel;
}

/** The place of a router in the history of the model. */
export interface KnownModel {
  readonly index: number;
  readonly timeline: string;
}

/** How a fleet has fared so far. */
export interface FleetAnswer {
  /** From the first dial until a router's first hello was accepted, and until it was synced. */
  readonly helloMs: readonly number[];
  readonly syncedMs: readonly number[];
  /** The same until a router had the whole model of the network. */
  readonly informedMs: readonly number[];
  /** The largest whole model that a router was sent, in bytes; 0 if there was none. */
  readonly modelBytes: number;
  /** Attempts that did not end in an accepted hello, and accepted connections that were lost. */
  readonly forNothing: number;
  readonly lost: number;
  /** Routers that are connected now. */
  readonly connected: number;
  /** Routers that have not exactly the API sessions that they are to know. */
  readonly wrong: number;
  /** CPU of its process since the first dial, in ms. */
  readonly cpuMs: number;
  /** The group of the key exchange, as Go names it. */
  readonly keyExchange: string;
}

/** A message to the program. */
type FleetJob =
  /** All dial within `spreadMs`; the answer comes when all hellos were accepted. */
  | { readonly kind: 'connect'; readonly spreadMs: number; readonly timeoutMs: number }
  /** Waits until all know their API sessions. */
  | { readonly kind: 'sync'; readonly timeoutMs: number }
  /** Waits until all have the whole model of the network. */
  | { readonly kind: 'inform'; readonly timeoutMs: number }
  | { readonly kind: 'look' };

/** Builds the program. @returns its path @throws Lacking where there is no Go */
export function buildFleet(): string {
  const { dirname } = import.meta;
  const output = join(dirname, '../../.tap/fleet');
  const module = join(dirname, 'fleet');
  return buildGoProgram({ module, program: '.', output, name: 'fleet', isLean: true });
}

/** Routers in a process of their own. */
export class Fleet {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  /** @param program what `buildFleet` has built */
  constructor(program: string) {
    this.#child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** Hands it its routers, of which each is to know `apiSessionsEach`. */
  async prepare(
    target: ControlTarget,
    identities: readonly RouterIdentity[],
    { apiSessionsEach, model, ...dialing }: Dialing & FleetTask,
  ): Promise<void> {
    const routers = identities.map(({ id, chainPem }) => ({
      chainPem,
      hello: Buffer.concat(helloBytes({ id, clock: systemClock })).toString('base64'),
      clientHello: plain(twinMessages.clientHello(`${id}.example`)),
    }));
    const asked = model === undefined ? {} : { model: subscription(model) };
    const told = { target, routers, apiSessionsEach, messages: { ...messages, ...asked } };
    await this.#send({ kind: 'prepare', ...dialing, ...told });
  }

  /** Does a job. @throws Error if it failed, or the process has ended */
  async ask(job: FleetJob): Promise<FleetAnswer> {
    return await this.#send(job);
  }

  stop(): void {
    this.#child.stdin.end();
  }

  async #send(job: object): Promise<FleetAnswer> {
    this.#child.stdin.write(`${JSON.stringify(job)}\n`);
    const { done, value } = await this.#lines.next();
    if (done) throw new Error('the fleet has ended');
    const answer = JSON.parse(value) as FleetAnswer | { readonly error: string };
    if ('error' in answer) throw new Error(`the fleet: ${answer.error}`);
    return answer;
  }
}

function plain({ contentType, headers, body }: Message) {
  return { contentType, headers: headers?.toString('base64'), body: body?.toString('base64') };
}

/** The metrics of an idle router: about 2 KB. */
export const idleMetrics = encodeMessage(fabric.MetricsMessage, {
  histograms: Object.fromEntries(
    Array.from({ length: 45 }, (_, n) => [
      `pool.queue.of.some.kind.${n}`,
      { count: 100, max: 1_000_000, mean: 1000 },
    ]),
  ),
});

/** 20505. */
function subscription({ index, timeline }: KnownModel) {
  return plain({
    contentType: contentTypes.subscribeToModel,
    body: encodeMessage(edge.SubscribeToDataModelRequest, {
      currentIndex: index,
      timelineId: timeline,
      subscriptionId: 'bench',
      subscriptionDurationSeconds: 300,
    }),
  });
}

/** The messages that each router sends by itself. */
const messages = {
  links: plain(twinMessages.links([])),
  interfaces: plain(twinMessages.interfaces([{ name: 'eth0', addresses: ['192.0.2.1/24'] }])),
  connectEvents: plain(twinMessages.connectEvents([])),
  metrics: plain({ contentType: contentTypes.metrics, body: idleMetrics }),
};
