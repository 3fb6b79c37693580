// A physical limit: an fdatasync after each 4 KiB that are written into space filled with zeros.

import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Histogram, type SparseHistogram } from '../load/histogram.ts';

/** The result. */
export interface DiskSyncResult {
  readonly syncs: number;
  readonly windowMs: number;
  readonly latency: SparseHistogram;
}

const blockBytes = 4096;
const fileBytes = 16 << 20;

/**
 * Writes and syncs in `directory` for `measureMs`, as the log does: over zeros that are on disk
 * already.
 */
export function measureDiskSync(directory: string, measureMs: number): DiskSyncResult {
  const path = join(directory, 'disk-sync.bench');
  const file = openSync(path, 'w');
  try {
    writeSync(file, Buffer.alloc(fileBytes), 0, fileBytes, 0);
    fdatasyncSync(file);
    const block = Buffer.alloc(blockBytes, 0x5a);
    const latency = new Histogram();
    const startedAt = performance.now();
    let now = startedAt;
    for (let position = 0; now < startedAt + measureMs; position += blockBytes) {
      const at = now;
      writeSync(file, block, 0, blockBytes, position % fileBytes);
      fdatasyncSync(file);
      now = performance.now();
      latency.record(now - at);
    }
    return { syncs: latency.total, windowMs: now - startedAt, latency: latency.sparse() };
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
