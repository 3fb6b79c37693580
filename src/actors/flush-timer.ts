// Writes data that only memory holds at intervals, one frame per turn of the event loop, so that a
// flush of many rows delays no request.

import type { Clock, Timer } from '../platform/ports.ts';

/** The data to flush, and how often. */
export interface FlushOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Upper bound of the rows that wait to be written. */
  waiting(): number;
  /**
   * Writes one frame with at most `rowsMax` rows, and returns how many rows are dealt with. It
   * never throws: rows that could not be written wait for the next flush, and count as dealt with.
   */
  writeFrame(rowsMax: number): number;
}

/** Flushes at intervals from `start` on, and once more at `stop`. */
export class FlushTimer {
  readonly #options: FlushOptions;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: FlushOptions) {
    this.#options = options;
  }

  /** Schedules the first flush. */
  start(): void {
    const { clock, intervalMs, waiting } = this.#options;
    this.#timer = clock.after(intervalMs, () => this.#flushFrom(waiting()));
  }

  /** Writes all that waits, and stops flushing. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    let left = this.#options.waiting();
    for (let done = 1; done > 0 && left > 0; left -= done) {
      done = this.#options.writeFrame(left);
    }
  }

  /**
   * `left` is the number of rows that waited when this flush began. Later rows wait for the next.
   */
  #flushFrom(left: number): void {
    if (this.#isStopped) return;
    const done = this.#options.writeFrame(left);
    if (done > 0 && done < left) this.#options.clock.soon(() => this.#flushFrom(left - done));
    else this.start();
  }
}
