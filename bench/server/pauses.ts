// How long the main thread of the running controller was away from its event loop.

import type { ControllerProcess } from './controller-process.ts';
import { Inspector } from './inspector.ts';

/** Lateness of a timer of 1 ms: the thread was busy, or waited for a core. */
export interface Pauses {
  readonly p99Ms: number;
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
    const [p99, longest] = (await evaluate(stop)) as readonly [number, number];
    return { result, pauses: { p99Ms: p99 / 1e6, longestMs: longest / 1e6 } };
  } finally {
    inspector.close();
  }
}

const start =
  "globalThis.benchDelay = process.getBuiltinModule('node:perf_hooks')" +
  '.monitorEventLoopDelay({ resolution: 1 }); benchDelay.enable(); 0';
const stop = 'benchDelay.disable(); [benchDelay.percentile(99), benchDelay.max]';
