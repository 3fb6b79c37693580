// Notices a wall clock that jumped, forward or back, and tells the operator.

import type { Log } from '../observe/logs.ts';
import type { Clock, Timer } from '../ports.ts';

/** What a watch works with. */
export interface ClockWatchOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** How often the clocks are compared. */
  readonly everyMs?: number;
  /** What the wall clock may go astray in between. */
  readonly jumpMs?: number;
}

/** The jumps that a watch has seen. */
export interface ClockJumps {
  readonly forward: number;
  readonly back: number;
  /** Monotonic ms of the last one; undefined before the first. */
  readonly lastAtMs: number | undefined;
}

/**
 * Holds the wall clock against the monotonic one. Nothing is done about a jump: deadlines follow
 * the wall clock, and durations never did. A machine that slept shows as a jump forward.
 */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  #aheadMs = 0;
  #timer: Timer | undefined;
  #jumps: ClockJumps = { forward: 0, back: 0, lastAtMs: undefined };

  constructor(options: ClockWatchOptions) {
    this.#options = options;
  }

  /** What it has seen so far. */
  get jumps(): ClockJumps {
    return this.#jumps;
  }

  /** Watches from now on. */
  start(): void {
    this.#aheadMs = this.#ahead();
    this.#arm();
  }

  /** Watches no longer. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const { clock, everyMs = clockWatchMs } = this.#options;
    this.#timer = clock.after(everyMs, () => {
      this.#look();
      this.#arm();
    });
  }

  #look(): void {
    const { clock, log, jumpMs = clockJumpMs } = this.#options;
    const before = this.#aheadMs;
    this.#aheadMs = this.#ahead();
    const byMs = Math.round(this.#aheadMs - before);
    if (Math.abs(byMs) < jumpMs) return;
    const way = byMs > 0 ? 'forward' : 'back';
    this.#jumps = { ...this.#jumps, [way]: this.#jumps[way] + 1, lastAtMs: clock.monotonic() };
    log.warn({ byMs }, `the clock of this machine jumped ${way}: ${advice}`);
  }

  #ahead(): number {
    const { clock } = this.#options;
    return clock.now() - clock.monotonic();
  }
}

const advice = 'see to its time service, sessions and certificates end by this clock';

/** How often the wall clock is compared with the monotonic one. @bound */
const clockWatchMs = 60_000;

/** A wall clock that is off by this much has jumped; time services slew under 40 ms/min. @bound */
const clockJumpMs = 5000;
