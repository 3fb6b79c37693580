// Periodic work shares one timer per second, so that a thread that has nothing to do sleeps.

import type { Clock, Timer } from './ports.ts';

const secondOf = new WeakMap<Clock, Second>();

/**
 * Runs `task` about once per second, in one turn with all others that were registered with this
 * clock, until it is cancelled. A task is not called twice for a second that was missed.
 */
export function everySecond(clock: Clock, task: () => void): Timer {
  let second = secondOf.get(clock);
  if (second === undefined) {
    second = new Second(clock);
    secondOf.set(clock, second);
  }
  return second.add(task);
}

class Second {
  readonly #clock: Clock;
  readonly #tasks = new Set<() => void>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(task: () => void): Timer {
    // In a function of its own, because the same task may be registered twice.
    const own = () => task();
    this.#tasks.add(own);
    this.#timer ??= this.#armed();
    return { cancel: () => this.#remove(own) };
  }

  #remove(task: () => void): void {
    this.#tasks.delete(task);
    if (this.#tasks.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #armed(): Timer {
    return this.#clock.after(secondMs, () => {
      this.#timer = this.#armed();
      // A task may cancel others, and one that it registers waits for the next second.
      for (const task of [...this.#tasks]) if (this.#tasks.has(task)) task();
    });
  }
}

const secondMs = 1000;
