// Runs long work on the main thread in slices, one per turn of the event loop, so that nothing else
// waits long.

import type { Clock } from '../platform/ports.ts';
import { type NextRun, onceATurn } from './once-a-turn.ts';

/** Tells work that waits for promises, so that it has no such steps, when to rest. */
export class Pace {
  readonly #clock: Clock;
  readonly #sliceMs: number;
  #sliceEnd = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, sliceMs: number) {
    this.#clock = clock;
    this.#sliceMs = sliceMs;
  }

  /** Whether it is time to rest; checked after each step. */
  get isDue(): boolean {
    return this.#clock.monotonic() >= this.#sliceEnd;
  }

  /** Resolves in a later turn, in which the next slice begins. */
  async rest(): Promise<void> {
    await new Promise<void>((resolve) => this.#clock.soon(resolve));
    this.#sliceEnd = this.#clock.monotonic() + this.#sliceMs;
  }
}

/** Runs all steps, with a rest whenever a slice ends. @returns the value of the last step */
export async function inSlices<T>(
  steps: Iterator<undefined, T>,
  clock: Clock,
  sliceMs: number,
): Promise<T> {
  const pace = new Pace(clock, sliceMs);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (pace.isDue) await pace.rest();
  }
}

/** How long a slice takes, and who hears of work that failed and was given up. */
export interface SlicesOptions {
  readonly clock: Clock;
  readonly sliceMs: number;
  readonly failed: (error: unknown) => void;
}

/** Runs generators one after the other. A step of theirs ends with each `yield`. */
export class Slices {
  readonly #options: SlicesOptions;
  readonly #urgent: Iterator<undefined>[] = [];
  readonly #waiting: Iterator<undefined>[] = [];
  readonly #next: NextRun;
  #isStopped = false;

  constructor(options: SlicesOptions) {
    this.#options = options;
    this.#next = onceATurn(options.clock, () => this.#run());
  }

  /** Whether no work is under way or waits. */
  get isIdle(): boolean {
    return this.#urgent.length === 0 && this.#waiting.length === 0;
  }

  /** Begins the work in a later turn, after the work that was added before. */
  add(steps: Iterator<undefined>): void {
    this.#add(steps, this.#waiting);
  }

  /** As `add`, but before all other work, whose further steps wait. */
  addUrgent(steps: Iterator<undefined>): void {
    this.#add(steps, this.#urgent);
  }

  /** Begins no further step. */
  stop(): void {
    this.#isStopped = true;
    this.#urgent.length = 0;
    this.#waiting.length = 0;
  }

  #add(steps: Iterator<undefined>, line: Iterator<undefined>[]): void {
    if (this.#isStopped) return;
    line.push(steps);
    this.#next.request();
  }

  #run(): void {
    const { clock, sliceMs } = this.#options;
    const untilMs = clock.monotonic() + sliceMs;
    do {
      const line = this.#urgent.length > 0 ? this.#urgent : this.#waiting;
      const [steps] = line;
      if (steps === undefined) return;
      if (this.#isLast(steps)) line.shift();
    } while (clock.monotonic() < untilMs);
    if (!this.isIdle) this.#next.request();
  }

  /** Makes one step. @returns whether none is left */
  #isLast(steps: Iterator<undefined>): boolean {
    try {
      return steps.next().done === true;
    } catch (error) {
      this.#options.failed(error);
      return true;
    }
  }
}
