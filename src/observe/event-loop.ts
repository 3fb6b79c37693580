// Measures how long the event loop is held up: a timer notes by how much it fires late.

import type { Clock, Timer } from '../platform/ports.ts';
import { Histogram } from './histogram.ts';

/** How often it measures. 50 times per second cost less than a thousandth of a core. */
const everyMs = 20;

/** How long a pause counts as recent, at least. */
const recentMs = 60_000;

/** Upper bounds in seconds; one is the promise of 20 ms. */
const pauseBounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** Watches the event loop of the thread that it is started in. */
export class EventLoopWatch {
  /** Seconds by which the timer fired late. */
  readonly seconds = new Histogram(pauseBounds);
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #longestMs = 0;
  /** The longest pause of the present minute, and of the minute before. */
  #recent: [present: number, before: number] = [0, 0];
  #recentSinceMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Watches from now on. */
  start(): void {
    this.#recentSinceMs = this.#clock.monotonic();
    this.#arm();
  }

  /** Stops watching. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
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
