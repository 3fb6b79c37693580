// The writer's thread: takes appended frames, writes them as one group, reports, sleeps.

import { parentPort, workerData } from 'node:worker_threads';

import type { Disk } from '../../src/platform/ports.ts';
import { reasonOf, SyncFailed } from '../errors.ts';
import { FrameRing, type RingMemory } from './frame-ring.ts';
import { LogWriter, type LogWriterOptions, retryMs, syncEveryMs } from './log-writer.ts';

/** Messages from the thread to the main thread. `progress` only means that the ring has changed. */
export type WriterMessage =
  | { readonly tells: 'progress' }
  | { readonly tells: 'stalled' | 'failed'; readonly reason: string }
  | { readonly tells: 'resumed' }
  | { readonly tells: 'space'; readonly isShort: boolean };

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
const ring = new FrameRing(memory);
run(new LogWriter(nodeDisk, options));

/**
 * Serves the ring until it is told to stop. It blocks the calling thread, and sleeps without CPU
 * when idle. While one group is being synced, the next gathers in the ring: this is the group
 * commit.
 */
function run(writer: LogWriter): void {
  let syncDueMs = Number.POSITIVE_INFINITY;
  let wasShort = false;
  try {
    for (;;) {
      const taken = ring.take();
      const ticket = taken.length === 0 ? ring.syncRequested : undefined;
      if (taken.length > 0) {
        writer.stage(taken);
        if (!settled(writer)) return;
        ring.release(taken, writer.progress);
        tell({ tells: 'progress' });
        if (options.level === 'second' && !writer.isSynced) {
          syncDueMs = Math.min(syncDueMs, performance.now() + syncEveryMs);
        }
      } else if (ticket !== undefined) {
        writer.sync();
        ring.serveSync(ticket);
        tell({ tells: 'progress' });
      } else if (ring.stopRequested) {
        return;
      } else if (writer.isShort) {
        writer.prepareAll();
      }
      if (writer.isShort !== wasShort) {
        wasShort = writer.isShort;
        tell({ tells: 'space', isShort: wasShort });
      }
      if (performance.now() >= syncDueMs) {
        writer.sync();
        syncDueMs = Number.POSITIVE_INFINITY;
      }
      ring.sleep(Math.min(syncDueMs - performance.now(), wasShort ? retryMs : Infinity));
    }
  } catch (error) {
    tell({ tells: 'failed', reason: reasonOf(error) });
  } finally {
    writer.close();
  }
}

/** Retries until the group is written; false when told to stop meanwhile. */
function settled(writer: LogWriter): boolean {
  let reason: string | undefined;
  for (;;) {
    try {
      writer.flush();
      if (reason !== undefined) tell({ tells: 'resumed' });
      return true;
    } catch (error) {
      if (error instanceof SyncFailed) throw error;
      if (reason !== reasonOf(error)) tell({ tells: 'stalled', reason: reasonOf(error) });
      reason = reasonOf(error);
    }
    if (ring.stopRequested) return false;
    ring.pause(retryMs);
  }
}

function tell(message: WriterMessage): void {
  parentPort?.postMessage(message);
}
