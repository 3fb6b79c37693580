// Checks whether the positions of a serving journal and the files of its home agree, as far as this
// can be told without reading the files through.

import { join } from 'node:path';

import type { Disk } from '../../src/platform/ports.ts';
import { reasonOf } from '../errors.ts';
import { withFile } from '../home/file-access.ts';
import { logDirectory, segmentPath, sequenceOf, snapshotDirectory } from '../home/layout.ts';
import { type Manifest, readManifest } from '../home/manifest.ts';
import type { JournalFault, KeptSnapshot, Lsn } from '../journal.ts';
import type { SegmentHeader } from '../log/segment.ts';
import { headerOf } from '../log/segment-list.ts';
import { readSnapshotHeader } from '../snapshot/snapshot-file.ts';

/** The positions of a journal. */
export interface JournalPosition {
  readonly lastLsn: Lsn;
  readonly durableLsn: Lsn;
  readonly manifest: Manifest;
}

/** The input of a check. */
export interface PositionCheck {
  readonly disk: Disk;
  readonly home: string;
  /** The present position; undefined while a snapshot is being written, which changes files. */
  readonly position: () => JournalPosition | undefined;
  /** Told of a snapshot that must not be relied on. */
  readonly unsound: (file: string) => void;
}

/** Checks one file per step, and reads only its header. Ends when a snapshot begins. */
export function* positionFaults(check: PositionCheck): Generator<JournalFault | undefined> {
  const position = check.position();
  if (position === undefined) return;
  yield* orderFaults(position);
  yield manifestFault(check, position.manifest);
  for (const snapshot of position.manifest.snapshots) {
    if (check.position() === undefined) return;
    const reason = snapshotFault(check, snapshot, position.manifest.dataSetId);
    if (reason !== undefined) check.unsound(snapshot.file);
    yield reason === undefined
      ? undefined
      : bySnapshot(`the snapshot ${snapshot.file}, which the manifest names, ${reason}`);
  }
  yield* segmentFaults(check);
}

const restart =
  'stop the controller, look at the home with edge-control check, and start it again or restore';

function bySnapshot(description: string): JournalFault {
  return { description, fixedBySnapshot: true, advice: 'take a snapshot' };
}

function* orderFaults({ lastLsn, durableLsn, manifest }: JournalPosition): Generator<JournalFault> {
  const newest = manifest.snapshots[0]?.lsn ?? 0;
  const fault = (description: string) => ({
    description,
    fixedBySnapshot: false,
    advice: restart,
  });
  if (!(durableLsn <= lastLsn)) {
    yield fault(`frame ${durableLsn} is said to be durable, and ${lastLsn} is the newest`);
  }
  if (!(newest <= durableLsn)) {
    yield fault(`the newest snapshot is of frame ${newest}, and only ${durableLsn} is durable`);
  }
  for (const [index, { lsn }] of manifest.snapshots.entries()) {
    const older = manifest.snapshots[index + 1]?.lsn ?? -1;
    if (!(older < lsn))
      yield fault(`the manifest names a snapshot of frame ${older} behind ${lsn}`);
  }
}

function manifestFault({ disk, home, position }: PositionCheck, known: Manifest) {
  try {
    const found = readManifest(disk, home);
    if (found === undefined) return bySnapshot('the manifest is missing');
    if (JSON.stringify(found) === JSON.stringify(known)) return undefined;
  } catch {
    return bySnapshot('the manifest does not read');
  }
  // A snapshot that is being written is in the manifest before the journal knows of it.
  return position() === undefined ? undefined : bySnapshot('the manifest is not as it was written');
}

function snapshotFault(
  { disk, home }: PositionCheck,
  { file, lsn, bytes }: KeptSnapshot,
  dataSetId: string,
): string | undefined {
  const path = join(snapshotDirectory(home), file);
  if (!disk.exists(path)) return 'is missing';
  try {
    const found = withFile(disk, path, 'read', (opened) => opened.size());
    if (found !== bytes) return `has ${found} bytes, not ${bytes}`;
    const header = readSnapshotHeader(disk, path);
    if (header.dataSetId !== dataSetId) return 'is of another data set';
    return header.lsn === lsn ? undefined : `is of frame ${header.lsn}, not ${lsn}`;
  } catch (error) {
    return `does not read: ${reasonOf(error)}`;
  }
}

/**
 * Checks that the segments are as a start needs them: without gaps, from the oldest snapshot on.
 */
function* segmentFaults(check: PositionCheck): Generator<JournalFault | undefined> {
  const { disk, home } = check;
  const sequences = disk.list(logDirectory(home)).flatMap((name) => sequenceOf(name) ?? []);
  let before: SegmentHeader | undefined;
  for (const [index, sequence] of sequences.entries()) {
    const position = check.position();
    if (position === undefined) return;
    const header = headerOf(disk, segmentPath(home, sequence));
    // The newest may be a segment that was prepared in advance.
    if (header === undefined && index === sequences.length - 1) break;
    const last = sequences[index - 1] ?? sequence - 1;
    const reason = segmentFault(header, sequence, last, position);
    yield reason === undefined ? undefined : inTheLog(`the log segment ${sequence} ${reason}`);
    if (before === undefined && header !== undefined) yield beginningFault(check, header, position);
    before ??= header;
  }
  if (before === undefined && check.position() !== undefined) {
    yield inTheLog('the log has no segment that reads');
  }
}

function inTheLog(description: string): JournalFault {
  const advice =
    'a start would refuse it; take a snapshot and restore that to another home, then look at the disk';
  return { description, fixedBySnapshot: false, advice };
}

function segmentFault(
  header: SegmentHeader | undefined,
  sequence: number,
  last: number,
  { manifest, lastLsn }: JournalPosition,
): string | undefined {
  if (sequence !== last + 1) return `follows ${last}`;
  if (header === undefined) return 'has no header that reads';
  if (header.dataSetId !== manifest.dataSetId) return 'is of another data set';
  if (header.sequence !== sequence) return `says that it is ${header.sequence}`;
  return header.firstLsn > lastLsn + 1
    ? `begins with frame ${header.firstLsn}, not yet made`
    : undefined;
}

/** A snapshot after which the log does not continue is useless, and another one replaces it. */
function beginningFault(
  { unsound }: PositionCheck,
  { firstLsn }: SegmentHeader,
  { manifest }: JournalPosition,
): JournalFault | undefined {
  const unusable = manifest.snapshots.filter(({ lsn }) => lsn + 1 < firstLsn);
  if (unusable.length === 0 && (manifest.snapshots.length > 0 || firstLsn === 1)) return undefined;
  for (const { file } of unusable) unsound(file);
  const oldest = manifest.snapshots.at(-1)?.lsn ?? 0;
  return bySnapshot(`the log begins with frame ${firstLsn}, and not behind ${oldest}`);
}
