// The clock of one machine in a simulated world: it drifts, it is set, and its process is stopped.

import type { Clock, Timer } from '../../src/ports.ts';
import type { SimulatedClock } from './clock.ts';

/** How the clocks of a machine differ from the world's. */
export interface NodeClockOptions {
  /** How fast it goes; 1.01 gains 10 ms per second. */
  readonly rate?: number;
  /** How far the wall clock is ahead to begin with, in ms. */
  readonly aheadMs?: number;
}

/** A clock that runs on that of the world. */
export class NodeClock implements Clock {
  readonly #world: SimulatedClock;
  readonly #rate: number;
  readonly #bornAt: number;
  #aheadMs: number;
  /** Ms of the world that the machine did not notice. */
  #unseenMs = 0;
  #unseenSince: number | undefined;
  #held: (() => void)[] | undefined;

  constructor(world: SimulatedClock, { rate = 1, aheadMs = 0 }: NodeClockOptions = {}) {
    this.#world = world;
    this.#rate = rate;
    this.#bornAt = world.monotonic();
    this.#aheadMs = world.now() + aheadMs;
  }

  now(): number {
    return Math.floor(this.monotonic() + this.#aheadMs);
  }

  monotonic(): number {
    const at = this.#unseenSince ?? this.#world.monotonic();
    return (at - this.#bornAt - this.#unseenMs) * this.#rate;
  }

  after(delayMs: number, task: () => void): Timer {
    return this.#world.after(delayMs / this.#rate, () => this.#run(task));
  }

  soon(task: () => void): void {
    this.#world.soon(() => this.#run(task));
  }

  /** When, in ms of the world, the last pause ended that the machine has not seen. */
  unseenUntil: number | undefined;
  /** How far the wall clock was set forward in all. */
  jumpedMs = 0;

  /** Sets the wall clock. */
  jump(ms: number): void {
    this.jumpedMs += ms;
    this.#aheadMs += ms;
  }

  /**
   * The process stops until `thaw`.
   * @param isSeen whether its clocks go on meanwhile; those of a paused guest do not
   */
  freeze(isSeen = true): void {
    this.#held ??= [];
    if (!isSeen) this.#unseenSince ??= this.#world.monotonic();
  }

  /** Runs what should have run meanwhile. */
  thaw(): void {
    if (this.#unseenSince !== undefined) {
      this.#unseenMs += this.#world.monotonic() - this.#unseenSince;
      this.#unseenSince = undefined;
      this.unseenUntil = this.#world.monotonic();
    }
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const task of held) task();
  }

  #run(task: () => void): void {
    if (this.#held === undefined) task();
    else this.#held.push(task);
  }
}
