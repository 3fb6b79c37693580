// Writes all records of a new home at once: a snapshot of them, and an empty log after it.

import type { Disk } from '../../src/platform/ports.ts';
import type { KeptSnapshot, Lsn, StoredRecord } from '../journal.ts';
import { segmentHeaderBytes } from '../log/segment.ts';
import { SnapshotInMaking } from '../snapshot/new-snapshot.ts';
import { SnapshotPacker } from '../snapshot/snapshot-file.ts';
import { logDirectory, snapshotDirectory } from './layout.ts';
import type { Manifest } from './manifest.ts';
import { beginSegment } from './repair.ts';

/** The content of a new home. */
export interface HomeContent extends Pick<Manifest, 'dataSetId' | 'restoredFrom'> {
  readonly segmentBytes: number;
  /** The snapshot's; the first frame of the log gets the next one. */
  readonly lsn: Lsn;
  /** When the frame of that LSN was written. */
  readonly timeMs: number;
  /** Hands out each record once. */
  readonly load: (take: (record: StoredRecord) => void) => void;
  /** Called after every thousandth record that is written. */
  readonly progress?: ((records: number) => void) | undefined;
}

/**
 * Writes snapshot, log and manifest into a directory that holds none of them. The caller syncs the
 * directory and gives it its name.
 * @throws what `load` throws; any error of the disk
 */
export function writeHome(disk: Disk, home: string, content: HomeContent): KeptSnapshot {
  disk.makeDirectory(logDirectory(home));
  disk.makeDirectory(snapshotDirectory(home));
  const { dataSetId, segmentBytes, lsn } = content;
  const position = { sequence: 1, offset: segmentHeaderBytes, lsn, crc: 0 };
  beginSegment(disk, home, { dataSetId, segmentBytes, position });
  return writeRecords(disk, home, content);
}

function writeRecords(disk: Disk, home: string, content: HomeContent): KeptSnapshot {
  const { dataSetId, restoredFrom, lsn, timeMs, load, progress } = content;
  const origin = restoredFrom === undefined ? {} : { restoredFrom };
  const making = new SnapshotInMaking(disk, home, {
    manifest: { dataSetId, snapshots: [], ...origin },
    lsn,
    timeMs,
    snapshotsKept: 1,
  });
  try {
    const packer = new SnapshotPacker();
    let records = 0;
    load((record) => {
      for (const block of packer.add(record)) making.write(block);
      records += 1;
      if (records % recordsBetweenProgress === 0) progress?.(records);
    });
    const { last, counts } = packer.end();
    for (const block of last) making.write(block);
    const [kept] = making.keep(counts).snapshots;
    if (kept === undefined) throw new Error('the manifest names no snapshot');
    return kept;
  } catch (error) {
    making.abandon();
    throw error;
  }
}

const recordsBetweenProgress = 1000;
