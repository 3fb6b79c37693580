// Shares the main thread between requests that arrive together and its other work.

import type { Clock } from '../../platform/ports.ts';
import { type NextRun, onceATurn } from '../../turns/once-a-turn.ts';

/** The bounds of the turns. */
export interface TurnLimits {
  /** Handling requests takes about this long per turn; a started request always runs to its end. */
  readonly requestTurnMs?: number;
  /**
   * Bytes of bodies and headers that wait for a later turn; beyond it the first ones are handled.
   */
  readonly bodiesBytesMax: number;
}

/**
 * All sockets that are readable are read in one turn of the event loop. If requests were handled as
 * they are read, a few hundred clients that write at once would delay timers, durable answers and
 * the collector's steps until all are handled. Requests beyond a turn's share wait here, in order.
 */
export class RequestTurns {
  /** Number of requests that have waited for a later turn. */
  deferred = 0;
  readonly #clock: Clock;
  readonly #turnMs: number;
  readonly #bodiesBytesMax: number;
  /** Runs after the sockets of a turn, so the time that they used is subtracted. */
  readonly #nextTurn: NextRun;
  /** Since the last time that `#turn` ran, in this turn or in quiet ones before it. */
  #spentMs = 0;
  readonly #queue: DeferredRequest[] = [];
  #queuedBytes = 0;

  constructor(clock: Clock, limits: TurnLimits) {
    this.#clock = clock;
    this.#nextTurn = onceATurn(clock, () => this.#turn());
    this.#turnMs = limits.requestTurnMs ?? requestTurnMs;
    this.#bodiesBytesMax = limits.bodiesBytesMax;
  }

  /** Whether this turn has used its share, so that the next request is for `later`. */
  get isOver(): boolean {
    return this.#queue.length > 0 || this.#spentMs >= this.#turnMs;
  }

  /** Adds the time of a request that was handled at once. `startedMs` is monotonic. */
  handled(startedMs: number): void {
    this.#spentMs += this.#clock.monotonic() - startedMs;
    // Not at once, so that a turn with little work, as most are, costs no callback.
    if (this.#spentMs >= this.#turnMs / 2) this.#nextTurn.request();
  }

  /**
   * Handles a request in a later turn, after those that already wait. `bytes` counts its body and
   * headers; `task` throws nothing.
   */
  later(bytes: number, task: () => void): void {
    // A longer turn is better than unbounded memory, or than a request that overtakes others.
    while (this.#queue.length > 0 && this.#queuedBytes + bytes > this.#bodiesBytesMax) {
      this.#handleFirst();
    }
    this.#queue.push({ bytes, task });
    this.#queuedBytes += bytes;
    this.deferred += 1;
    this.#nextTurn.request();
  }

  #turn(): void {
    const untilMs = this.#clock.monotonic() + this.#turnMs - this.#spentMs;
    this.#spentMs = 0;
    while (this.#queue.length > 0 && this.#clock.monotonic() < untilMs) this.#handleFirst();
    if (this.#queue.length > 0) this.#nextTurn.request();
  }

  #handleFirst(): void {
    const first = this.#queue.shift();
    if (first === undefined) return;
    this.#queuedBytes -= first.bytes;
    first.task();
  }
}

interface DeferredRequest {
  readonly bytes: number;
  readonly task: () => void;
}

/** Requests are handled this long per turn, then timers run. @bound per controller */
const requestTurnMs = 2;
