// Notices a wall clock that jumped, forward or back, and tells the operator.

import type { Log } from '../observe/logs.ts';
import { everySecond } from '../platform/every-second.ts';
import type { Clock, Timer } from '../platform/ports.ts';

/** The jumps that a watch has seen. */
export interface ClockJumps {
  readonly forward: number;
  readonly back: number;
  /** Monotonic ms of the last jump; undefined before the first. */
  readonly lastAtMs: number | undefined;
}

/**
 * Compares the wall clock with the monotonic one each second: a jump that is taken back before the
 * next comparison is not noticed. A jump needs no action: deadlines follow the wall
 * clock, and durations never use it. A machine that slept shows as a jump forward.
 */
export class ClockWatch {
  readonly #clock: Clock;
  readonly #log: Log;
  #aheadMs = 0;
  #timer: Timer | undefined;
  #jumps: ClockJumps = { forward: 0, back: 0, lastAtMs: undefined };

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The jumps seen so far. */
  get jumps(): ClockJumps {
    return this.#jumps;
  }

  /** Starts to watch. */
  start(): void {
    this.#aheadMs = this.#ahead();
    this.#timer = everySecond(this.#clock, () => this.#look());
  }

  /** Stops watching. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #look(): void {
    const before = this.#aheadMs;
    this.#aheadMs = this.#ahead();
    const byMs = Math.round(this.#aheadMs - before);
    if (Math.abs(byMs) < clockJumpMs) return;
    const way = byMs > 0 ? 'forward' : 'back';
    this.#jumps = {
      ...this.#jumps,
      [way]: this.#jumps[way] + 1,
      lastAtMs: this.#clock.monotonic(),
    };
    this.#log.warn({ byMs }, `the clock of this machine jumped ${way}: ${advice}`);
  }

  #ahead(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}

const advice = 'see to its time service, sessions and certificates end by this clock';

/**
 * A wall clock that moves by this much between two comparisons has jumped; time services slew it by
 * less than 40 ms per minute. @bound
 */
const clockJumpMs = 5000;
