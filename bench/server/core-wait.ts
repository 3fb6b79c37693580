// Measures how long the main thread of a process was ready to run but waited for a core.

import { readFileSync } from 'node:fs';
import { Histogram } from '../load/histogram.ts';

/** The wait of a thread within a period. */
export interface CoreWait {
  /** The waiting time as a share of the period, 0 to 1. */
  readonly share: number;
  /** Waiting time within one slice of about 5 ms: the 99.9th percentile, and the maximum. */
  readonly p999Ms: number;
  readonly longestMs: number;
}

const sliceMs = 5;

/** Watches the main thread of `pid` while `work` runs. */
export async function coreWaitWhile<T>(
  pid: number,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly coreWait: CoreWait }> {
  const waits = new Histogram();
  const startedAt = performance.now();
  const before = waitedMs(pid);
  let last = before;
  const timer = setInterval(() => {
    const now = waitedMs(pid);
    waits.record(now - last);
    last = now;
  }, sliceMs);
  try {
    const result = await work();
    const share = (waitedMs(pid) - before) / Math.max(1, performance.now() - startedAt);
    const [p999Ms, longestMs] = [waits.quantile(0.999), waits.quantile(1)];
    return { result, coreWait: { share, p999Ms, longestMs } };
  } finally {
    clearInterval(timer);
  }
}

/** The second figure of `schedstat`: ns on the run queue (kernel, Documentation/scheduler). */
function waitedMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8');
  return Number(text.split(' ')[1]) / 1e6;
}
