// Jobs of the load generator and their results: plain data between two processes.

import type { CpuFigures } from '../server/process-figures.ts';
import type { SparseHistogram } from './histogram.ts';

/** Where the varying part of the n-th request comes from. All values of a slot have one length. */
export type Slot =
  /**
   * `values[floor(n / every) % values.length]`. Unless it `repeats`, a job ends before the same
   * request comes again.
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
  /** Text that the body must hold; looked for in every answer. */
  readonly includes?: string;
  /**
   * The id is what stands between this text and the next quote. All answers must have different
   * ones.
   */
  readonly idAfter?: string;
  /** Least length of the body in bytes. */
  readonly bodyBytesMin?: number;
  /** Rows that `data` must hold, looked at in one answer of 256. */
  readonly rows?: number;
}

/** The client certificates of connections. */
export interface ClientCertificates {
  /** PEM; all certificates are for this one key. */
  readonly key: string;
  /** PEM chains: connections, or fresh requests, take them in turn. */
  readonly chains: readonly string[];
}

/** One run of the load generator over `connections` connections. */
export interface Job {
  readonly host: string;
  readonly port: number;
  /** The name of the server in TLS and in `Host`; absent: localhost. */
  readonly serverName?: string;
  /** PEM file the server is trusted by; absent: what Node trusts. */
  readonly caFile?: string;
  /** The process whose CPU is measured; absent: none. */
  readonly serverPid?: number;
  readonly connections: number;
  /**
   * Requests a second that arrive, whatever the answers do: an open loop. Latencies count from the
   * moment a request should have been sent. Absent: a closed loop.
   */
  readonly rate?: number;
  /** Of an open loop: requests that may be waiting for a connection before it gives up. */
  readonly backlogMax?: number;
  readonly warmUpMs: number;
  readonly client?: ClientCertificates;
  /** Each request uses a new connection, so its latency includes the handshake. */
  readonly isFresh?: boolean;
  /** Length of the measured window; it ends sooner when there is nothing left to send. */
  readonly measureMs: number;
  /** Number of the first request; runs that must not repeat each other start behind one another. */
  readonly firstRequest: number;
  /** Requests to send at most, those of the warm-up too. */
  readonly requestsMax: number;
  readonly request: RequestTemplate;
  readonly expect: Expectation;
  /** Answer the ids in the order of the requests. */
  readonly collectIds: boolean;
}

/** The result of a job. */
export interface JobResult {
  /** Requests sent in all, with the warm-up. */
  readonly sent: number;
  /** Answers within the window, and how long the window was. */
  readonly answered: number;
  readonly windowMs: number;
  readonly latency: SparseHistogram;
  /** Answers that were not as expected, with the first few in words. */
  readonly wrong: number;
  readonly wrongSamples: readonly string[];
  /** Different ids seen in all answers; 0 where none were asked for. */
  readonly distinctIds: number;
  /** By request; empty unless `collectIds`. An answer without id leaves an empty string. */
  readonly ids: readonly string[];
  /** Bytes of one answer, head and body: of the last one. */
  readonly answerBytes: number;
  /** CPU of the server process in the window, where one was named. */
  readonly server: CpuFigures | undefined;
  /** CPU of the load generator in the window, in ms. */
  readonly clientCpuMs: number;
  /**
   * CPU of everything else on the machine in the window, in ms: other work spoils a figure.
   * Undefined where no server process was named.
   */
  readonly foreignCpuMs: number | undefined;
  /** Of an open loop. */
  readonly arrivals?: Arrivals;
}

/** How the requests of an open loop came to be sent. */
export interface Arrivals {
  /** Requests a second that were to arrive. */
  readonly rate: number;
  /** The most that waited for a free connection at a time. */
  readonly backlogMost: number;
  /** More waited than may: the server can't keep up with the rate, and the run was ended. */
  readonly isOverrun: boolean;
  /**
   * How late the generator itself was, connections being free: part of the latency, and its own.
   */
  readonly lateness: SparseHistogram;
}
