// Measures how long the event loop is held up: a timer notes by how much it fires late. While there
// is nothing to do it fires once per second, so that an idle process sleeps.

import { everySecond } from '../platform/every-second.ts';
import type { Clock, Timer } from '../platform/ports.ts';
import { Histogram } from './histogram.ts';

/** How often it measures while there is work: 50 times per second cost a thousandth of a core. */
const everyMs = 20;

/**
 * After a second with at least this much work, in ms, pauses are measured closely. The timer itself
 * takes 2 ms.
 */
const workMs = 10;

/** How long a pause counts as recent, at least. */
const recentMs = 60_000;

/** Upper bounds in seconds; one is the promise of 20 ms. */
const pauseBounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** The work of a thread's event loop since its start. */
export interface LoopTotals {
  /** Ms in which it did not wait. */
  readonly activeMs: number;
  readonly turns: number;
}

/** The totals of the thread that calls it. */
function loopTotals(): LoopTotals {
  const { active } = performance.eventLoopUtilization();
  return { activeMs: active, turns: performance.nodeTiming.uvMetricsInfo.loopCount };
}

/** Watches the event loop of the thread that it is started in. */
export class EventLoopWatch {
  /** Seconds by which the timer fired late. */
  readonly seconds = new Histogram(pauseBounds);
  readonly #clock: Clock;
  readonly #totals: () => LoopTotals;
  #before: LoopTotals = { activeMs: 0, turns: 0 };
  #second: Timer | undefined;
  #secondDueMs = 0;
  /** Undefined while resting. */
  #timer: Timer | undefined;
  #longestMs = 0;
  /** The longest pause of the present minute, and of the minute before. */
  #recent: [present: number, before: number] = [0, 0];
  #recentSinceMs = 0;

  constructor(clock: Clock, totals: () => LoopTotals = loopTotals) {
    this.#clock = clock;
    this.#totals = totals;
  }

  /** Watches from now on. */
  start(): void {
    const now = this.#clock.monotonic();
    this.#recentSinceMs = now;
    this.#secondDueMs = now + 1000;
    this.#before = this.#totals();
    this.#second = everySecond(this.#clock, () => this.#look());
    this.#arm();
  }

  /** Stops watching. */
  stop(): void {
    this.#second?.cancel();
    this.#rest();
  }

  /** The longest pause since the last call, in ms. */
  takeLongestMs(): number {
    const longest = this.#longestMs;
    this.#longestMs = 0;
    return longest;
  }

  /** The longest pause of the last minute or two, in ms. */
  get recentLongestMs(): number {
    return Math.max(...this.#recent);
  }

  /**
   * Of a second of rest only the mean turn is known, so a long turn among many shorter ones is
   * reported too short. What follows it is measured closely.
   */
  #look(): void {
    const totals = this.#totals();
    const activeMs = totals.activeMs - this.#before.activeMs;
    const turns = Math.max(1, totals.turns - this.#before.turns);
    this.#before = totals;
    const now = this.#clock.monotonic();
    const lateMs = now - this.#secondDueMs;
    this.#secondDueMs = now + 1000;
    if (this.#timer === undefined) {
      const turnMs = activeMs / turns;
      this.#note(Math.max(0, lateMs, turnMs));
      // As many values as a second of work has, so that quantiles count time and not work.
      this.seconds.observe(turnMs / 1000, 1000 / everyMs - 1);
    }
    if (activeMs < workMs) this.#rest();
    else if (this.#timer === undefined) this.#arm();
  }

  #rest(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const dueMs = this.#clock.monotonic() + everyMs;
    this.#timer = this.#clock.after(everyMs, () => {
      this.#note(Math.max(0, this.#clock.monotonic() - dueMs));
      this.#arm();
    });
  }

  #note(lateMs: number): void {
    this.seconds.observe(lateMs / 1000);
    if (lateMs > this.#longestMs) this.#longestMs = lateMs;
    const now = this.#clock.monotonic();
    if (now - this.#recentSinceMs >= recentMs) {
      this.#recent = [0, this.#recent[0]];
      this.#recentSinceMs = now;
    }
    if (lateMs > this.#recent[0]) this.#recent[0] = lateMs;
  }
}
