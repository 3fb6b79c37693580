// Gathers requests for one piece of work into one run in a later turn of the event loop.

import type { Clock, Timer } from '../platform/ports.ts';

/** The next run of some work. While it is requested, further requests change nothing. */
export interface NextRun {
  /** Whether it will happen. */
  readonly isRequested: boolean;
  /** It happens in a later turn of the event loop, after pending I/O. */
  request(): void;
  /** It happens after so many ms. */
  requestIn(delayMs: number): void;
  /** It does not happen; it may be requested again. */
  cancel(): void;
}

/**
 * Runs `run` once in a later turn, regardless of how often it is requested until then. A run may
 * request the next one; what it throws reaches the event loop.
 */
export function onceATurn(clock: Clock, run: () => void): NextRun {
  // Compared by identity, because a callback of the event loop cannot be taken back.
  let requested: (() => void) | undefined;
  let timer: Timer | undefined;
  const begin = () => {
    const own = () => {
      if (requested !== own) return;
      requested = undefined;
      run();
    };
    requested = own;
    return own;
  };
  return {
    get isRequested() {
      return requested !== undefined;
    },
    request() {
      if (requested === undefined) clock.soon(begin());
    },
    requestIn(delayMs) {
      if (requested === undefined) timer = clock.after(delayMs, begin());
    },
    cancel() {
      requested = undefined;
      timer?.cancel();
    },
  };
}
