// The memory that the controller's main thread holds on to.

import type { ControllerProcess } from './controller-process.ts';
import { Inspector } from './inspector.ts';

/**
 * Bytes of its heap and buffers after a garbage collection; it must have been started with
 * `inspectorFlags`.
 */
export async function heldBytes(controller: Pick<ControllerProcess, 'logFile'>): Promise<number> {
  const inspector = await Inspector.open(controller);
  try {
    await inspector.call('', 'HeapProfiler.collectGarbage', {});
    return Number(await inspector.evaluate(`(${held})()`));
  } finally {
    inspector.close();
  }
}

/** Runs in the controller, so it can use nothing of this file. */
function held(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
