// Limits how many slow tasks run at once; others wait in a bounded queue, and tasks beyond its
// bound are refused.

import type { Histogram } from '../observe/histogram.ts';
import type { Clock } from '../platform/ports.ts';

/**
 * Too many tasks are waiting already; nothing was started. Answered as 429 SERVER_TOO_MANY_REQUESTS
 * (behaviour/requests#overload).
 */
export class Busy extends Error {
  override readonly name = 'Busy';
}

/** The waiting tasks and the order in which they are served. */
export interface WaitQueue<Waiter, Share> {
  /** The number of waiting tasks. */
  readonly length: number;
  /** Adds a newcomer. @returns the task that has to leave a full queue: the newcomer or another */
  add(waiter: Waiter, share: Share): Waiter | undefined;
  /** Removes the next task. */
  take(): Waiter | undefined;
}

/** A queue that serves in order of arrival and refuses newcomers when it is full. */
export class FifoQueue<Waiter> implements WaitQueue<Waiter, void> {
  readonly #waitingMax: number;
  readonly #waiting: Waiter[] = [];

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  get length(): number {
    return this.#waiting.length;
  }

  add(waiter: Waiter): Waiter | undefined {
    if (this.#waiting.length >= this.#waitingMax) return waiter;
    this.#waiting.push(waiter);
    return undefined;
  }

  take(): Waiter | undefined {
    return this.#waiting.shift();
  }
}

/** A task that waits for its turn. */
export interface Waiter {
  readonly begin: () => void;
  readonly refuse: () => void;
}

/** Bounds of an admission. */
export interface AdmissionOptions<Share> {
  /** Tasks running at once. */
  readonly runningMax: number;
  /** The queue in which other tasks wait. */
  readonly queue: WaitQueue<Waiter, Share>;
  /** The histograms of the seconds that tasks wait and run. */
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

/** A bounded queue in front of asynchronous work. */
export class Admission<Share = void> {
  readonly #options: AdmissionOptions<Share>;
  #running = 0;
  #admitted = 0;
  #refused = 0;

  constructor(options: AdmissionOptions<Share>) {
    this.#options = options;
  }

  /** A copy of the present counts. */
  get figures(): AdmissionFigures {
    return {
      running: this.#running,
      waiting: this.#options.queue.length,
      admitted: this.#admitted,
      refused: this.#refused,
    };
  }

  /**
   * Runs `task` when its turn comes; settles like the task.
   * @throws Busy as the rejection, when the queue is full and refuses this task.
   */
  async run<Result>(task: () => Promise<Result>, share: Share): Promise<Result> {
    const { runningMax, timed } = this.#options;
    const cameMs = timed?.clock.monotonic() ?? 0;
    if (this.#running < runningMax) this.#running += 1;
    else await this.#turn(share);
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

  #turn(share: Share): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = () => {
        this.#refused += 1;
        reject(new Busy('too much is waiting already'));
      };
      this.#options.queue.add({ begin: resolve, refuse }, share)?.refuse();
    });
  }

  /** The place goes directly to the next in the queue, so no newcomer can take it in between. */
  #leave(): void {
    const next = this.#options.queue.take();
    if (next === undefined) this.#running -= 1;
    else next.begin();
  }
}
