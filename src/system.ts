// The real twins of Clock and Random: the machine's own time and chance.

import { randomBytes } from 'node:crypto';
import type { Clock, Random, Timer } from './ports.ts';

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (delayMs, task) => startTimer(delayMs, task),
  soon: (task) => {
    setImmediate(task);
  },
};

/** The machine's chance: OpenSSL's generator, fit for secrets. */
export const systemRandom: Random = {
  bytes: (length) => randomBytes(length),
};

/** Node runs a timer of a longer delay at once, with a warning: 2^31 − 1 ms, about 25 days. */
const timerDelayMsMax = 0x7fff_ffff;

/** One timer; a delay beyond Node's longest is slept in legs. */
function startTimer(delayMs: number, task: () => void): Timer {
  // Measured, not counted down: each leg may run late, and the delays must not add up.
  const dueAtMs = performance.now() + delayMs;
  let handle: NodeJS.Timeout | undefined;
  const arm = (): void => {
    const leftMs = Math.max(0, dueAtMs - performance.now());
    const leg = leftMs > timerDelayMsMax ? arm : task;
    handle = setTimeout(leg, Math.min(leftMs, timerDelayMsMax)).unref();
  };
  arm();
  return { cancel: () => clearTimeout(handle) };
}
