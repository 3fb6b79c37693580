// Finds the newest state a home holds: snapshot, then frames. Changes nothing on disk.

import { join } from 'node:path';

import type { Disk } from '../src/ports.ts';
import { LogCorrupt, NewerFormat, reasonOf } from './errors.ts';
import type { Lsn, StoredRecord } from './journal.ts';
import { manifestPath, snapshotDirectory } from './layout.ts';
import { type KeptSnapshot, type Manifest, readManifest } from './manifest.ts';
import { eachPacked, type PackedReader } from './packed-reader.ts';
import { type ReplayedLog, replayLog } from './replay.ts';
import { listSegments } from './segment-list.ts';
import {
  readPackedSnapshot,
  readSnapshot,
  readSnapshotHeader,
  SnapshotDamaged,
} from './snapshot-file.ts';

/** What a home holds. */
export interface RecoveredHome {
  /** Without the snapshots that were passed over. */
  readonly manifest: Manifest;
  readonly snapshotLsn: Lsn;
  readonly log: ReplayedLog;
  readonly damagedSnapshots: readonly { readonly file: string; readonly reason: string }[];
  /**
   * Hands out each live record once and answers how many there were. With `takePacked` those of the
   * snapshot come as they stand there, where its blocks were kept.
   */
  readonly load: (
    take: (record: StoredRecord) => void,
    takePacked?: (record: PackedReader) => void,
  ) => number;
}

/**
 * Recovers a home. All of it is verified before a single record is handed out. What the log changed
 * since the snapshot is held in memory; the snapshot itself only where `keepsBlocks` says so.
 * @param keepsBlocks what is verified of the snapshot stays in memory and is handed out packed, for
 *   who keeps it anyway; else it is read a second time
 * @throws LogCorrupt; NewerFormat; RecoverToUnreachable
 */
export function recoverHome(
  disk: Disk,
  home: string,
  manifest: Manifest,
  recoverToLsn: Lsn | undefined,
  keepsBlocks = false,
): RecoveredHome {
  const wanted = manifest.snapshots.filter(({ lsn }) => lsn <= (recoverToLsn ?? lsn));
  const choice = chooseSnapshot(disk, home, manifest.dataSetId, wanted, keepsBlocks);
  const changed = new ChangedRecords();
  const log = replayed(choice, (snapshotLsn) =>
    replayLog(disk, home, {
      ...{ dataSetId: manifest.dataSetId, snapshotLsn, snapshotTimeMs: choice.timeMs },
      recoverToLsn,
      apply: (kind, id, record) => changed.set(kind, id, record),
    }),
  );
  const path = choice.kept && join(snapshotDirectory(home), choice.kept.file);
  const sound = wanted.filter(({ file }) => !choice.damaged.some((bad) => bad.file === file));
  return {
    manifest: { ...manifest, snapshots: sound },
    snapshotLsn: choice.kept?.lsn ?? 0,
    log,
    damagedSnapshots: choice.damaged,
    load: (take, takePacked) => {
      const latest = log.repair.beginAnew ? new ChangedRecords() : changed;
      if (takePacked === undefined || choice.blocks === undefined) {
        return loadRecords(disk, path, latest, take);
      }
      return loadBlocks(choice.blocks, latest, take, takePacked);
    },
  };
}

/**
 * A manifest from what lies around, for `--recover-to` when the real one is damaged or gone.
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
  /** Its packed records, where they are kept. */
  readonly blocks: readonly Buffer[] | undefined;
  readonly damaged: { readonly file: string; readonly reason: string }[];
}

/** The newest snapshot that verifies. */
function chooseSnapshot(
  disk: Disk,
  home: string,
  dataSetId: string,
  snapshots: readonly KeptSnapshot[],
  keepsBlocks: boolean,
): SnapshotChoice {
  const damaged: SnapshotChoice['damaged'] = [];
  for (const kept of snapshots) {
    try {
      const path = join(snapshotDirectory(home), kept.file);
      const blocks: Buffer[] | undefined = keepsBlocks ? [] : undefined;
      const found =
        blocks === undefined
          ? readSnapshot(disk, path)
          : readPackedSnapshot(disk, path, (payload) => void blocks.push(payload));
      if (found.dataSetId !== dataSetId) throw new SnapshotDamaged(`it is of ${found.dataSetId}`);
      if (found.lsn !== kept.lsn) throw new SnapshotDamaged(`it is of LSN ${found.lsn}`);
      return { kept, timeMs: found.timeMs, blocks, damaged };
    } catch (error) {
      if (error instanceof NewerFormat) throw error;
      damaged.push({ file: kept.file, reason: reasonOf(error) });
    }
  }
  return { kept: undefined, timeMs: 0, blocks: undefined, damaged };
}

/** Where the log does not reach back, the snapshots that were passed over are to blame. */
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

/**
 * What the log changed since the snapshot: the last version of each record, null for a deletion.
 */
export class ChangedRecords {
  readonly #kinds = new Map<string, Map<string, StoredRecord | null>>();

  set(kind: string, id: string, record: StoredRecord | null): void {
    const records = this.#kinds.get(kind);
    if (records === undefined) this.#kinds.set(kind, new Map([[id, record]]));
    else records.set(id, record);
  }

  get isEmpty(): boolean {
    return this.#kinds.size === 0;
  }

  has(kind: string, id: string): boolean {
    return this.#kinds.get(kind)?.has(id) ?? false;
  }

  *live(): Generator<StoredRecord> {
    for (const records of this.#kinds.values()) {
      for (const record of records.values()) if (record !== null) yield record;
    }
  }
}

/**
 * Hands out what is live: the snapshot's records but for those that changed, then the changed ones.
 * Answers how many there were.
 */
export function loadRecords(
  disk: Disk,
  snapshotPath: string | undefined,
  changed: ChangedRecords,
  take: (record: StoredRecord) => void,
): number {
  let records = 0;
  if (snapshotPath !== undefined) {
    readSnapshot(disk, snapshotPath, (record) => {
      if (changed.has(record.kind, record.id)) return;
      records++;
      take(record);
    });
  }
  return records + loadChanged(changed, take);
}

/** As `loadRecords`, from blocks in memory. */
function loadBlocks(
  blocks: readonly Buffer[],
  changed: ChangedRecords,
  take: (record: StoredRecord) => void,
  takePacked: (record: PackedReader) => void,
): number {
  let records = 0;
  for (const block of blocks) {
    eachPacked(block, (record) => {
      if (!changed.isEmpty && changed.has(record.kind, record.id)) return;
      records++;
      takePacked(record);
    });
  }
  return records + loadChanged(changed, take);
}

function loadChanged(changed: ChangedRecords, take: (record: StoredRecord) => void): number {
  let records = 0;
  for (const record of changed.live()) {
    records++;
    take(record);
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
