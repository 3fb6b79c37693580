// Lets only so many slow tasks run and wait at once, in the order they came; what is beyond is
// refused at once.

import type { Histogram } from '../observe/histogram.ts';
import type { Clock, Fetch, Hasher } from '../ports.ts';
import type { ExternalJwts } from './external-jwt.ts';

/**
 * Too many tasks wait already; nothing was begun. Answered as 429 SERVER_TOO_MANY_REQUESTS
 * (behaviour §4.11).
 */
export class Busy extends Error {
  override readonly name = 'Busy';
}

/** Bounds of an admission. */
export interface AdmissionOptions {
  /** Tasks running at once. */
  readonly runningMax: number;
  /** Tasks waiting behind them: `limits.authenticationsWaitingMax`. */
  readonly waitingMax: number;
  /** Where the seconds that tasks wait and run are noted. */
  readonly timed?: AdmissionTimes;
}

/** How long tasks wait and run, in seconds. */
export interface AdmissionTimes {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly waited: Histogram;
  readonly ran: Histogram;
}

/** Counts for metrics; the last two since the start. */
export interface AdmissionFigures {
  readonly running: number;
  readonly waiting: number;
  readonly admitted: number;
  readonly refused: number;
}

/** A bounded first-in-first-out queue in front of asynchronous work. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #admitted = 0;
  #refused = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** A copy of the present counts. */
  get figures(): AdmissionFigures {
    return {
      running: this.#running,
      waiting: this.#waiting.length,
      admitted: this.#admitted,
      refused: this.#refused,
    };
  }

  /**
   * Runs `task` when its turn comes; settles as it does.
   * @throws Busy as the rejection, when `waitingMax` tasks wait already.
   */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    const { runningMax, timed } = this.#options;
    const cameMs = timed?.clock.monotonic() ?? 0;
    if (this.#running < runningMax) this.#running += 1;
    else await this.#turn();
    this.#admitted += 1;
    const beganMs = timed?.clock.monotonic() ?? 0;
    timed?.waited.observe((beganMs - cameMs) / 1000);
    try {
      return await task();
    } finally {
      timed?.ran.observe((timed.clock.monotonic() - beganMs) / 1000);
      this.#leave();
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#options.waitingMax) {
      this.#refused += 1;
      throw new Busy('too much is waiting already');
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** The place goes straight to the next in line: it never is free for a newcomer to take. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}

/** A hasher whose calls pass through `admission`; they reject with Busy when it is full. */
export function admittedHasher(hasher: Hasher, admission: Admission): Hasher {
  return {
    hash: (password, parameters) => admission.run(() => hasher.hash(password, parameters)),
    verify: (phc, password) => admission.run(() => hasher.verify(phc, password)),
  };
}

/** A fetch whose requests pass through `admission`. */
export function admittedFetch(fetch: Fetch, admission: Admission): Fetch {
  return (url, bounds) => admission.run(() => fetch(url, bounds));
}

/** A judge whose waiting passes through `admission`; it rejects with Busy when that is full. */
export function admittedJwts(jwts: ExternalJwts, admission: Admission): ExternalJwts {
  return { ...jwts, prepare: (...shown) => admission.run(() => jwts.prepare(...shown)) };
}

/** How a machine's cores are used for hashing. */
export interface HashingPlan {
  /** `runningMax` of the hashers' admission: each hash keeps a core busy. */
  readonly runningMax: number;
  /**
   * UV_THREADPOOL_SIZE, to be set before anything uses the pool: hashes must leave threads for
   * other work.
   */
  readonly poolThreads: number;
}

/** The plan for a machine of `cores` cores. */
export function planHashing(cores: number): HashingPlan {
  const runningMax = Math.max(1, Math.trunc(cores));
  return { runningMax, poolThreads: runningMax + 2 };
}
