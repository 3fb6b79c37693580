// Writes a migrated home: files, records and report. It gets its name last, after a check.

import { dirname, join } from 'node:path';
import { RestoreRefused } from '../../../snapshots/errors.ts';
import { writeNewFile } from '../../../snapshots/home/file-access.ts';
import { refuseIfInUse } from '../../../snapshots/home/lock.ts';
import { makeWhole } from '../../../snapshots/home/whole-directory.ts';
import { writeHome } from '../../../snapshots/home/written-home.ts';
import type { KeptSnapshot, StoredRecord } from '../../../snapshots/journal.ts';
import type { TreeDisk } from '../../platform/ports.ts';
import { firstLsn } from './new-records.ts';

/** The home to write. */
export interface HomeOrder {
  readonly target: string;
  /** Texts by their paths below the home. */
  readonly files: ReadonlyMap<string, string>;
  /** Hands out each record once, and lets go of them. */
  readonly load: (take: (record: StoredRecord) => void) => void;
  /** Random id of the data set, 32 hex digits. */
  readonly dataSetId: string;
  readonly segmentBytes: number;
  readonly nowMs: number;
  /** Called after every thousandth record that is written. */
  readonly progress: (records: number) => void;
  /** Looks at the whole home before it gets its name; if it throws, nothing is left. */
  readonly check: (directory: string) => void;
}

/** @throws RestoreRefused; HomeLocked for a home that a process uses; errors of the disk */
export function refuseExisting(disk: TreeDisk, home: string): void {
  if (!disk.exists(home)) return;
  refuseIfInUse(disk, home);
  if (disk.entries(home).length === 0) return;
  throw new RestoreRefused(
    `${home} is not empty: a network is taken over into a home of its own, so name another directory.`,
  );
}

/**
 * Writes the home; after a crash there is either nothing of it or all.
 * @throws HomeLocked; RestoreRefused; what `check` throws; any error of the disk, with nothing left
 *   behind
 */
export function buildHome(disk: TreeDisk, order: HomeOrder): KeptSnapshot {
  return makeWhole(disk, { target: order.target }, (directory) => {
    writeFiles(disk, directory, order.files);
    const { dataSetId, segmentBytes, nowMs: timeMs, load, progress } = order;
    const content = { dataSetId, segmentBytes, lsn: firstLsn, timeMs, load, progress };
    const kept = writeHome(disk, directory, content);
    order.check(directory);
    return kept;
  });
}

/** Files get mode 0600 and directories 0700, as the disk creates all. */
function writeFiles(disk: TreeDisk, home: string, files: ReadonlyMap<string, string>): void {
  const directories = new Set<string>();
  for (const [path, text] of files) {
    const file = join(home, path);
    const directory = dirname(file);
    if (directory !== home && !directories.has(directory)) {
      disk.makeDirectory(directory);
      directories.add(directory);
    }
    writeNewFile(disk, file, text);
  }
  for (const directory of directories) disk.syncDirectory(directory);
}
