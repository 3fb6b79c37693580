// How long work on the main thread goes on before others have their turn.

import type { Clock } from '../ports.ts';

/** Cuts long work into slices, each a turn of the event loop. */
export class Pace {
  readonly #clock: Clock;
  readonly #sliceMs: number;
  #sliceEnd = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, sliceMs: number) {
    this.#clock = clock;
    this.#sliceMs = sliceMs;
  }

  /** Whether it is time to rest, asked after each step. */
  get isDue(): boolean {
    return this.#clock.monotonic() >= this.#sliceEnd;
  }

  /** Resolves in a later turn, from which on the next slice counts. */
  async rest(): Promise<void> {
    await new Promise<void>((resolve) => this.#clock.soon(resolve));
    this.#sliceEnd = this.#clock.monotonic() + this.#sliceMs;
  }
}
