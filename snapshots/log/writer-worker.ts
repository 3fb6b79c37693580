// Entry of the writer's thread.

import { parentPort, workerData } from 'node:worker_threads';

import type { Disk } from '../../src/ports.ts';
import type { RingMemory } from './frame-ring.ts';
import type { LogWriterOptions } from './log-writer.ts';
import { runWriter } from './writer-loop.ts';

/** The data that the thread is started with. */
export interface WriterWorkerData {
  readonly options: LogWriterOptions;
  readonly memory: RingMemory;
  /**
   * URL of the module whose `nodeDisk` it writes to; a test passes one that can be made to fail.
   */
  readonly diskModule: string;
}

const { options, memory, diskModule } = workerData as WriterWorkerData;
const { nodeDisk } = (await import(diskModule)) as { nodeDisk: Disk };
runWriter(nodeDisk, options, memory, (message) => parentPort?.postMessage(message));
