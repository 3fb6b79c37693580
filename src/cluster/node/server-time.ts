// What time it is on the server, by the times at which it took messages.

import type { Clock } from '../../platform/ports.ts';
import type { Stream } from '../stream.ts';

/** Samples that are kept: a clock that the server sets back is believed after so many. @bound */
const samplesMax = 8;

/**
 * The server's clock beside our own. A message is never handled before the server took it, so of
 * several samples the one that arrived fastest is right.
 */
export class ServerTime {
  readonly #clock: Clock;
  /** Server's time less our monotonic time, in ms; the newest last. */
  readonly #aheadMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The server took a message at `serverTimeMs`.
   * @param atMs our monotonic time at which it was sent, or arrived
   */
  sample(serverTimeMs: number, atMs: number): void {
    this.#aheadMs.push(serverTimeMs - atMs);
    if (this.#aheadMs.length > samplesMax) this.#aheadMs.shift();
  }

  /** How far our wall clock is ahead of the server's, in ms; 0 before the first sample. */
  get skewMs(): number {
    if (this.#aheadMs.length === 0) return 0;
    return this.#clock.now() - this.#nowMs();
  }

  /** How long ago the server took a message, in ms. */
  ageMs(serverTimeMs: number): number {
    if (this.#aheadMs.length === 0) return 0;
    return Math.max(0, this.#nowMs() - serverTimeMs);
  }

  #nowMs(): number {
    return this.#clock.monotonic() + Math.max(...this.#aheadMs);
  }
}

/**
 * The time by the clock of the server that is asked, by which nodes tell when they were there; by
 * our own if it does not say so. Rejects with StreamUnreachable.
 */
export async function serverNowMs(
  stream: Pick<Stream, 'state'>,
  clock: Pick<Clock, 'now'>,
): Promise<number> {
  return (await stream.state()).serverTimeMs ?? clock.now();
}
