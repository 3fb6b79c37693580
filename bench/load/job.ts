// Jobs of the load generator and their results: plain data between two processes.

import type { CpuFigures } from '../server/process-figures.ts';
import type { SparseHistogram } from './histogram.ts';

/**
 * The source of the varying part of the n-th request. All values of a slot have the same length.
 */
export type Slot =
  /**
   * `values[floor(n / every) % values.length]`. Unless it `repeats`, a job ends before a request
   * would be sent twice.
   */
  | {
      readonly kind: 'list';
      readonly values: readonly string[];
      readonly every: number;
      readonly repeats?: boolean;
    }
  /** `n` in decimal, filled with zeros to `digits`. */
  | { readonly kind: 'number'; readonly digits: number };

/** A request with `{{slot}}` marks in its text. */
export interface RequestTemplate {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly slots: Readonly<Record<string, Slot>>;
}

/** The expected answers. */
export interface Expectation {
  readonly status: number;
  /** Text that the body of every answer must contain. */
  readonly includes?: string;
  /**
   * The id is the text between this text and the next quote. All answers must have different ids.
   */
  readonly idAfter?: string;
  /** Whether an answer without that text has its id in `data.id`, as not all controllers link. */
  readonly isIdInData?: boolean;
  /** Minimum length of the body in bytes. */
  readonly bodyBytesMin?: number;
  /** Rows that `data` must have; one answer in 256 is checked. */
  readonly rows?: number;
}

/** The client certificates of connections. */
export interface ClientCertificates {
  /** PEM; all certificates are for this one key. */
  readonly key: string;
  /** PEM chains. Connections, or requests on new connections, take them in turn. */
  readonly chains: readonly string[];
}

/** One run of the load generator over `connections` connections. */
export interface Job {
  readonly host: string;
  readonly port: number;
  /** The name of the server in TLS and in `Host`; localhost if absent. */
  readonly serverName?: string;
  /** PEM file of the CAs that the server is trusted by; if absent, those that Node trusts. */
  readonly caFile?: string;
  /** The process whose CPU is measured; none if absent. */
  readonly serverPid?: number;
  readonly connections: number;
  /**
   * The requests per second that arrive in an open loop, however slow the answers are. Latencies
   * count from the moment at which a request should have been sent. A closed loop if absent.
   */
  readonly rate?: number;
  /** In an open loop: how many requests may wait for a connection before the run is given up. */
  readonly backlogMax?: number;
  readonly warmUpMs: number;
  readonly client?: ClientCertificates;
  /** Each request uses a new connection, so its latency includes the handshake. */
  readonly isFresh?: boolean;
  /** Length of the measured window; it ends earlier if there is nothing left to send. */
  readonly measureMs: number;
  /**
   * Number of the first request. A run that must not repeat the requests of another one starts
   * after its last number.
   */
  readonly firstRequest: number;
  /** The most requests to send, including those of the warm-up. */
  readonly requestsMax: number;
  readonly request: RequestTemplate;
  readonly expect: Expectation;
  /** Whether the result holds the ids in the order of the requests. */
  readonly collectIds: boolean;
}

/** The result of a job. */
export interface JobResult {
  /** Number of sent requests, including the warm-up. */
  readonly sent: number;
  /** Answers within the window, and how long the window was. */
  readonly answered: number;
  readonly windowMs: number;
  readonly latency: SparseHistogram;
  /** Answers that were not as expected, with the first few in words. */
  readonly wrong: number;
  readonly wrongSamples: readonly string[];
  /** The number of different ids in all answers; 0 if ids are not checked. */
  readonly distinctIds: number;
  /** By request; empty unless `collectIds`. An answer without id leaves an empty string. */
  readonly ids: readonly string[];
  /** Bytes of the last answer, head and body. */
  readonly answerBytes: number;
  /** CPU of the server process in the window, if one was named. */
  readonly server: CpuFigures | undefined;
  /** CPU of the load generator in the window, in ms. */
  readonly clientCpuMs: number;
  /**
   * CPU of everything else on the machine in the window, in ms: other work distorts the figures.
   * Undefined if no server process was named.
   */
  readonly foreignCpuMs: number | undefined;
  /** Only for an open loop. */
  readonly arrivals?: Arrivals;
}

/** How punctually the requests of an open loop were sent. */
export interface Arrivals {
  /** The intended arrivals per second. */
  readonly rate: number;
  /** The most requests that waited for a free connection at a time. */
  readonly backlogMost: number;
  /**
   * Whether too many requests waited. The server cannot keep up with the rate then, and the run was
   * ended.
   */
  readonly isOverrun: boolean;
  /**
   * How late the generator itself sent requests although connections were free. This is part of the
   * latency, but not caused by the server.
   */
  readonly lateness: SparseHistogram;
}
