// The source of a restored home: a snapshot, and the log after it up to a chosen frame. All of it
// is verified, and nothing is changed.

import type { Disk } from '../../src/platform/ports.ts';
import { LogCorrupt, RecoverToUnreachable, RestoreRefused, reasonOf } from '../errors.ts';
import type { Lsn, StoredRecord } from '../journal.ts';
import { type ReplayOrder, replaySegments } from '../log/replay.ts';
import { isBegun, segmentsIn } from '../log/segment-list.ts';
import { readSnapshot, SnapshotDamaged } from '../snapshot/snapshot-file.ts';
import { LatestChanges, loadRecords } from './recovery.ts';

/** The end of a restore: an LSN, a time, or everything there is. */
export interface RestoreTarget {
  readonly lsn?: Lsn | undefined;
  /** Everything up to the last frame whose time is not later. */
  readonly timeMs?: number | undefined;
}

/** Where the records come from. */
export interface RestoreSources {
  /** Path of a snapshot. */
  readonly snapshot: string;
  /** A directory of segments that follow it. */
  readonly log?: string | undefined;
  readonly target: RestoreTarget;
  /** Sees each record of snapshot and log; if it throws, the restore ends. */
  readonly evaluate: (record: StoredRecord) => void;
}

/** The records of a restored home, once all of them are verified. */
export interface RestoreSource {
  /** Data set of the snapshot and its log. */
  readonly dataSetId: string;
  readonly lsn: Lsn;
  /** When the frame of that LSN was written. */
  readonly timeMs: number;
  readonly snapshotLsn: Lsn;
  /** Records of the snapshot. */
  readonly snapshotRecords: number;
  /** Hands out each record once and returns how many there were. */
  readonly load: (take: (record: StoredRecord) => void) => number;
}

/**
 * Verifies the snapshot and the frames up to the target.
 * @throws RestoreRefused with a sentence; NewerFormat; what `evaluate` throws; errors of the disk
 */
export function openSource(disk: Disk, sources: RestoreSources): RestoreSource {
  const { snapshot, log, evaluate } = sources;
  const found = verified(disk, snapshot, evaluate);
  const start: Start = { ...found, path: snapshot };
  const changes = new LatestChanges();
  const end = log === undefined ? endWithoutLog(start, sources) : follow(disk, start, log, sources);
  const replay = (apply: ReplayOrder['apply']) => {
    if (log === undefined || end.lsn === start.lsn) return;
    replaySegments(disk, log, { ...orderFor(start, end.lsn), apply });
  };
  replay((kind, id, record) => {
    if (record !== null) evaluate(record);
    changes.note(kind, id, record);
  });
  return {
    dataSetId: found.dataSetId,
    lsn: end.lsn,
    timeMs: end.timeMs,
    snapshotLsn: found.lsn,
    snapshotRecords: found.records,
    load: (take) => loadRecords(disk, snapshot, changes, replay, take),
  };
}

/** The snapshot that frames are replayed onto. */
interface Start extends End {
  readonly path: string;
  readonly dataSetId: string;
}

/** The last frame of a restored home. */
interface End {
  readonly lsn: Lsn;
  readonly timeMs: number;
}

function verified(disk: Disk, path: string, evaluate: (record: StoredRecord) => void) {
  try {
    return readSnapshot(disk, path, evaluate);
  } catch (error) {
    if (!(error instanceof SnapshotDamaged)) throw error;
    throw new RestoreRefused(`${path} is damaged: ${reasonOf(error)}.`, { cause: error });
  }
}

function orderFor(start: Start, recoverToLsn: Lsn | undefined): ReplayOrder {
  return {
    dataSetId: start.dataSetId,
    snapshotLsn: start.lsn,
    snapshotTimeMs: start.timeMs,
    recoverToLsn,
    apply: () => undefined,
  };
}

function endWithoutLog(start: Start, { target }: RestoreSources): End {
  refuseEarlier(start, target);
  const isLater = (target.lsn ?? 0) > start.lsn || (target.timeMs ?? 0) > start.timeMs;
  if (!isLater) return start;
  throw new RestoreRefused(
    `${start.path} reaches to ${shown(start)} and no further: name the log that follows it, --log DIR.`,
  );
}

/** A snapshot cannot be restored to an earlier time. */
function refuseEarlier(start: Start, { lsn, timeMs }: RestoreTarget): void {
  const isEarlier = (lsn ?? start.lsn) < start.lsn || (timeMs ?? start.timeMs) < start.timeMs;
  if (!isEarlier) return;
  const asked = lsn === undefined ? new Date(timeMs ?? 0).toISOString() : `LSN ${lsn}`;
  throw new RestoreRefused(
    `${asked} lies before the snapshot, which begins at ${shown(start)}: take an older one.`,
  );
}

/** Finds the last frame to restore from a log. Frames are verified, but their records not yet. */
function follow(disk: Disk, start: Start, log: string, { target }: RestoreSources): End {
  refuseEarlier(start, target);
  const first = firstLsnIn(disk, start, log);
  if (target.lsn === start.lsn) return start;
  if (first > start.lsn + 1) {
    throw new RestoreRefused(
      `The snapshot is of ${shown(start)}, and the log in ${log} begins with LSN ${first}: ` +
        'the frames between are missing.',
    );
  }
  const scan = scanned(disk, start, log, target.lsn);
  if (target.lsn !== undefined) {
    if (scan.last.lsn === target.lsn) return scan.last;
    throw new RestoreRefused(`LSN ${target.lsn} cannot be reached: ${reach(start, scan, log)}.`);
  }
  if (target.timeMs !== undefined) return endByTime(target.timeMs, start, scan, log);
  if (scan.damage === undefined) return scan.last;
  throw new RestoreRefused(
    `${scan.damage}; LSN ${start.lsn} to ${scan.last.lsn} can be had with --to-lsn.`,
  );
}

/** @throws RestoreRefused when the directory holds no log, or another data set's log. */
function firstLsnIn(disk: Disk, { dataSetId }: Start, log: string): Lsn {
  const segments = segmentsIn(disk, log).filter(isBegun);
  const foreign = segments.find(({ header }) => header.dataSetId !== dataSetId);
  if (foreign !== undefined) {
    throw new RestoreRefused(
      `${foreign.path} belongs to the data set ${foreign.header.dataSetId}, the snapshot to ${dataSetId}: ` +
        'they are not of the same home.',
    );
  }
  const [first] = segments;
  if (first === undefined) throw new RestoreRefused(`${log} holds no segment of a log.`);
  return first.header.firstLsn;
}

/** The LSNs and times of the frames after a snapshot. */
interface Scan {
  /** The last readable frame up to the one requested; the snapshot's frame when there is none. */
  readonly last: End;
  /** Times of all frames after the snapshot, in the order of their LSNs. */
  readonly times: readonly number[];
  /** The reason why the rest cannot be read, as the beginning of a sentence. */
  readonly damage: string | undefined;
}

function scanned(disk: Disk, start: Start, log: string, toLsn: Lsn | undefined): Scan {
  const times: number[] = [];
  let last: End = start;
  let damage: string | undefined;
  const order: ReplayOrder = {
    ...orderFor(start, toLsn),
    visit: (lsn, timeMs) => {
      times.push(timeMs);
      last = { lsn, timeMs };
    },
  };
  try {
    replaySegments(disk, log, order);
  } catch (error) {
    // The error only says that the log ends too soon; reading without a target tells why.
    if (error instanceof RecoverToUnreachable) return scanned(disk, start, log, undefined);
    if (error instanceof LogCorrupt) {
      damage = `${error.file} is damaged at offset ${error.offset}, LSN ${error.lsn}: ${error.reason}`;
    } else throw error;
  }
  return { last, times, damage };
}

function endByTime(timeMs: number, start: Start, scan: Scan, log: string): End {
  const { times, damage, last } = scan;
  const firstLater = times.findIndex((time) => time > timeMs);
  if (firstLater === -1) {
    if (damage === undefined) return last;
    throw new RestoreRefused(
      `What was at ${new Date(timeMs).toISOString()} cannot be told: the log in ${log} goes to ` +
        `${shown(last)}, then ${damage}; --to-lsn ${last.lsn} takes what can be had.`,
    );
  }
  const lastNotLater = times.findLastIndex((time) => time <= timeMs);
  const end = { lsn: start.lsn + firstLater, timeMs: times[firstLater - 1] ?? start.timeMs };
  if (lastNotLater < firstLater) return end;
  throw new RestoreRefused(
    `The clock of the controller was set back: up to LSN ${end.lsn} no frame is later than that ` +
      `time, yet LSN ${start.lsn + 1 + lastNotLater} is no later either; choose with --to-lsn.`,
  );
}

/** Names the frames that can be restored instead, without the final full stop. */
function reach(start: Start, { last, damage }: Scan, log: string): string {
  const why = damage === undefined ? '' : `, then ${damage}`;
  const further = last.lsn === start.lsn ? 'has nothing behind it' : `goes on to ${shown(last)}`;
  return `the snapshot is of ${shown(start)}, and the log in ${log} ${further}${why}`;
}

function shown({ lsn, timeMs }: End): string {
  return `LSN ${lsn} (${new Date(timeMs).toISOString()})`;
}
