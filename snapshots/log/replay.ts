// Reads the log from a snapshot on and decides where it ends; changes nothing.

import type { Disk } from '../../src/platform/ports.ts';
import { nonZeroEnd } from '../binary.ts';
import { LogCorrupt, RecoverToUnreachable } from '../errors.ts';
import { readWhole } from '../home/file-access.ts';
import { logDirectory } from '../home/layout.ts';
import type { Lsn, StoredRecord } from '../journal.ts';
import { unpackChanges, unpackSeal, unpackTerm } from './codec.ts';
import { type FrameHeader, frameBytes, frameKinds, frameSeed } from './frame.ts';
import type { LogPosition } from './log-writer.ts';
import { segmentHeaderBytes } from './segment.ts';
import { type BegunSegment, type ListedSegment, listSegments, segmentsIn } from './segment-list.ts';
import {
  framesOf,
  holdsFrames,
  type LoadedSegment,
  type SegmentEnd,
  tornTailEnd,
} from './segment-reader.ts';

/** The range of a replay, and what to do with each change. */
export interface ReplayOrder {
  readonly dataSetId: string;
  /** LSN of the loaded snapshot; 0 for none. */
  readonly snapshotLsn: Lsn;
  readonly snapshotTimeMs: number;
  readonly recoverToLsn: Lsn | undefined;
  readonly apply: (kind: string, id: string, record: StoredRecord | null) => void;
  /** Sees each frame after the snapshot. */
  readonly visit?: (lsn: Lsn, timeMs: number) => void;
}

/** The content of the log, and the repair that it needs before it is written again. */
export interface ReplayedLog {
  readonly position: LogPosition;
  readonly lastTimeMs: number;
  readonly framesReplayed: number;
  /** Bytes of the replayed frames. */
  readonly bytesReplayed: number;
  readonly sealed: boolean;
  /** The newest term that the log tells of; 0 if it was never that of a cluster. */
  readonly term: number;
  /** Whether the segment at the end is that of a cluster. */
  readonly isClustered: boolean;
  readonly repair: LogRepair;
}

/** The repair of the newest segment. After a clean stop it still rewrites the seal. */
export interface LogRepair {
  readonly sequence: number;
  readonly path: string;
  /** Bytes from here to `cutFrom` are rewritten, because their sync may have failed unnoticed. */
  readonly rewriteFrom: number;
  /** Everything from here on is overwritten with zeros. */
  readonly cutFrom: number;
  /** End of the bytes to cut; `cutFrom` when there is nothing to cut. */
  readonly cutTo: number;
  /** Later segment files to remove: prepared in advance, or given up by `--recover-to`. */
  readonly superfluous: readonly ListedSegment[];
  /** Whether the log restarts after a snapshot; only with `--recover-to`. */
  readonly beginAnew: boolean;
}

/** @throws LogCorrupt; NewerFormat; RecoverToUnreachable */
export function replayLog(disk: Disk, home: string, order: ReplayOrder): ReplayedLog {
  const { recoverToLsn, snapshotLsn } = order;
  try {
    return replaySegments(disk, logDirectory(home), order);
  } catch (error) {
    const unreachable = error instanceof LogCorrupt || error instanceof RecoverToUnreachable;
    if (!unreachable || recoverToLsn === undefined) throw error;
    if (recoverToLsn === snapshotLsn) return beginAnew(disk, home, order);
    throw new RecoverToUnreachable(`cannot recover to LSN ${recoverToLsn}: ${error.message}`);
  }
}

/** The same for any directory of segments. @throws LogCorrupt; NewerFormat; RecoverToUnreachable */
export function replaySegments(disk: Disk, directory: string, order: ReplayOrder): ReplayedLog {
  return new Replay(disk, directory, order).run();
}

/** One pass over the log. */
class Replay {
  readonly #disk: Disk;
  readonly #order: ReplayOrder;
  readonly #seed: number;
  readonly #begun: BegunSegment[];
  readonly #unbegun: ListedSegment | undefined;
  #framesReplayed = 0;
  #bytesReplayed = 0;
  #lastTimeMs: number;
  #sealed = false;
  #term = 0;

  constructor(disk: Disk, directory: string, order: ReplayOrder) {
    this.#disk = disk;
    this.#order = order;
    this.#seed = frameSeed(order.dataSetId);
    this.#lastTimeMs = order.snapshotTimeMs;
    const segments = segmentsIn(disk, directory);
    const last = segments.at(-1);
    this.#begun = checkedSegments(segments, order.dataSetId, directory);
    this.#unbegun = last?.header === undefined ? last : undefined;
  }

  run(): ReplayedLog {
    for (let index = this.#firstNeeded(); ; index++) {
      const segment = this.#load(index);
      const { end, reached } = this.#walk(segment);
      if (reached) return this.#ended(index, end, nonZeroEnd(segment.bytes, end.offset));
      const next = this.#begun[index + 1];
      if (next === undefined) {
        if (this.#order.recoverToLsn !== undefined) {
          throw new RecoverToUnreachable(`the log ends at LSN ${end.lsn}`);
        }
        return this.#ended(index, end, this.#evaluatedTail(segment, end));
      }
      if (next.header.firstLsn !== end.lsn + 1 || next.header.previousCrc !== end.crc) {
        throw new LogCorrupt(
          { file: segment.path, offset: end.offset, lsn: end.lsn + 1 },
          `the next segment begins with LSN ${next.header.firstLsn}`,
        );
      }
    }
  }

  /** The last segment that begins at or before the first frame to replay. */
  #firstNeeded(): number {
    const firstLsn = this.#order.snapshotLsn + 1;
    const index = this.#begun.findLastIndex(({ header }) => header.firstLsn <= firstLsn);
    const [first] = this.#begun;
    if (index === -1 && first !== undefined) {
      const reason = `the log begins with LSN ${first.header.firstLsn}, frames before it are missing`;
      throw new LogCorrupt({ file: first.path, offset: 0, lsn: firstLsn }, reason);
    }
    return index;
  }

  #load(index: number): LoadedSegment {
    const segment = this.#begun[index];
    if (segment === undefined) throw new Error('no such segment');
    const bytes = readWhole(this.#disk, segment.path);
    return { path: segment.path, header: segment.header, bytes, seed: this.#seed };
  }

  #walk(segment: LoadedSegment): { readonly end: SegmentEnd; readonly reached: boolean } {
    const { snapshotLsn, recoverToLsn = Number.POSITIVE_INFINITY, visit } = this.#order;
    const begun = segment.header.firstLsn - 1;
    this.#term = Math.max(this.#term, segment.header.term);
    const frames = framesOf(segment);
    let end: SegmentEnd = {
      offset: segmentHeaderBytes,
      lsn: begun,
      crc: segment.header.previousCrc,
      batchOffset: 0,
    };
    for (;;) {
      const step = frames.next();
      if (end.lsn === recoverToLsn) return { end, reached: true };
      if (step.done) return { end: step.value, reached: false };
      const { header, offset, payload } = step.value;
      this.#sealed = header.kind === frameKinds.seal;
      if (header.kind === frameKinds.term) this.#term = unpackTerm(payload).term;
      if (header.lsn > snapshotLsn) {
        this.#framesReplayed++;
        const timeMs = this.#replayed(header, payload);
        // The wall clock may have been set back since the previous frame.
        this.#lastTimeMs = Math.max(this.#lastTimeMs, timeMs);
        visit?.(header.lsn, timeMs);
      }
      const bytes = frameBytes(payload.length);
      if (header.lsn > snapshotLsn) this.#bytesReplayed += bytes;
      end = { offset: offset + bytes, lsn: header.lsn, crc: header.crc, batchOffset: 0 };
    }
  }

  /** Applies a frame and returns its time, in ms. */
  #replayed({ kind, lsn }: FrameHeader, payload: Buffer): number {
    if (kind === frameKinds.seal) return unpackSeal(payload);
    if (kind === frameKinds.term) return unpackTerm(payload).timeMs;
    return unpackChanges(lsn, payload, this.#order.apply);
  }

  #evaluatedTail(segment: LoadedSegment, end: SegmentEnd): number {
    const place = { file: segment.path, offset: end.offset, lsn: end.lsn + 1 };
    const unbegun = this.#unbegun;
    const { isClustered } = segment.header;
    if (
      unbegun !== undefined &&
      !isClustered &&
      holdsFrames(readWhole(this.#disk, unbegun.path), this.#seed)
    ) {
      const damaged = { file: unbegun.path, offset: 0, lsn: place.lsn };
      throw new LogCorrupt(damaged, 'its header does not read although frames stand in it');
    }
    const cutTo = tornTailEnd(segment, end);
    if (end.lsn < this.#order.snapshotLsn) {
      const reason = `the log ends before the snapshot at LSN ${this.#order.snapshotLsn}`;
      throw new LogCorrupt(place, reason);
    }
    return cutTo;
  }

  #ended(index: number, end: SegmentEnd, cutTo: number): ReplayedLog {
    const segment = this.#begun[index];
    if (segment === undefined) throw new Error('no such segment');
    const behind: ListedSegment[] = this.#begun.slice(index + 1);
    if (this.#unbegun !== undefined) behind.push(this.#unbegun);
    const { sequence, path } = segment;
    return {
      position: { sequence, offset: end.offset, lsn: end.lsn, crc: end.crc },
      lastTimeMs: this.#lastTimeMs,
      framesReplayed: this.#framesReplayed,
      bytesReplayed: this.#bytesReplayed,
      sealed: this.#sealed,
      term: this.#term,
      isClustered: segment.header.isClustered,
      repair: {
        sequence,
        path,
        rewriteFrom: end.batchOffset,
        cutFrom: end.offset,
        cutTo,
        superfluous: behind,
        beginAnew: false,
      },
    };
  }
}

/**
 * The segments, checked: dense, of this data set, each with a header. Only the last may be prepared
 * in advance and have no header yet.
 */
function checkedSegments(
  segments: readonly ListedSegment[],
  dataSetId: string,
  directory: string,
): BegunSegment[] {
  let expected = segments[0]?.sequence ?? 0;
  const checked: BegunSegment[] = [];
  for (const segment of segments) {
    const { header, path, sequence } = segment;
    const lsn = (checked.at(-1)?.header.firstLsn ?? 0) + 1;
    const damaged = (reason: string) => new LogCorrupt({ file: path, offset: 0, lsn }, reason);
    if (sequence !== expected) throw damaged(`segment ${expected} is missing before it`);
    expected++;
    if (header === undefined) {
      if (segment === segments.at(-1)) break;
      throw damaged('its header does not read');
    }
    if (header.dataSetId !== dataSetId) throw damaged(`it belongs to ${header.dataSetId}`);
    if (header.sequence !== sequence) throw damaged(`its header says segment ${header.sequence}`);
    checked.push({ sequence, path, header });
  }
  if (checked.length > 0) return checked;
  throw new LogCorrupt({ file: directory, offset: 0, lsn: 1 }, 'the log has no segment');
}

/** The snapshot is intact but the log before it is not, so all of the log is given up. */
function beginAnew(disk: Disk, home: string, order: ReplayOrder): ReplayedLog {
  const superfluous = listSegments(disk, home);
  const sequence = (superfluous.at(-1)?.sequence ?? 0) + 1;
  return {
    position: { sequence, offset: segmentHeaderBytes, lsn: order.snapshotLsn, crc: 0 },
    lastTimeMs: order.snapshotTimeMs,
    framesReplayed: 0,
    bytesReplayed: 0,
    sealed: false,
    term: 0,
    isClustered: false,
    repair: {
      sequence,
      path: '',
      rewriteFrom: 0,
      cutFrom: 0,
      cutTo: 0,
      superfluous,
      beginAnew: true,
    },
  };
}
