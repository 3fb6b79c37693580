// Finds the newest state a home holds: a snapshot, then frames. It changes nothing on disk.

import { join } from 'node:path';

import type { Disk } from '../../src/platform/ports.ts';
import { LogCorrupt, NewerFormat, reasonOf } from '../errors.ts';
import type { KeptSnapshot, Lsn, StoredRecord } from '../journal.ts';
import { type ReplayedLog, type ReplayOrder, replayLog } from '../log/replay.ts';
import { listSegments } from '../log/segment-list.ts';
import { readSnapshot, readSnapshotHeader, SnapshotDamaged } from '../snapshot/snapshot-file.ts';
import { manifestPath, snapshotDirectory } from './layout.ts';
import { type Manifest, readManifest } from './manifest.ts';
import type { RecordHistory } from './open-options.ts';

/** The content of a home. */
export interface RecoveredHome {
  /** The manifest without the snapshots that were passed over. */
  readonly manifest: Manifest;
  readonly snapshotLsn: Lsn;
  readonly log: ReplayedLog;
  readonly damagedSnapshots: readonly { readonly file: string; readonly reason: string }[];
  /** Hands out each live record once and returns how many there were. */
  readonly load: (
    take: (record: StoredRecord) => void,
    history?: RecordHistory | undefined,
  ) => number;
}

/**
 * Recovers a home. All of it is verified before a single record is handed out. The snapshot and the
 * log are then read a second time, because keeping them would take more memory than the controller
 * needs once it runs.
 * @throws LogCorrupt; NewerFormat; RecoverToUnreachable
 */
export function recoverHome(
  disk: Disk,
  home: string,
  manifest: Manifest,
  recoverToLsn: Lsn | undefined,
): RecoveredHome {
  const wanted = manifest.snapshots.filter(({ lsn }) => lsn <= (recoverToLsn ?? lsn));
  const choice = chooseSnapshot(disk, home, manifest.dataSetId, wanted);
  const changes = new LatestChanges();
  const replay: Replay = (snapshotLsn, apply) =>
    replayLog(disk, home, {
      dataSetId: manifest.dataSetId,
      snapshotLsn,
      snapshotTimeMs: choice.timeMs,
      recoverToLsn,
      apply,
    });
  const log = replayed(choice, (snapshotLsn) =>
    replay(snapshotLsn, (kind, id, record) => changes.note(kind, id, record)),
  );
  const path = choice.kept && join(snapshotDirectory(home), choice.kept.file);
  const sound = wanted.filter(({ file }) => !choice.damaged.some((bad) => bad.file === file));
  const snapshotLsn = choice.kept?.lsn ?? 0;
  return {
    manifest: { ...manifest, snapshots: sound },
    snapshotLsn,
    log,
    damagedSnapshots: choice.damaged,
    load: (take, history) => {
      const latest = log.repair.beginAnew ? new LatestChanges() : changes;
      const again = (apply: Apply) => replay(snapshotLsn, apply);
      return loadRecords(disk, path, latest, again, take, history);
    },
  };
}

/**
 * Rebuilds a manifest from the files in the home, for `--recover-to` when the real one is damaged
 * or missing.
 * @throws LogCorrupt when no file says which data set this is.
 */
export function rebuiltManifest(disk: Disk, home: string): Manifest {
  const directory = snapshotDirectory(home);
  const snapshots: KeptSnapshot[] = [];
  let dataSetId = listSegments(disk, home).find(({ header }) => header !== undefined)?.header
    ?.dataSetId;
  for (const file of disk.list(directory).toReversed()) {
    if (!file.endsWith('.snap')) continue;
    const header = soundHeader(disk, join(directory, file));
    if (header === undefined) continue;
    dataSetId ??= header.dataSetId;
    snapshots.push({ file, lsn: header.lsn, records: 0, bytes: 0 });
  }
  if (dataSetId !== undefined) return { dataSetId, snapshots };
  throw new LogCorrupt({ file: manifestPath(home), offset: 0, lsn: 1 }, 'nothing else is there');
}

/** @throws as `readManifest`; with `recoverToLsn` a damaged or missing manifest is rebuilt. */
export function manifestFor(
  disk: Disk,
  home: string,
  recoverToLsn: Lsn | undefined,
): Manifest | undefined {
  try {
    const manifest = readManifest(disk, home);
    if (manifest !== undefined || recoverToLsn === undefined) return manifest;
  } catch (error) {
    if (!(error instanceof LogCorrupt) || recoverToLsn === undefined) throw error;
  }
  return rebuiltManifest(disk, home);
}

interface SnapshotChoice {
  readonly kept: KeptSnapshot | undefined;
  readonly timeMs: number;
  readonly damaged: { readonly file: string; readonly reason: string }[];
}

/** The newest snapshot that passes verification. */
function chooseSnapshot(
  disk: Disk,
  home: string,
  dataSetId: string,
  snapshots: readonly KeptSnapshot[],
): SnapshotChoice {
  const damaged: SnapshotChoice['damaged'] = [];
  for (const kept of snapshots) {
    try {
      const found = readSnapshot(disk, join(snapshotDirectory(home), kept.file));
      if (found.dataSetId !== dataSetId) throw new SnapshotDamaged(`it is of ${found.dataSetId}`);
      if (found.lsn !== kept.lsn) throw new SnapshotDamaged(`it is of LSN ${found.lsn}`);
      return { kept, timeMs: found.timeMs, damaged };
    } catch (error) {
      if (error instanceof NewerFormat) throw error;
      damaged.push({ file: kept.file, reason: reasonOf(error) });
    }
  }
  return { kept: undefined, timeMs: 0, damaged };
}

/** If the log does not reach back far enough, the snapshots that were passed over are to blame. */
function replayed(
  { kept, damaged }: SnapshotChoice,
  replay: (snapshotLsn: Lsn) => ReplayedLog,
): ReplayedLog {
  try {
    return replay(kept?.lsn ?? 0);
  } catch (error) {
    if (!(error instanceof LogCorrupt) || damaged.length === 0) throw error;
    const snapshots = damaged.map(({ file, reason }) => `${file}: ${reason}`).join(', ');
    throw new LogCorrupt(error, `${error.reason}; snapshots do not read: ${snapshots}`);
  }
}

/** Takes each change of the log after a snapshot, like `ReplayOrder.apply`. */
type Apply = ReplayOrder['apply'];
type Replay = (snapshotLsn: Lsn, apply: Apply) => ReplayedLog;

/** Remembers which frame last changed each record since the snapshot. */
export class LatestChanges {
  readonly #kinds = new Map<string, Map<string, Lsn>>();

  /** Notes a change later than those noted before; null is a deletion. */
  note(kind: string, id: string, record: StoredRecord | null): void {
    const lsn = record?.lsn ?? deleted;
    const changes = this.#kinds.get(kind);
    if (changes === undefined) this.#kinds.set(kind, new Map([[id, lsn]]));
    else changes.set(id, lsn);
  }

  get isEmpty(): boolean {
    return this.#kinds.size === 0;
  }

  has(kind: string, id: string): boolean {
    return this.#kinds.get(kind)?.has(id) ?? false;
  }

  /** Whether no later frame changed or deleted the record. */
  isLatest({ kind, id, lsn }: StoredRecord): boolean {
    return this.#kinds.get(kind)?.get(id) === lsn;
  }
}

/** An LSN that no frame has. */
const deleted = 0;

/**
 * Hands out the live records: those of the snapshot that did not change, then the changed ones.
 * Returns how many there were.
 * @param replay goes through the changes of the log once more.
 */
export function loadRecords(
  disk: Disk,
  snapshotPath: string | undefined,
  changes: LatestChanges,
  replay: (apply: Apply) => unknown,
  take: (record: StoredRecord) => void,
  history?: RecordHistory,
): number {
  let records = 0;
  const takeOne = (record: StoredRecord) => {
    records++;
    take(record);
  };
  if (snapshotPath !== undefined) {
    readSnapshot(disk, snapshotPath, (record) => {
      if (record.kind === history?.kind) history.take(record);
      if (!changes.has(record.kind, record.id)) takeOne(record);
    });
  }
  if (!changes.isEmpty) {
    replay((kind, _id, record) => {
      if (kind === history?.kind && record !== null) history.take(record);
      if (record !== null && changes.isLatest(record)) takeOne(record);
    });
  }
  return records;
}

function soundHeader(disk: Disk, path: string): ReturnType<typeof readSnapshotHeader> | undefined {
  try {
    return readSnapshotHeader(disk, path);
  } catch (error) {
    if (error instanceof SnapshotDamaged) return undefined;
    throw error;
  }
}
