// A clock that stands still until a test moves it.

import type { Clock, Timer } from '../../src/platform/ports.ts';

interface ScheduledTask {
  readonly dueAt: number;
  readonly order: number;
  readonly task: () => void;
}

/** Simulated time: timers run in the order they are due, tasks of `soon` in the order they came. */
export class SimulatedClock implements Clock {
  #monotonic = 0;
  #wallAhead: number;
  #order = 0;
  readonly #timers = new Set<ScheduledTask>();
  #soon: (() => void)[] = [];

  /** `now` is the wall-clock time to begin with. */
  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#wallAhead = now;
  }

  now(): number {
    return Math.floor(this.#monotonic + this.#wallAhead);
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(delayMs: number, task: () => void): Timer {
    const dueAt = this.#monotonic + Math.max(delayMs, 0);
    const scheduled: ScheduledTask = { dueAt, order: this.#order++, task };
    this.#timers.add(scheduled);
    return { cancel: () => void this.#timers.delete(scheduled) };
  }

  soon(task: () => void): void {
    this.#soon.push(task);
  }

  /** How many timers are armed. */
  get timers(): number {
    return this.#timers.size;
  }

  /** In how many ms the next timer goes off; undefined when none is armed. */
  get nextTimerMs(): number | undefined {
    const next = this.#nextTimer();
    return next === undefined ? undefined : next.dueAt - this.#monotonic;
  }

  /**
   * Runs what `soon` was given so far, as one turn of the event loop; answers how many tasks ran.
   */
  turn(): number {
    const tasks = this.#soon;
    this.#soon = [];
    for (const task of tasks) task();
    return tasks.length;
  }

  /** Runs turns until nothing is left for a later one. */
  drain(turnsMax = 100_000): void {
    for (let turns = 0; this.turn() > 0; turns++) {
      if (turns >= turnsMax) throw new Error(`still busy after ${turnsMax} turns`);
    }
  }

  /** Lets `ms` go by: both clocks move, timers run when they are due, turns in between. */
  advance(ms: number): void {
    const end = this.#monotonic + ms;
    this.drain();
    for (;;) {
      const next = this.#nextTimer();
      if (next === undefined || next.dueAt > end) break;
      this.#monotonic = Math.max(this.#monotonic, next.dueAt);
      this.#timers.delete(next);
      next.task();
      this.drain();
    }
    this.#monotonic = end;
  }

  /**
   * Lets `ms` go by like `advance`, and runs pending promise callbacks after each timer: for code
   * that waits for promises and timers in turns.
   */
  async elapse(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await this.#callbacks();
    for (;;) {
      const next = this.#nextTimer();
      if (next === undefined || next.dueAt > end) break;
      this.advance(Math.max(0, next.dueAt - this.#monotonic));
      await this.#callbacks();
    }
    this.#monotonic = end;
  }

  /**
   * Lets `ms` go by as a machine that sleeps: what fell due meanwhile runs at the end, periodic
   * work once. A year of `advance` would run the work of 31 million seconds.
   */
  sleep(ms: number): void {
    this.#monotonic += ms;
    this.advance(0);
  }

  /** Sets the wall clock `ms` forward (or back, if negative); the monotonic one and timers stay. */
  jump(ms: number): void {
    this.#wallAhead += ms;
  }

  /**
   * Runs pending promise callbacks and turns until neither brings forth more; no simulated time
   * goes by.
   */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.turn() > 0) quiet = 0;
    }
  }

  async #callbacks(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.turn() > 0);
  }

  #nextTimer(): ScheduledTask | undefined {
    let next: ScheduledTask | undefined;
    for (const timer of this.#timers) {
      if (
        next === undefined ||
        timer.dueAt < next.dueAt ||
        (timer.dueAt === next.dueAt && timer.order < next.order)
      ) {
        next = timer;
      }
    }
    return next;
  }
}
