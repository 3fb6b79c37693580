// Puts a snapshot of the cluster in the place of what a home holds, and lays the old data aside.

import { basename, dirname, join } from 'node:path';

import type { TreeDisk } from '../../src/platform/ports.ts';
import type { Lsn } from '../journal.ts';
import { segmentHeaderBytes, syncOrFail } from '../log/segment.ts';
import { readSnapshot, SnapshotDamaged } from '../snapshot/snapshot-file.ts';
import { withFile } from './file-access.ts';
import { logDirectory, manifestPath, snapshotDirectory, snapshotName } from './layout.ts';
import { acquireLock } from './lock.ts';
import { type Manifest, readManifest, writeManifest } from './manifest.ts';
import { beginSegment } from './repair.ts';

/** The state from which the home goes on. */
export interface ReplacementOrder {
  readonly home: string;
  /** The LSN of the snapshot, and the checksum of the frame with that LSN. */
  readonly lsn: Lsn;
  readonly crc: number;
  /** The term of that frame, as far as it is known; 0 otherwise. */
  readonly term: number;
  readonly segmentBytes: number;
  /** Writes the file of the snapshot to a path that does not exist. */
  readonly download: (path: string) => Promise<void>;
}

/**
 * Replaces log, snapshots and manifest of a clustered home. What was there before is kept in
 * `<home>/aside`, in place of what an earlier replacement left there. A crash in the middle leaves
 * a home without a manifest, which no start takes for a whole one, so it is replaced again;
 * `interruptedManifest` finds the data set of such a home.
 * @returns the data set of the snapshot
 * @throws HomeLocked; SnapshotDamaged; what `download` rejects with; any error of the disk
 */
export async function replaceHome(disk: TreeDisk, order: ReplacementOrder): Promise<string> {
  const { home } = order;
  const release = acquireLock(disk, home);
  const incoming = incomingPath(home);
  try {
    disk.removeTree(incoming);
    const dataSetId = await build(disk, incoming, order);
    layAside(disk, home);
    for (const path of dataPaths) move(disk, path(incoming), path(home));
    return dataSetId;
  } finally {
    disk.removeTree(incoming);
    release();
  }
}

/**
 * The manifest of a home whose replacement was interrupted, from where it was left; undefined if
 * there is none, because the home had none before and the new data was not whole.
 * @throws NewerFormat; LogCorrupt when it is unreadable
 */
export function interruptedManifest(disk: TreeDisk, home: string): Manifest | undefined {
  return readManifest(disk, incomingPath(home)) ?? readManifest(disk, asidePath(home));
}

function incomingPath(home: string): string {
  return join(home, 'incoming');
}

function asidePath(home: string): string {
  return join(home, 'aside');
}

/** The manifest is moved first out and last in, so that it never stands beside other data. */
const dataPaths = [logDirectory, snapshotDirectory, manifestPath] as const;

async function build(disk: TreeDisk, home: string, order: ReplacementOrder): Promise<string> {
  const { lsn, crc, term, segmentBytes, download } = order;
  for (const path of [home, logDirectory(home), snapshotDirectory(home)]) disk.makeDirectory(path);
  const file = snapshotName(lsn);
  const path = join(snapshotDirectory(home), file);
  await download(path);
  const bytes = withFile(disk, path, 'edit', (opened) => {
    syncOrFail(() => opened.sync());
    return opened.size();
  });
  const found = readSnapshot(disk, path);
  if (found.lsn !== lsn) throw new SnapshotDamaged(`it is of LSN ${found.lsn}, not ${lsn}`);
  const { dataSetId, records } = found;
  const position = { sequence: 1, offset: segmentHeaderBytes, lsn, crc };
  beginSegment(disk, home, { dataSetId, segmentBytes, position, clusterTerm: term });
  for (const directory of [logDirectory(home), snapshotDirectory(home)]) {
    syncOrFail(() => disk.syncDirectory(directory));
  }
  writeManifest(disk, home, { dataSetId, snapshots: [{ file, lsn, records, bytes }] });
  return dataSetId;
}

/** After a crash in the middle, what the home still has beside its former manifest is discarded. */
function layAside(disk: TreeDisk, home: string): void {
  const aside = asidePath(home);
  if (disk.exists(manifestPath(home))) disk.removeTree(aside);
  disk.makeDirectory(aside);
  for (const path of dataPaths.toReversed()) {
    if (!disk.exists(path(home))) continue;
    if (disk.exists(path(aside))) discard(disk, path(home));
    else move(disk, path(home), path(aside));
  }
}

/** Names in a directory must be durable before it is renamed, and its own in both places after. */
function move(disk: TreeDisk, from: string, to: string): void {
  if (isDirectory(from)) syncOrFail(() => disk.syncDirectory(from));
  disk.rename(from, to);
  for (const path of [to, from]) syncOrFail(() => disk.syncDirectory(dirname(path)));
}

function discard(disk: TreeDisk, path: string): void {
  if (isDirectory(path)) disk.removeTree(path);
  else disk.remove(path);
  syncOrFail(() => disk.syncDirectory(dirname(path)));
}

function isDirectory(path: string): boolean {
  return basename(path) !== basename(manifestPath(path));
}
