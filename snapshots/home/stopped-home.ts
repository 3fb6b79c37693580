// A snapshot of everything that a home holds which no process may open to write, because it belongs
// to a cluster. The home stays as it is.

import { join } from 'node:path';
import type { TreeDisk } from '../../src/platform/ports.ts';
import type { KeptSnapshot } from '../journal.ts';
import { snapshotDirectory } from './layout.ts';
import type { Manifest } from './manifest.ts';
import { recoverHome } from './recovery.ts';
import { restoreHome } from './restored-home.ts';

/** What is taken, and where it goes. */
export interface StoppedHomeOrder {
  readonly home: string;
  readonly manifest: Manifest;
  /** A directory on the same file system; what was there is removed. */
  readonly target: string;
  readonly nowMs: number;
}

/** A snapshot in a file. */
export interface StoppedHomeSnapshot extends Pick<KeptSnapshot, 'lsn' | 'records' | 'bytes'> {
  readonly path: string;
  /** Checksum of its last frame. */
  readonly crc: number;
}

/**
 * Takes the snapshot. The caller sees to it that no process uses the home, and removes the target.
 * @throws LogCorrupt; NewerFormat; any error of the disk
 */
export function snapshotStoppedHome(disk: TreeDisk, order: StoppedHomeOrder): StoppedHomeSnapshot {
  const { home, manifest, target, nowMs } = order;
  const { dataSetId } = manifest;
  const { log, load, snapshotLsn } = recoverHome(disk, home, manifest, undefined);
  const { lsn, crc } = log.position;
  disk.removeTree(target);
  const times = { timeMs: log.lastTimeMs, snapshotLsn, snapshotRecords: 0 };
  const { file, records, bytes } = restoreHome(disk, {
    target,
    source: { dataSetId, lsn, load, ...times },
    newDataSetId: dataSetId,
    segmentBytes: draftSegmentBytes,
    files: [],
    nowMs,
  });
  return { path: join(snapshotDirectory(target), file), lsn, crc, records, bytes };
}

/** Of the log beside the snapshot: nothing is written to it. */
const draftSegmentBytes = 64 * 1024;
