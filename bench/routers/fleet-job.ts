// Jobs of the processes of routers, and their answers: plain data between two processes.

import type { LatencyFigures, SparseHistogram } from '../load/histogram.ts';

/** A router that has enrolled. */
export interface RouterIdentity {
  readonly id: string;
  /** Its certificate with its chain; all are for one key. */
  readonly chainPem: string;
}

/** The controller that routers connect to. */
export interface FleetTarget {
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  /** The CAs that it is trusted by, in PEM. */
  readonly ca: string;
  /** The key of all certificates, in PEM. */
  readonly keyPem: string;
}

/** The rights of a client: the tokens of its API session and of its session for a service. */
export interface ClientTokens {
  readonly apiSessionToken: string;
  readonly sessionToken: string;
}

/** A job: routers create terminators or circuits, and their cost is measured. */
export interface WorkJob {
  readonly tokens: ClientTokens;
  /** The process of the controller, whose CPU is measured. */
  readonly serverPid: number;
  /** Routers that share the work, the first ones of the process. */
  readonly routers: number;
  readonly inFlight: number;
  /** How many are created before they are removed again. */
  readonly batch: number;
  readonly measureMs: number;
}

/** A message to a process of routers. */
export type FleetJob =
  | {
      readonly kind: 'prepare';
      readonly target: FleetTarget;
      readonly routers: readonly RouterIdentity[];
      /** How many API sessions each router is to know; one router in a hundred counts them. */
      readonly apiSessionsEach: number;
    }
  /** All dial within `spreadMs`; the answer comes when each knows its API sessions. */
  | { readonly kind: 'connect'; readonly spreadMs: number; readonly timeoutMs: number }
  | { readonly kind: 'look' }
  /** Each of the first routers hosts a service; `WorkJob` counts nothing of it. */
  | { readonly kind: 'host'; readonly tokens: ClientTokens; readonly routers: number }
  | ({ readonly kind: 'circuits' } & WorkJob)
  | ({ readonly kind: 'terminators' } & WorkJob)
  /** Client by client, circuits through one router after the other, which stay. */
  | {
      readonly kind: 'dial';
      readonly clients: readonly ClientTokens[];
      readonly circuits: number;
      readonly routers: number;
    }
  /** Waits until routers were told of the end of so many circuits, and for what follows. */
  | { readonly kind: 'arrivals'; readonly circuits: number; readonly timeoutMs: number };

/** The answer of `connect`. */
export interface ConnectAnswer {
  /** From the first dial to the moment at which each router knew its API sessions. */
  readonly syncedMs: SparseHistogram;
  readonly lastSyncedMs: number;
  readonly synced: number;
  /** Attempts that failed, and connections that were lost. */
  readonly failures: number;
  /** Routers that did not receive the API sessions that they were to know. */
  readonly wrong: number;
  /** CPU of this process since it began to dial, in ms. */
  readonly cpuMs: number;
}

/** The answer of `look`. */
export interface LookAnswer {
  readonly connected: number;
  /** Connections that were lost, and attempts that failed, since the process was started. */
  readonly failures: number;
}

/** The answer of `circuits` and `terminators`. */
export interface WorkAnswer {
  readonly created: number;
  readonly perSecond: number;
  readonly latencyMs: LatencyFigures;
  /** CPU of the controller per creation, and per removal, in µs. */
  readonly createMicros: number;
  readonly removeMicros: number;
  /** CPU of the controller's main thread per creation, in µs. */
  readonly mainThreadMicros: number;
  readonly wrong: number;
  readonly wrongSample: string | undefined;
}

/** The answer of `host` and `dial`. */
export interface MadeAnswer {
  readonly made: number;
  readonly wrongSample: string | undefined;
}

/** The answer of `arrivals`. */
export interface ArrivalsAnswer {
  /** Monotonic ms of the machine (`machineMs`) at which the last one arrived; 0 for none. */
  readonly lastAtMs: number;
  /** How many messages of each kind arrived since the last question. */
  readonly unroutes: number;
  readonly sessionRemovals: number;
}

/** Monotonic ms, the same for all processes of the machine. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
