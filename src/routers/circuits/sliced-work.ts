// Carries out long work in slices, one per turn of the event loop, so that nothing else waits long.

import type { Log } from '../../observe/logs.ts';
import type { Clock } from '../../platform/ports.ts';

/** Bounds of the slices. */
export const slicedWorkBounds = {
  /** How long one slice takes; a step may exceed it by about 1 ms. @bound */
  circuitSliceMs: 4,
};

/** Runs generators one after the other; a step of theirs ends with each `yield`. */
export class SlicedWork {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #sliceMs: number;
  readonly #urgent: Iterator<undefined>[] = [];
  readonly #waiting: Iterator<undefined>[] = [];
  #isScheduled = false;
  #isStopped = false;

  constructor(clock: Clock, log: Log, bounds = slicedWorkBounds) {
    this.#clock = clock;
    this.#log = log;
    this.#sliceMs = bounds.circuitSliceMs;
  }

  /** Begins the work in a later turn, after the work that was added before. */
  add(steps: Iterator<undefined>): void {
    this.#waiting.push(steps);
    this.#schedule();
  }

  /** As `add`, but before all other work, whose further steps wait. */
  addUrgent(steps: Iterator<undefined>): void {
    this.#urgent.push(steps);
    this.#schedule();
  }

  /** Begins no further step. */
  stop(): void {
    this.#isStopped = true;
    this.#urgent.length = 0;
    this.#waiting.length = 0;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isStopped) return;
    this.#isScheduled = true;
    this.#clock.soon(() => this.#run());
  }

  #run(): void {
    this.#isScheduled = false;
    const untilMs = this.#clock.monotonic() + this.#sliceMs;
    for (;;) {
      const line = this.#urgent.length > 0 ? this.#urgent : this.#waiting;
      const [steps] = line;
      if (steps === undefined || this.#isStopped) return;
      if (this.#step(steps)) line.splice(line.indexOf(steps), 1);
      if (this.#clock.monotonic() >= untilMs) break;
    }
    this.#schedule();
  }

  /** Whether it was the last step. Work that fails is given up. */
  #step(steps: Iterator<undefined>): boolean {
    try {
      return steps.next().done === true;
    } catch (err) {
      this.#log.error({ err }, 'work on circuits failed');
      return true;
    }
  }
}
