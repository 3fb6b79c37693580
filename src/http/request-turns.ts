// Shares the main thread out between requests that arrive together and all that else waits for it.

import type { Clock } from '../ports.ts';

/** What bounds the turns. */
export interface TurnLimits {
  /** Handling requests takes about this long per turn; one always runs to its end. */
  readonly requestTurnMs?: number;
  /** Bodies and headers of what waits for a later turn; for more, those in front are handled. */
  readonly bodiesBytesMax: number;
}

/**
 * All sockets that are readable are read in one turn of the event loop. With requests handled as
 * they are read, a few hundred clients that write at once would keep timers, durable answers and
 * the collector's steps waiting for all of them. Those beyond a turn's share wait here, in order.
 */
export class RequestTurns {
  /** Requests that wait, or waited, for a later turn. */
  deferred = 0;
  readonly #clock: Clock;
  readonly #turnMs: number;
  readonly #bodiesBytesMax: number;
  /** Since the last time `#next` ran, in this turn or in quiet ones before it. */
  #spentMs = 0;
  #isNextDue = false;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;

  constructor(clock: Clock, limits: TurnLimits) {
    this.#clock = clock;
    this.#turnMs = limits.requestTurnMs ?? requestTurnMs;
    this.#bodiesBytesMax = limits.bodiesBytesMax;
  }

  /** Whether this turn has had its share: the next request is for `later`. */
  get isOver(): boolean {
    return this.#waiting.length > 0 || this.#spentMs >= this.#turnMs;
  }

  /** Takes what a request took that was handled at once. `startedMs` is monotonic. */
  handled(startedMs: number): void {
    this.#spentMs += this.#clock.monotonic() - startedMs;
    // Not at once: a turn with little to do, as most are, then costs no callback.
    if (this.#spentMs >= this.#turnMs / 2) this.#comeBack();
  }

  /**
   * Handles a request in a later turn, behind those that wait. `bytes` are those of its body and
   * headers; `task` throws nothing.
   */
  later(bytes: number, task: () => void): void {
    // A longer turn is better than memory without bound, or than one that overtakes the others.
    while (this.#waiting.length > 0 && this.#waitingBytes + bytes > this.#bodiesBytesMax) {
      this.#handleFirst();
    }
    this.#waiting.push({ bytes, task });
    this.#waitingBytes += bytes;
    this.deferred += 1;
    this.#comeBack();
  }

  #comeBack(): void {
    if (this.#isNextDue) return;
    this.#isNextDue = true;
    this.#clock.soon(() => this.#next());
  }

  /** Comes behind the sockets of a turn, so what those have spent is taken off. */
  #next(): void {
    const untilMs = this.#clock.monotonic() + this.#turnMs - this.#spentMs;
    this.#isNextDue = false;
    this.#spentMs = 0;
    while (this.#waiting.length > 0 && this.#clock.monotonic() < untilMs) this.#handleFirst();
    if (this.#waiting.length > 0) this.#comeBack();
  }

  #handleFirst(): void {
    const first = this.#waiting.shift();
    if (first === undefined) return;
    this.#waitingBytes -= first.bytes;
    first.task();
  }
}

interface Waiting {
  readonly bytes: number;
  readonly task: () => void;
}

/** Requests are handled this long per turn, then timers run. @bound per controller */
const requestTurnMs = 2;
