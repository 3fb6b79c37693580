// Takes a new snapshot into the home and drops the files that it makes superfluous.

import { join } from 'node:path';

import type { Disk, DiskFile } from '../../src/platform/ports.ts';
import { reasonOf } from '../errors.ts';
import { logDirectory, segmentPath, snapshotDirectory, snapshotName } from '../home/layout.ts';
import { type Manifest, temporarySuffix, writeManifest } from '../home/manifest.ts';
import type { Lsn } from '../journal.ts';
import { listSegments } from '../log/segment-list.ts';
import {
  type PackedBlock,
  type PackedCounts,
  readSnapshot,
  SnapshotDamaged,
  SnapshotWriter,
} from './snapshot-file.ts';

/** The state of which a snapshot is taken, and how many snapshots a home keeps. Plain data. */
export interface SnapshotOrder {
  readonly manifest: Manifest;
  readonly lsn: Lsn;
  readonly timeMs: number;
  readonly snapshotsKept: number;
}

/**
 * A snapshot that is being written: a temporary file that takes blocks until it is kept or given
 * up. An error before the manifest is written leaves the home as it was.
 */
export class SnapshotInMaking {
  readonly #disk: Disk;
  readonly #home: string;
  readonly #order: SnapshotOrder;
  readonly #name: string;
  readonly #temporary: string;
  readonly #file: DiskFile;
  readonly #writer: SnapshotWriter;
  #isOpen = true;

  /** Opens the temporary file. @throws any error of the disk. */
  constructor(disk: Disk, home: string, order: SnapshotOrder) {
    this.#disk = disk;
    this.#home = home;
    this.#order = order;
    this.#name = snapshotName(order.lsn);
    this.#temporary = join(snapshotDirectory(home), this.#name + temporarySuffix);
    if (disk.exists(this.#temporary)) disk.remove(this.#temporary);
    this.#file = disk.open(this.#temporary, 'create');
    const { manifest, lsn, timeMs } = order;
    try {
      this.#writer = new SnapshotWriter(this.#file, { dataSetId: manifest.dataSetId, lsn, timeMs });
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /** @throws any error of the disk. */
  write(block: PackedBlock): void {
    this.#writer.write(block);
  }

  /**
   * Makes the snapshot durable, reads it back and names it in the manifest. Then it drops old
   * snapshots and the segments that no kept snapshot needs. It must be called once the log is
   * durable up to the snapshot's LSN. Returns the new manifest.
   * @throws SnapshotDamaged when what was written does not read back; any error of the disk.
   */
  keep(counts: PackedCounts): Manifest {
    const bytes = this.#writer.finish(counts);
    this.#close();
    verify(this.#disk, this.#temporary, counts.records);
    const directory = snapshotDirectory(this.#home);
    this.#disk.rename(this.#temporary, join(directory, this.#name));
    this.#disk.syncDirectory(directory);
    const { manifest, lsn, snapshotsKept } = this.#order;
    const kept = { file: this.#name, lsn, records: counts.records, bytes };
    const older = manifest.snapshots.filter((snapshot) => snapshot.lsn !== lsn);
    const next = { ...manifest, snapshots: [kept, ...older].slice(0, snapshotsKept) };
    writeManifest(this.#disk, this.#home, next);
    dropUnlistedSnapshots(this.#disk, this.#home, next);
    dropUnneededSegments(this.#disk, this.#home, next, snapshotsKept);
    return next;
  }

  /** Gives the snapshot up and frees its space. Never throws: a start removes what may be left. */
  abandon(): void {
    try {
      this.#close();
      if (this.#disk.exists(this.#temporary)) this.#disk.remove(this.#temporary);
    } catch {
      // The original error is the one to report.
    }
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#file.close();
  }
}

/** Removes snapshots that the manifest does not name, complete or not. */
export function dropUnlistedSnapshots(disk: Disk, home: string, manifest: Manifest): void {
  for (const path of unlistedSnapshots(disk, home, manifest)) disk.remove(path);
}

/** Renames them to `<name>.cut`: `--recover-to` deletes nothing that an operator may need. */
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

function verify(disk: Disk, path: string, records: number): void {
  try {
    const found = readSnapshot(disk, path);
    if (found.records !== records) throw new SnapshotDamaged('it lacks records');
  } catch (error) {
    throw new SnapshotDamaged(`${path} does not read back: ${reasonOf(error)}`, { cause: error });
  }
}

/** Deletes the oldest first, so that a crash in between leaves no gap in the rest. */
function dropUnneededSegments(
  disk: Disk,
  home: string,
  { snapshots }: Manifest,
  snapshotsKept: number,
): void {
  const [newest] = snapshots;
  const oldest = snapshots.at(-1);
  // With fewer snapshots than wanted, the log from its start is the fallback.
  if (newest === undefined || oldest === undefined || snapshots.length < snapshotsKept) return;
  // The log is durable up to the newest snapshot: only a frame before it proves a header durable.
  const firstLsnMax = Math.min(oldest.lsn + 1, newest.lsn);
  const segments = listSegments(disk, home).filter(({ header }) => header !== undefined);
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    if (next?.header === undefined || next.header.firstLsn > firstLsnMax) break;
    disk.remove(segmentPath(home, segment.sequence));
    disk.syncDirectory(logDirectory(home));
  }
}
