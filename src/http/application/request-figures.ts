// Counts requests: the duration and result of each operation, by labels that clients cannot extend.

import type { AnyOperation, AuthenticationMethod } from '../../declare/operations/operation.ts';
import type { ErrorCode } from '../../errors/error-codes.ts';
import { Histogram, latencyBounds } from '../../observe/histogram.ts';

/** How an authentication ended. */
export type AuthenticationOutcome = 'success' | 'refused' | 'invalid' | 'limited' | 'failed';

/** One operation's requests with the same result. */
export interface RequestSeries {
  /** Id of the operation; `none` for paths and methods that lead to none. */
  readonly operation: string;
  /** Method of the operation; `any` if there is none. */
  readonly method: string;
  /** `2xx`. */
  readonly statusClass: string;
  /** Seconds from the complete request to its answer. */
  readonly seconds: Histogram;
}

/** One log line is enough for an event that may happen a thousand times per second. */
const betweenCrowdLinesMs = 60_000;

/** The counts of one application. */
export class RequestFigures {
  readonly #series = new Map<AnyOperation | undefined, (RequestSeries | undefined)[]>();
  /** By id and method: both APIs may have an operation with the same id. */
  readonly #byName = new Map<string, (RequestSeries | undefined)[]>();
  readonly #errors = new Map<ErrorCode, number>();
  readonly #authentications = new Map<string, number>();
  /** Monotonic ms at which a write was last refused because too many wait for the disk. */
  crowdedAtMs: number | undefined;
  #crowdToldMs = Number.NEGATIVE_INFINITY;
  /** All answered requests. */
  total = 0;

  /** A request was answered. `operation` is undefined for one that led to none. */
  answered(operation: AnyOperation | undefined, status: number, ms: number): void {
    this.total++;
    const series = this.#series.get(operation) ?? this.#begin(operation);
    const index = Math.trunc(status / 100);
    (series[index] ??= seriesOf(operation, index)).seconds.observe(ms / 1000);
  }

  /**
   * A write was refused because too many wait for the disk. @returns whether the log should say
   * so.
   */
  crowded(nowMs: number): boolean {
    this.crowdedAtMs = nowMs;
    if (nowMs - this.#crowdToldMs < betweenCrowdLinesMs) return false;
    this.#crowdToldMs = nowMs;
    return true;
  }

  /** An answer was an error. */
  refused(code: ErrorCode): void {
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1);
  }

  /** An authentication was attempted. */
  authenticated(method: AuthenticationMethod, status: number): void {
    const key = `${method} ${outcomeOf(status)}`;
    this.#authentications.set(key, (this.#authentications.get(key) ?? 0) + 1);
  }

  #begin(operation: AnyOperation | undefined): (RequestSeries | undefined)[] {
    const name = `${operation?.id} ${operation?.method}`;
    const series = this.#byName.get(name) ?? [];
    this.#byName.set(name, series);
    this.#series.set(operation, series);
    return series;
  }

  /** Counts by operation and class of status, without empty ones. */
  *series(): Generator<RequestSeries> {
    for (const classes of this.#byName.values()) {
      for (const series of classes) if (series !== undefined) yield series;
    }
  }

  /** Answers by error code. */
  get errors(): ReadonlyMap<ErrorCode, number> {
    return this.#errors;
  }

  /** How often each method ended in each way. */
  *authentications(): Generator<readonly [method: string, outcome: string, count: number]> {
    for (const [key, count] of this.#authentications) {
      const [method = '', outcome = ''] = key.split(' ');
      yield [method, outcome, count];
    }
  }
}

function seriesOf(operation: AnyOperation | undefined, statusClass: number): RequestSeries {
  return {
    operation: operation?.id ?? 'none',
    method: operation?.method ?? 'any',
    statusClass: `${statusClass}xx`,
    seconds: new Histogram(latencyBounds),
  };
}

function outcomeOf(status: number): AuthenticationOutcome {
  if (status < 300) return 'success';
  if (status === 401 || status === 403) return 'refused';
  if (status === 429) return 'limited';
  return status < 500 ? 'invalid' : 'failed';
}
