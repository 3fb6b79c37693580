// Writes data that only memory holds at intervals, one frame per turn of the event loop, so that a
// flush of many rows delays no request.

import type { Clock } from '../platform/ports.ts';
import { type NextRun, onceATurn } from '../turns/once-a-turn.ts';

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
  /**
   * Called before each frame: undefined if there is room for it, else a promise that resolves when
   * there may be, and never rejects. Absent where what waits always has room.
   */
  room?(): Promise<void> | undefined;
}

/** Flushes at intervals from `start` on, and once more at `stop`. */
export class FlushTimer {
  readonly #options: FlushOptions;
  readonly #next: NextRun;
  /** Rows that waited when this flush began and still do. Later ones wait for the next flush. */
  #left = 0;
  #isStopped = false;

  constructor(options: FlushOptions) {
    this.#options = options;
    this.#next = onceATurn(options.clock, () => this.#flush());
  }

  /** Schedules the first flush. */
  start(): void {
    this.#next.requestIn(this.#options.intervalMs);
  }

  /** Writes all that waits, and stops flushing. Without `room` nothing is left when it returns. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#next.cancel();
    let left = this.#options.waiting();
    for (let done = 1; done > 0 && left > 0; left -= done) {
      const room = this.#options.room?.();
      if (room !== undefined) await room;
      done = this.#options.writeFrame(left);
    }
  }

  #flush(): void {
    if (this.#left <= 0) this.#left = this.#options.waiting();
    const room = this.#options.room?.();
    if (room === undefined) this.#write();
    else {
      void room.then(() => {
        if (!this.#isStopped) this.#write();
      });
    }
  }

  #write(): void {
    const done = this.#options.writeFrame(this.#left);
    this.#left = done > 0 ? this.#left - done : 0;
    if (this.#left > 0) this.#next.request();
    else this.start();
  }
}
