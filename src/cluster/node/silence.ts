// How long the leader has been silent while the stream has not.

import type { Clock } from '../../platform/ports.ts';

/**
 * A node stands when it has known a message to be the last for so long. It exceeds the lease by a
 * second, which is the time that a follower's and a leader's clock may differ in.
 */
const silenceMs = 3000;

/**
 * Between two answers of the stream; after a longer gap the silence is counted from the start. A
 * consumer hears from its server every second, and one such message may be late or lost.
 */
const answerGapMs = 2500;

/** The silence of the leader, as a follower measures it (behaviour/cluster#standing). */
export class Silence {
  readonly #clock: Clock;
  /** Undefined while it is not known whether there is a newer message. */
  #knownSinceMs: number | undefined;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #hasResigned = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A message came, which is the last one for now. */
  message(isResignation: boolean): void {
    this.#answeredAtMs = this.#clock.monotonic();
    this.#knownSinceMs = this.#answeredAtMs;
    this.#hasResigned = isResignation;
  }

  /** The stream said that there is nothing newer. */
  answered(): void {
    const nowMs = this.#clock.monotonic();
    if (!this.#isContinuous(nowMs)) this.#knownSinceMs = nowMs;
    this.#answeredAtMs = nowMs;
  }

  /** The stream did not answer: a leader cannot have published either. */
  unanswered(): void {
    this.#knownSinceMs = undefined;
  }

  /** Whether it is known that a message is the last one. */
  get isKnown(): boolean {
    return this.#isContinuous(this.#clock.monotonic());
  }

  /** How long a message has been known to be the last, in ms; 0 while that is not known. */
  get lastedMs(): number {
    const nowMs = this.#clock.monotonic();
    if (this.#knownSinceMs === undefined || !this.#isContinuous(nowMs)) return 0;
    return nowMs - this.#knownSinceMs;
  }

  /** Whether a node may stand now. */
  get isOver(): boolean {
    if (this.#hasResigned) return this.#knownSinceMs !== undefined;
    return this.lastedMs >= silenceMs;
  }

  #isContinuous(nowMs: number): boolean {
    return this.#knownSinceMs !== undefined && nowMs - this.#answeredAtMs <= answerGapMs;
  }
}
