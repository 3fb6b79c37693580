// The main loop of the writer's thread: takes laid frames, writes them as one group, reports,
// sleeps.

import type { Disk } from '../../src/ports.ts';
import { reasonOf, SyncFailed } from '../errors.ts';
import { FrameRing, type RingMemory } from './frame-ring.ts';
import { LogWriter, type LogWriterOptions } from './log-writer.ts';
import { retryMs, syncEveryMs } from './writer-host.ts';

/** Messages from the thread to the main thread. `progress` only means that the ring has changed. */
export type WriterMessage =
  | { readonly tells: 'progress' }
  | { readonly tells: 'stalled' | 'failed'; readonly reason: string }
  | { readonly tells: 'resumed' };

/**
 * Serves the ring until it is told to stop. It blocks the calling thread, and sleeps without CPU
 * when idle. While one group is being synced, the next gathers in the ring: this is the group
 * commit.
 */
export function runWriter(
  disk: Disk,
  options: LogWriterOptions,
  memory: RingMemory,
  tell: (message: WriterMessage) => void,
): void {
  const ring = new FrameRing(memory);
  const writer = new LogWriter(disk, options);
  let syncDueMs = Number.POSITIVE_INFINITY;
  try {
    for (;;) {
      const taken = ring.take();
      const ticket = taken.length === 0 ? ring.syncAsked : undefined;
      if (taken.length > 0) {
        writer.stage(taken);
        if (!settled(writer, ring, tell)) return;
        const { writtenLsn: lsn, bytesWritten: bytes, groupsWritten: groups } = writer;
        ring.release(taken, { lsn, bytes, groups });
        tell(progress);
        if (options.level === 'second' && writer.syncedLsn < lsn) {
          syncDueMs = Math.min(syncDueMs, performance.now() + syncEveryMs);
        }
      } else if (ticket !== undefined) {
        writer.sync();
        ring.serveSync(ticket);
        tell(progress);
      } else if (ring.stopAsked) {
        return;
      }
      if (performance.now() >= syncDueMs) {
        writer.sync();
        syncDueMs = Number.POSITIVE_INFINITY;
      }
      ring.sleep(syncDueMs - performance.now());
    }
  } catch (error) {
    tell({ tells: 'failed', reason: reasonOf(error) });
  } finally {
    writer.close();
  }
}

/** Retries until the group is written; false when told to stop meanwhile. */
function settled(
  writer: LogWriter,
  ring: FrameRing,
  tell: (message: WriterMessage) => void,
): boolean {
  let reason: string | undefined;
  for (;;) {
    try {
      writer.settle();
      if (reason !== undefined) tell({ tells: 'resumed' });
      return true;
    } catch (error) {
      if (error instanceof SyncFailed) throw error;
      if (reason !== reasonOf(error)) tell({ tells: 'stalled', reason: reasonOf(error) });
      reason = reasonOf(error);
    }
    if (ring.stopAsked) return false;
    ring.pause(retryMs);
  }
}

const progress: WriterMessage = { tells: 'progress' };
