// Waiting by the clock.

import type { Clock } from '../../platform/ports.ts';

/** Resolves after `delayMs`. */
export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}
