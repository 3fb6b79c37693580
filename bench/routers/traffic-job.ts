// Jobs of the process of routers that carry traffic, and their answers: plain data between two
// processes.

import type { LatencyFigures } from '../load/histogram.ts';
import type { ControlTarget } from './control-target.ts';
import type { RouterIdentity } from './enrolled-routers.ts';

/** The rights of a client: the tokens of its API session and of its session for a service. */
export interface ClientTokens {
  readonly apiSessionToken: string;
  readonly sessionToken: string;
}

/** The rights of a client that logged in by OIDC, which needs no session for a service. */
export interface ClientJwt {
  readonly accessToken: string;
  readonly identityId: string;
  readonly serviceId: string;
}

/** The tokens that a router sends on behalf of a client that dials. */
export type DialRight = ClientTokens | ClientJwt;

/** A job: routers create terminators or circuits, and their cost is measured. */
export interface WorkJob<Right = ClientTokens> {
  readonly tokens: Right;
  /** The process of the controller, whose CPU is measured. */
  readonly serverPid: number;
  /** Routers that share the work, the first ones of the process. */
  readonly routers: number;
  readonly inFlight: number;
  /** How many are created before they are removed again. */
  readonly batch: number;
  readonly measureMs: number;
}

/** A message to the process. */
export type TrafficJob =
  /** Each connects; `MadeAnswer` counts those that have received their first full state. */
  | {
      readonly kind: 'connect';
      readonly target: ControlTarget;
      readonly routers: readonly RouterIdentity[];
      /** How many accept links, the first ones. */
      readonly listening: number;
    }
  /** Each of the first routers hosts a service; `WorkJob` counts nothing of it. */
  | { readonly kind: 'host'; readonly tokens: ClientTokens; readonly routers: number }
  /** Each router after the first `to` reports a link to one of these. */
  | { readonly kind: 'link'; readonly to: number; readonly routers: number }
  | ({ readonly kind: 'circuits' } & WorkJob<DialRight>)
  | ({ readonly kind: 'terminators' } & WorkJob)
  /** Client by client, circuits through one router after the other, which stay. */
  | {
      readonly kind: 'dial';
      readonly clients: readonly DialRight[];
      readonly circuits: number;
      readonly routers: number;
    }
  /** For so long, each router reports at intervals, with the usage of its circuits or without. */
  | {
      readonly kind: 'rest';
      readonly ms: number;
      readonly everyMs: number;
      readonly reportsUsage: boolean;
      readonly routers: number;
    }
  /** Waits until routers were told of the end of so many circuits, and for what follows. */
  | { readonly kind: 'arrivals'; readonly circuits: number; readonly timeoutMs: number };

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

/** The answer of `connect`, `host`, `link`, `dial` and `rest`, which counts connected routers. */
export interface MadeAnswer {
  readonly made: number;
  readonly wrongSample: string | undefined;
}

/** The answer of `arrivals`. */
export interface ArrivalsAnswer {
  /** Monotonic ms of the machine (`machineMs`) at which the last one arrived; 0 for none. */
  readonly lastAtMs: number;
  /** The same of the messages that end circuits. */
  readonly lastUnrouteAtMs: number;
  /** How many messages of each kind arrived since the last question. */
  readonly unroutes: number;
  readonly sessionRemovals: number;
}

/** Monotonic ms, the same for all processes of the machine. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
