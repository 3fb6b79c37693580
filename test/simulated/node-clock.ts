// The clock of one machine in a simulated world: it drifts, it is set, and its process is stopped.

import type { Clock, Timer } from '../../src/platform/ports.ts';
import type { SimulatedClock } from './clock.ts';

/** How the clocks of a machine differ from the world's. */
export interface NodeClockOptions {
  /** How fast it goes; 1.01 gains 10 ms per second. */
  readonly rate?: number;
  /** How far the wall clock is ahead to begin with, in ms. */
  readonly aheadMs?: number;
}

/**
 * Which clocks go on while a process is stopped: both of them as a rule, the wall clock alone while
 * its machine sleeps, none while its machine is the guest of a host that pauses it.
 */
export type PauseSeenBy = 'both clocks' | 'the wall clock' | 'no clock';

/** A clock that runs on that of the world. */
export class NodeClock implements Clock {
  readonly #world: SimulatedClock;
  readonly #rate: number;
  readonly #bornAt: number;
  #aheadMs: number;
  /** Ms of the world that the monotonic clock did not notice. */
  #unseenMs = 0;
  /** When it stopped, in ms of the world. */
  #stoppedAt: number | undefined;
  #seenBy: PauseSeenBy = 'both clocks';
  /** When the last pause began that only the wall clock has seen, by the monotonic clock. */
  #sleptAt: number | undefined;
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
    const at = this.#stoppedAt ?? this.#world.monotonic();
    return (at - this.#bornAt - this.#unseenMs) * this.#rate;
  }

  /** A pause that the monotonic clock does not see makes the task late, too. */
  after(delayMs: number, task: () => void): Timer {
    const dueAt = this.monotonic() + delayMs;
    let isCancelled = false;
    const run = (): void => {
      if (isCancelled) return;
      const leftMs = dueAt - this.monotonic();
      if (leftMs > roundingMs) armed = arm(leftMs);
      else task();
    };
    const arm = (ms: number) => this.#world.after(ms / this.#rate, () => this.#run(run));
    let armed = arm(delayMs);
    return {
      cancel: () => {
        isCancelled = true;
        armed.cancel();
      },
    };
  }

  soon(task: () => void): void {
    this.#world.soon(() => this.#run(task));
  }

  /**
   * When the last pause began, by the monotonic clock, that neither of its clocks has seen: since
   * then they have not been right.
   */
  unseenAt: number | undefined;

  /** Sets the wall clock forward. Set back, it has not seen the last pause that it saw alone. */
  jump(ms: number): void {
    this.#aheadMs += ms;
    if (ms < 0) this.unseenAt = this.#sleptAt ?? this.unseenAt;
  }

  /** Sets the wall clock right. */
  correct(): void {
    this.jump(this.#world.now() - this.monotonic() - this.#aheadMs);
  }

  /** The process stops until `thaw`. */
  freeze(seenBy: PauseSeenBy = 'both clocks'): void {
    if (this.#held !== undefined) return;
    this.#held = [];
    this.#seenBy = seenBy;
    if (seenBy === 'the wall clock') this.#sleptAt = this.monotonic();
    if (seenBy !== 'both clocks') this.#stoppedAt = this.#world.monotonic();
  }

  /** Runs what should have run meanwhile. */
  thaw(): void {
    if (this.#stoppedAt !== undefined) {
      const pausedMs = this.#world.monotonic() - this.#stoppedAt;
      if (this.#seenBy === 'no clock') this.unseenAt = this.monotonic();
      else this.#aheadMs += pausedMs * this.#rate;
      this.#unseenMs += pausedMs;
      this.#stoppedAt = undefined;
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

/** Two sums of the same times differ by less, in ms. */
const roundingMs = 1e-3;
