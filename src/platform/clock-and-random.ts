// The real implementations of Clock and Random: the machine's time and randomness.

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

/**
 * The machine's clock with a monotonic time that is the same in all threads of the process;
 * `performance.now()` counts from the start of its thread.
 */
export const sharedClock: Clock = {
  ...systemClock,
  monotonic: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
};

/**
 * The machine's randomness: OpenSSL's generator, fit for secrets. It is loaded at its first
 * use, because that takes a tenth of the start of a command that only prints.
 */
export const systemRandom: Random = {
  bytes: (length) => process.getBuiltinModule('node:crypto').randomBytes(length),
};

/**
 * Node's longest timer, 2^31 − 1 ms or about 25 days; it runs a longer one at once, with a warning.
 */
const timerDelayMsMax = 0x7fff_ffff;

/** One timer; a delay beyond Node's longest is split into several. */
function startTimer(delayMs: number, task: () => void): Timer {
  // Measured against the clock, because each part may run late and the delays must not add up.
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
