// Checks the manifest against the files, and every block of every snapshot it names.

import { join } from 'node:path';

import type { Disk } from '../../src/platform/ports.ts';
import { LogCorrupt, NewerFormat, reasonOf } from '../errors.ts';
import { manifestPath, snapshotDirectory } from '../home/layout.ts';
import { type Manifest, readManifest } from '../home/manifest.ts';
import { rebuiltManifest } from '../home/recovery.ts';
import type { KeptSnapshot, StoredRecord } from '../journal.ts';
import { readSnapshot } from '../snapshot/snapshot-file.ts';
import type { FileFinding } from './check-log.ts';

/** The input of a check and the functions that it reports to. */
export interface SnapshotCheck {
  readonly disk: Disk;
  readonly home: string;
  readonly found: (finding: FileFinding) => void;
  /** Told of each record. If it throws, the check ends. */
  readonly take: (record: StoredRecord) => void;
  /** Told before each snapshot is read. */
  readonly reading: (snapshot: number, snapshots: number) => void;
}

/**
 * The manifest, or one that is rebuilt from the other files if it is damaged or missing; undefined
 * when there is nothing at all.
 * @throws NewerFormat
 */
export function checkedManifest(
  check: Omit<SnapshotCheck, 'take' | 'reading'>,
): Manifest | undefined {
  const { disk, home, found } = check;
  const advice =
    'restore a backup, or start with --recover-to and the last LSN to keep, which creates it again';
  const file = manifestPath(home);
  let what = 'is missing';
  try {
    const manifest = readManifest(disk, home);
    if (manifest !== undefined) return manifest;
  } catch (error) {
    if (!(error instanceof LogCorrupt)) throw error;
    what = 'does not read, or its checksum does not fit';
  }
  try {
    const rebuilt = rebuiltManifest(disk, home);
    found({ file, what, advice });
    return rebuilt;
  } catch (error) {
    if (error instanceof LogCorrupt) return undefined;
    throw error;
  }
}

/** Checks all snapshots. @returns those that are sound, newest first. @throws NewerFormat */
export function checkSnapshots(check: SnapshotCheck, manifest: Manifest): KeptSnapshot[] {
  const { snapshots, dataSetId } = manifest;
  const disordered = snapshots.findIndex(
    ({ lsn }, index) => index > 0 && lsn >= (snapshots[index - 1]?.lsn ?? 0),
  );
  if (disordered >= 0) {
    const what = 'the snapshots are not named newest first';
    check.found({ file: manifestPath(check.home), what, advice: newOne });
  }
  return snapshots.filter((kept, index) => {
    check.reading(index + 1, snapshots.length);
    const file = join(snapshotDirectory(check.home), kept.file);
    const what = problemOf(check, file, kept, dataSetId);
    if (what !== undefined) check.found({ file, lsn: kept.lsn, what, advice: older });
    return what === undefined;
  });
}

function problemOf(
  { disk, take }: SnapshotCheck,
  path: string,
  kept: KeptSnapshot,
  dataSetId: string,
): string | undefined {
  if (!disk.exists(path)) return 'is missing, though the manifest names it';
  const kinds = new Map<string, number>();
  let late: StoredRecord | undefined;
  // Blocks first, so that damaged bytes are not decoded.
  try {
    readSnapshot(disk, path);
  } catch (error) {
    if (error instanceof NewerFormat) throw error;
    return `is damaged: ${reasonOf(error)}`;
  }
  const counting = (record: StoredRecord): void => {
    kinds.set(record.kind, (kinds.get(record.kind) ?? 0) + 1);
    if (record.lsn > kept.lsn) late ??= record;
    take(record);
  };
  const read = readSnapshot(disk, path, counting);
  if (read.dataSetId !== dataSetId) return `is of the data set ${read.dataSetId}`;
  if (read.lsn !== kept.lsn) return `is of LSN ${read.lsn}, the manifest says ${kept.lsn}`;
  // A rebuilt manifest does not know.
  const isKnown = kept.bytes > 0;
  if (isKnown && read.records !== kept.records) {
    return `holds ${read.records} records, the manifest says ${kept.records}`;
  }
  for (const [kind, count] of Object.entries(read.kinds)) {
    if (kinds.get(kind) === count) continue;
    return `holds ${kinds.get(kind) ?? 0} records of the kind ${kind}, its footer says ${count}`;
  }
  if (late !== undefined) return `holds the ${late.kind} ${late.id} of the later LSN ${late.lsn}`;
  return undefined;
}

const older = 'start all the same: an older one and the log serve; or restore a backup';
const newOne = 'have a new snapshot made';
