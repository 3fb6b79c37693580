// Creates a home from restored records: a snapshot of them, an empty log after it, and a data set
// of its own.

import type { TreeDisk } from '../../src/platform/ports.ts';
import { RestoreRefused } from '../errors.ts';
import type { KeptSnapshot } from '../journal.ts';
import { type BackupFile, copyFiles, type FileCopy } from './backup.ts';
import type { RestoreSource } from './restore-source.ts';
import { makeWhole, type Placement } from './whole-directory.ts';
import { writeHome } from './written-home.ts';

/** The home to create. */
export interface RestoreOrder extends Placement {
  readonly source: RestoreSource;
  /**
   * Random id of the new data set, 32 hex digits. The old and the new home use the same LSNs for
   * different frames from here on. With one id, a log of one home could be mistaken for the
   * other's.
   */
  readonly newDataSetId: string;
  readonly segmentBytes: number;
  /** Files that are copied into the home. */
  readonly files: readonly FileCopy[];
  /** Their checksums, where these are known. */
  readonly digests?: readonly BackupFile[];
  readonly nowMs: number;
  /** Called after every thousandth record that is written. */
  readonly progress?: (records: number) => void;
}

/**
 * Creates the home; its directory gets its final name last. LSNs continue from those of the source.
 * @throws HomeLocked; RestoreRefused; any error of the disk, with nothing left behind
 */
export function restoreHome(disk: TreeDisk, order: RestoreOrder): KeptSnapshot {
  return makeWhole(disk, order, (home) => {
    const copied = copyFiles(disk, order.files, home);
    const known = new Map(order.digests?.map(({ path, sha256 }) => [path, sha256]));
    const other = copied.find(({ path, sha256 }) => (known.get(path) ?? sha256) !== sha256);
    if (other !== undefined) {
      throw new RestoreRefused(`${other.path} of the backup changed while it was copied.`);
    }
    const { newDataSetId: dataSetId, segmentBytes, source, nowMs, progress } = order;
    const { lsn, timeMs, load } = source;
    const restoredFrom = { dataSetId: source.dataSetId, lsn, atMs: nowMs };
    return writeHome(disk, home, {
      dataSetId,
      restoredFrom,
      segmentBytes,
      lsn,
      timeMs,
      load,
      progress,
    });
  });
}
