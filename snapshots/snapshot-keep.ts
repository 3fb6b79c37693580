// Takes a new snapshot into the home and lets go of what it makes superfluous.

import { join } from 'node:path';

import type { Disk } from '../src/ports.ts';
import { reasonOf } from './errors.ts';
import type { Lsn, StoredRecord } from './journal.ts';
import { logDirectory, segmentPath, snapshotDirectory, snapshotName } from './layout.ts';
import { type KeptSnapshot, type Manifest, temporarySuffix, writeManifest } from './manifest.ts';
import { listSegments } from './segment-list.ts';
import { readSnapshot, SnapshotDamaged, SnapshotWriter } from './snapshot-file.ts';

/** What to snapshot, and how many snapshots a home keeps. */
export interface SnapshotOrder {
  readonly manifest: Manifest;
  readonly lsn: Lsn;
  readonly timeMs: number;
  readonly records: Iterable<StoredRecord>;
  readonly snapshotsKept: number;
}

/**
 * Writes, verifies and names a snapshot, then drops old snapshots and the segments no kept one
 * needs. Answers the new manifest. An error before the manifest is written leaves the home as it
 * was.
 * @throws SnapshotDamaged when what was written does not read back; any error of the disk.
 */
export function keepSnapshot(disk: Disk, home: string, order: SnapshotOrder): Manifest {
  const { manifest, lsn, snapshotsKept } = order;
  const older = manifest.snapshots.filter((snapshot) => snapshot.lsn !== lsn);
  const snapshots = [writeSnapshotFile(disk, home, order), ...older].slice(0, snapshotsKept);
  const next: Manifest = { ...manifest, snapshots };
  writeManifest(disk, home, next);
  dropUnlistedSnapshots(disk, home, next);
  const oldest = snapshots.at(-1);
  // With fewer snapshots than wanted, the log from its start is the second line.
  if (oldest !== undefined && snapshots.length >= snapshotsKept) {
    dropSegmentsBelow(disk, home, oldest.lsn);
  }
  return next;
}

/** Removes snapshots the manifest does not name, finished or not. */
export function dropUnlistedSnapshots(disk: Disk, home: string, manifest: Manifest): void {
  for (const path of unlistedSnapshots(disk, home, manifest)) disk.remove(path);
}

/** Lays them aside as `<name>.cut`: `--recover-to` deletes nothing an operator may regret. */
export function setAsideUnlistedSnapshots(disk: Disk, home: string, manifest: Manifest): void {
  for (const path of unlistedSnapshots(disk, home, manifest)) disk.rename(path, `${path}.cut`);
}

function unlistedSnapshots(disk: Disk, home: string, manifest: Manifest): string[] {
  const listed = new Set(manifest.snapshots.map(({ file }) => file));
  const directory = snapshotDirectory(home);
  return disk.list(directory).flatMap((name) => {
    const ours = name.endsWith('.snap') || name.endsWith(temporarySuffix);
    return ours && !listed.has(name) ? [join(directory, name)] : [];
  });
}

function writeSnapshotFile(disk: Disk, home: string, order: SnapshotOrder): KeptSnapshot {
  const { manifest, lsn, timeMs, records } = order;
  const directory = snapshotDirectory(home);
  const name = snapshotName(lsn);
  const temporary = join(directory, name + temporarySuffix);
  if (disk.exists(temporary)) disk.remove(temporary);
  const file = disk.open(temporary, 'create');
  let written: { readonly records: number; readonly bytes: number };
  try {
    const writer = new SnapshotWriter(file, { dataSetId: manifest.dataSetId, lsn, timeMs });
    for (const record of records) writer.add(record);
    written = writer.finish();
  } finally {
    file.close();
  }
  verify(disk, temporary, written.records);
  disk.rename(temporary, join(directory, name));
  disk.syncDirectory(directory);
  return { file: name, lsn, records: written.records, bytes: written.bytes };
}

function verify(disk: Disk, path: string, records: number): void {
  try {
    const found = readSnapshot(disk, path);
    if (found.records !== records) throw new SnapshotDamaged('it lacks records');
  } catch (error) {
    throw new SnapshotDamaged(`${path} does not read back: ${reasonOf(error)}`, { cause: error });
  }
}

/** Oldest first, so that a crash in between leaves the rest without a gap. */
function dropSegmentsBelow(disk: Disk, home: string, lsn: Lsn): void {
  const segments = listSegments(disk, home).filter(({ header }) => header !== undefined);
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    if (next?.header === undefined || next.header.firstLsn > lsn + 1) break;
    disk.remove(segmentPath(home, segment.sequence));
    disk.syncDirectory(logDirectory(home));
  }
}
