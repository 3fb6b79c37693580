// Entry of the thread that writes one snapshot's file, and its messages to and from the main
// thread.

import { parentPort, workerData } from 'node:worker_threads';
import type { Disk } from '../../src/platform/ports.ts';
import type { Manifest } from '../home/manifest.ts';
import { SnapshotInMaking, type SnapshotOrder } from './new-snapshot.ts';
import type { PackedBlock, PackedCounts } from './snapshot-file.ts';

/** The data that the thread is started with. */
export interface SnapshotWorkerData {
  readonly home: string;
  readonly order: SnapshotOrder;
  /**
   * URL of the module whose `nodeDisk` it writes to; a test passes one that can be made to fail.
   */
  readonly diskModule: string;
}

/** Messages from the main thread. After `keep` or `abandon` the thread ends. */
export type ToSnapshotWorker =
  | { readonly asks: 'write'; readonly block: PackedBlock }
  | { readonly asks: 'keep'; readonly counts: PackedCounts }
  | { readonly asks: 'abandon' };

/** Messages from the thread. */
export type FromSnapshotWorker =
  | { readonly tells: 'written' }
  | { readonly tells: 'kept'; readonly manifest: Manifest }
  /** The first error; the thread waits to be told to end. */
  | { readonly tells: 'failed'; readonly error: Error };

const { home, order, diskModule } = workerData as SnapshotWorkerData;
const { nodeDisk } = (await import(diskModule)) as { nodeDisk: Disk };
let making: SnapshotInMaking | undefined;
let hasFailed = false;

attempt(() => {
  making = new SnapshotInMaking(nodeDisk, home, order);
});
parentPort?.on('message', (message: ToSnapshotWorker) => hear(message));

function hear(message: ToSnapshotWorker): void {
  switch (message.asks) {
    case 'write':
      attempt(() => {
        making?.write(message.block);
        say({ tells: 'written' });
      });
      return;
    case 'keep':
      attempt(() => {
        const manifest = making?.keep(message.counts);
        if (manifest === undefined) return;
        say({ tells: 'kept', manifest });
        parentPort?.close();
      });
      return;
    case 'abandon':
      making?.abandon();
      parentPort?.close();
  }
}

function attempt(step: () => void): void {
  if (hasFailed) return;
  try {
    step();
  } catch (error) {
    hasFailed = true;
    say({ tells: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
  }
}

function say(message: FromSnapshotWorker): void {
  parentPort?.postMessage(message);
}
