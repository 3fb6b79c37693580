// How long the main thread of the running controller was away from its event loop.

import type { ControllerProcess } from './controller-process.ts';
import { Inspector } from './inspector.ts';

/** Lateness of a timer of 1 ms: the thread was busy, or waited for a core. */
export interface Pauses {
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly longestMs: number;
}

/** Watches the main thread while `work` runs; it must have been started with `inspectorFlags`. */
export async function pausesWhile<T>(
  controller: ControllerProcess,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly pauses: Pauses }> {
  const inspector = await Inspector.open(controller);
  const evaluate = async (expression: string): Promise<unknown> => {
    const parameters = { expression, returnByValue: true };
    const { result } = await inspector.call('', 'Runtime.evaluate', parameters);
    return (result as { readonly value?: unknown } | undefined)?.value;
  };
  try {
    await evaluate(start);
    const result = await work();
    const found = (await evaluate(stop)) as readonly number[];
    const [p99Ms = 0, p999Ms = 0, longestMs = 0] = found.map((nanos) => nanos / 1e6);
    return { result, pauses: { p99Ms, p999Ms, longestMs } };
  } finally {
    inspector.close();
  }
}

const start =
  "globalThis.benchDelay = process.getBuiltinModule('node:perf_hooks')" +
  '.monitorEventLoopDelay({ resolution: 1 }); benchDelay.enable(); 0';
const stop =
  'benchDelay.disable(); [benchDelay.percentile(99), ' +
  'benchDelay.percentile(99.9), benchDelay.max]';
