// Limits how long work on the main thread runs before other work gets a turn.

import type { Clock } from '../platform/ports.ts';

/** Cuts long work into slices of one turn of the event loop each. */
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
