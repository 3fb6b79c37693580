// All that reads events of one controller: programs on WebSockets, the file, and NATS.

import type { AnswerGate } from '../cluster/log/answer-gate.ts';
import type { EventStream } from '../cluster/nats/event-stream.ts';
import type { InspectEnvironment } from '../inspect/server/context.ts';
import type { Log } from '../observe/logs.ts';
import { EntityCounts } from './entity-counts.ts';
import type { EventHub } from './event-hub.ts';
import { EventFile } from './file/event-file.ts';
import { openLineOutput } from './file/line-output.ts';
import { EventNats } from './nats/event-nats.ts';
import { fabricRequests } from './socket/fabric-requests.ts';
import { FabricSockets } from './socket/fabric-sockets.ts';
import { tellOfCluster } from './sources/cluster-events.ts';
import { tellOfFailedDials } from './sources/failed-dials.ts';
import { OwnMetrics } from './sources/own-metrics.ts';

/** Dependencies of `EventSinks`. */
export interface EventSinksOptions {
  readonly env: InspectEnvironment;
  readonly hub: EventHub;
  readonly log: Log;
  readonly gate?: AnswerGate | undefined;
  /** Keeps events for other programs. */
  readonly stream?: EventStream | undefined;
}

/** The readers of events that a controller has. */
export class EventSinks {
  readonly sockets: FabricSockets;
  readonly #file: EventFile | undefined;
  readonly #nats: EventNats | undefined;
  readonly #options: EventSinksOptions;
  readonly #metrics: OwnMetrics;

  /** @throws StartProblem if the file cannot be written */
  constructor(options: EventSinksOptions) {
    const { env, hub } = options;
    const { store, clock } = env;
    this.#options = options;
    const counts = new EntityCounts({ store, clock, eventOf: (...of) => hub.eventOf(...of) });
    this.sockets = new FabricSockets({ ...options, counts, requests: fabricRequests(env) });
    const { observation } = env;
    const sourceId = () => hub.sourceId;
    this.#metrics = new OwnMetrics({ events: hub, observation, clock, sourceId });
    hub.onChanged(() => this.#metrics.changed());
    tellOfFailedDials(env.failedDials, hub, store);
    this.#file = fileOf(options, counts);
    this.#nats = natsOf(options, counts);
  }

  /** Programs that are connected. */
  get subscribers(): number {
    return this.sockets.figures.attached;
  }

  /** Events that were not handed over since the start, by sink. */
  get dropped(): Readonly<Record<string, number>> {
    return {
      websocket: this.sockets.figures.dropped,
      ...(this.#file && { file: this.#file.dropped }),
      ...(this.#nats && { nats: this.#nats.dropped }),
    };
  }

  /** The controller serves from now on; a node of a cluster leads. */
  start(): void {
    const { env, hub } = this.#options;
    const cluster = env.cluster();
    if (cluster !== undefined) tellOfCluster(cluster, hub);
    void this.#nats?.lead();
  }

  /** Hands over what is durable by now, and ends. */
  async stop(): Promise<void> {
    this.#metrics.stop();
    this.#options.hub.flush();
    await this.#file?.stop();
    await this.#nats?.stop();
  }
}

/** @throws StartProblem */
function fileOf({ env, hub, log }: EventSinksOptions, counts: EntityCounts) {
  const { clock, config, limits } = env;
  const { file, types, fileBytes, filesKept } = config.events;
  if (file === undefined) return undefined;
  const waitingBytesMax = limits.eventBufferBytesMax;
  return new EventFile({
    hub,
    counts,
    clock,
    log,
    types,
    open: (handlers) =>
      openLineOutput({ file, fileBytes, filesKept, waitingBytesMax, ...handlers }),
  });
}

function natsOf({ env, hub, log, stream }: EventSinksOptions, counts: EntityCounts) {
  if (stream === undefined) return undefined;
  const { clock, config, bounds, store, trust } = env;
  const { types } = config.events;
  const networkId = trust.trustDomain;
  const parts = { hub, counts, clock, log, bounds, types, stream, networkId };
  return new EventNats(parts, !store.isAttached);
}
