// Notices that the stream has lost messages which it had acknowledged.

import type { Clock } from '../../platform/ports.ts';
import type { StreamSequence } from '../stream.ts';

/**
 * For so long the stream must lack something before that is certain. A server that has lost its
 * majority may tell an earlier end until it notices that.
 */
export const certainMs = 15_000;

/** Compares the end of the stream with what was seen of it. */
export class EndWatch {
  readonly #clock: Clock;
  #suspicion: { readonly seen: StreamSequence; readonly sinceMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether an end was told that is before a message that was seen. */
  get isSuspicious(): boolean {
    return this.#suspicion !== undefined;
  }

  /**
   * The stream says that it ends with `last`.
   * @param seen the last message that was seen when it was asked
   * @returns what is wrong, once it is certain
   */
  told(last: StreamSequence, seen: StreamSequence): string | undefined {
    const nowMs = this.#clock.monotonic();
    this.#suspicion ??= { seen, sinceMs: nowMs };
    if (last >= this.#suspicion.seen) {
      this.#suspicion = undefined;
      return undefined;
    }
    if (nowMs - this.#suspicion.sinceMs < certainMs) return undefined;
    return `the stream ends with message ${last}, after message ${this.#suspicion.seen} was seen`;
  }
}
