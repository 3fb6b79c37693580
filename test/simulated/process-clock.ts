// The clock of one process among several in a simulated world: its timers end with it.

import type { Clock, Timer } from '../../src/platform/ports.ts';

/** Time is that of the world; after `end`, nothing of this process runs any more. */
export class ProcessClock implements Clock {
  readonly #world: Clock;
  #isOver = false;

  constructor(world: Clock) {
    this.#world = world;
  }

  now(): number {
    return this.#world.now();
  }

  monotonic(): number {
    return this.#world.monotonic();
  }

  after(delayMs: number, task: () => void): Timer {
    return this.#world.after(delayMs, () => this.#run(task));
  }

  soon(task: () => void): void {
    this.#world.soon(() => this.#run(task));
  }

  /** The process dies. */
  end(): void {
    this.#isOver = true;
  }

  #run(task: () => void): void {
    if (!this.#isOver) task();
  }
}
