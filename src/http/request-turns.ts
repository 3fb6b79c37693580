// Shares the main thread out between requests that arrive together and all that else waits for it.

import type { Clock } from '../ports.ts';

/** Bounds; each is set in `limits.ts`. */
export interface TurnLimits {
  /** Handling requests takes about so long a turn of the event loop; one always runs to its end. */
  readonly requestTurnMs: number;
  /** Of bodies whose requests wait for a later turn; one more is handled at once. */
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
  readonly #limits: TurnLimits;
  /** Since the last time `#next` ran. */
  #spentMs = 0;
  #isNextDue = false;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;

  constructor(clock: Clock, limits: TurnLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Whether a request with so large a body is for a later turn. */
  isOver(bodyBytes: number): boolean {
    const { requestTurnMs, bodiesBytesMax } = this.#limits;
    if (this.#spentMs < requestTurnMs && this.#waiting.length === 0) return false;
    return this.#waitingBytes + bodyBytes <= bodiesBytesMax;
  }

  /** Takes what a request took that was handled at once. `startedMs` is monotonic. */
  handled(startedMs: number): void {
    this.#spentMs += this.#clock.monotonic() - startedMs;
    // Not at once: a turn with little to do, as most are, then costs no callback.
    if (this.#spentMs >= this.#limits.requestTurnMs / 2) this.#comeBack();
  }

  /** Handles a request in a later turn, behind those that wait. `task` throws nothing. */
  later(bodyBytes: number, task: () => void): void {
    this.#waiting.push({ bodyBytes, task });
    this.#waitingBytes += bodyBytes;
    this.deferred += 1;
    this.#comeBack();
  }

  #comeBack(): void {
    if (this.#isNextDue) return;
    this.#isNextDue = true;
    this.#clock.soon(() => this.#next());
  }

  /** Comes behind the sockets of the same turn, so what those have spent is taken off. */
  #next(): void {
    const untilMs = this.#clock.monotonic() + this.#limits.requestTurnMs - this.#spentMs;
    this.#isNextDue = false;
    this.#spentMs = 0;
    let handled = 0;
    for (const { bodyBytes, task } of this.#waiting) {
      if (this.#clock.monotonic() >= untilMs) break;
      task();
      handled += 1;
      this.#waitingBytes -= bodyBytes;
    }
    this.#waiting.splice(0, handled);
    if (this.#waiting.length > 0) this.#comeBack();
  }
}

interface Waiting {
  readonly bodyBytes: number;
  readonly task: () => void;
}
