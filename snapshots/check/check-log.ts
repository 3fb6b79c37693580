// Checks every frame of every segment, continues after damage, and reports what is wrong.

import type { Disk } from '../../src/platform/ports.ts';
import { firstNonZero } from '../binary.ts';
import { LogCorrupt, reasonOf } from '../errors.ts';
import { readWhole } from '../home/file-access.ts';
import { logDirectory, segmentPath } from '../home/layout.ts';
import type { Frame, Lsn } from '../journal.ts';
import { unpackFrame, unpackSeal, unpackTerm } from '../log/codec.ts';
import {
  type FrameHeader,
  frameBytesAt,
  frameHeaderBytes,
  frameKinds,
  frameSeed,
  isKnownFrame,
  readFrame,
} from '../log/frame.ts';
import { segmentHeaderBytes } from '../log/segment.ts';
import {
  type BegunSegment,
  isBegun,
  type ListedSegment,
  listSegments,
} from '../log/segment-list.ts';
import { holdsFrames, newerFrame, tornTailEnd } from '../log/segment-reader.ts';

/** Something wrong with a file of a home. */
export interface FileFinding {
  readonly file: string;
  /** Absent when the finding is about the whole file. */
  readonly offset?: number | undefined;
  /** The first LSN concerned; absent for none. */
  readonly lsn?: Lsn | undefined;
  /** The problem, as a sentence without its full stop. */
  readonly what: string;
  /** The action to take, as a sentence without its full stop. */
  readonly advice: string;
}

/** The input of a check and the functions that it reports to. */
export interface LogCheck {
  readonly disk: Disk;
  readonly home: string;
  readonly dataSetId: string;
  /**
   * Whether a controller may be writing: the bytes after the last frame are then not a torn tail.
   */
  readonly isServed: boolean;
  readonly found: (finding: FileFinding) => void;
  /** Told of each good transaction. If it throws, the check ends. */
  readonly take: (frame: Frame) => void;
  /** Told before each segment is read. */
  readonly reading: (segment: number, segments: number) => void;
}

/** The part of the log that exists. */
export interface CheckedLog {
  /** LSN of the oldest frame that is kept. */
  readonly firstLsn: Lsn;
  /** LSN of the last good frame. */
  readonly lastLsn: Lsn;
  readonly frames: number;
  readonly segments: number;
}

/** Checks the log. @throws NewerFormat; what `take` throws */
export function checkLog(check: LogCheck): CheckedLog {
  const segments = listSegments(check.disk, check.home);
  const walk = new LogWalk(check);
  for (const [index, segment] of segments.entries()) {
    check.reading(index + 1, segments.length);
    walk.segment(segment, segments[index - 1], segments[index + 1]);
  }
  return walk.done(segments);
}

/** One pass over all segments. */
class LogWalk {
  readonly #check: LogCheck;
  readonly #seed: number;
  readonly #lastWrite = new Map<string, Lsn>();
  /** The LSNs whose frames do not read, so nobody knows what they wrote. */
  readonly #gaps: { readonly from: Lsn; readonly to: Lsn }[] = [];
  /** LSN of the last frame that reads. */
  #lastRead: Lsn | undefined;
  #firstLsn: Lsn | undefined;
  #lsn: Lsn = 0;
  #crc = 0;
  #frames = 0;
  #begun = 0;

  constructor(check: LogCheck) {
    this.#check = check;
    this.#seed = frameSeed(check.dataSetId);
  }

  segment(
    segment: ListedSegment,
    before: ListedSegment | undefined,
    behind: ListedSegment | undefined,
  ): void {
    const { sequence, path } = segment;
    const expected = before === undefined ? sequence : before.sequence + 1;
    const isMissing = sequence !== expected;
    if (isMissing) {
      const file = segmentPath(this.#check.home, expected);
      this.#found(
        { path: file },
        undefined,
        `is missing, with the frames from LSN ${this.#lsn + 1} on`,
      );
    }
    const bytes = readWhole(this.#check.disk, path);
    if (!isBegun(segment)) {
      this.#headless(segment, bytes, behind === undefined);
      return;
    }
    this.#begun++;
    const isOurs = this.#header(segment, isMissing || (before !== undefined && !isBegun(before)));
    if (!isOurs) return;
    const isLast = behind === undefined || (!isBegun(behind) && !this.#holds(behind));
    this.#walk(segment, bytes, isLast);
  }

  done(segments: readonly ListedSegment[]): CheckedLog {
    if (!segments.some(isBegun)) {
      const path = logDirectory(this.#check.home);
      this.#found({ path }, undefined, 'holds no segment that reads', noWay);
    }
    const [frames, lastLsn] = [this.#frames, this.#lsn];
    return { firstLsn: this.#firstLsn ?? lastLsn + 1, lastLsn, frames, segments: this.#begun };
  }

  #headless(segment: ListedSegment, bytes: Buffer, isLast: boolean): void {
    if (isLast && !holdsFrames(bytes, this.#seed)) return;
    this.#found(segment, 0, 'the header does not read, though it should');
  }

  #holds({ path }: ListedSegment): boolean {
    return holdsFrames(readWhole(this.#check.disk, path), this.#seed);
  }

  /** @returns whether its frames are of this data set */
  #header(segment: BegunSegment, isBehindDamage: boolean): boolean {
    const { header, sequence } = segment;
    const isOurs = header.dataSetId === this.#check.dataSetId;
    const follows = header.firstLsn === this.#lsn + 1 && header.previousCrc === this.#crc;
    if (!isOurs) this.#found(segment, 0, `it belongs to the data set ${header.dataSetId}`);
    else if (header.sequence !== sequence) {
      this.#found(segment, 0, `its header says segment ${header.sequence}`);
    } else if (this.#firstLsn !== undefined && !follows && !isBehindDamage) {
      const text = `it begins with LSN ${header.firstLsn} and does not follow on LSN ${this.#lsn}`;
      this.#found(segment, 0, text);
    }
    this.#firstLsn ??= header.firstLsn;
    this.#lsn = header.firstLsn - 1;
    this.#crc = header.previousCrc;
    return isOurs;
  }

  #walk(segment: BegunSegment, bytes: Buffer, isLast: boolean): void {
    let offset = segmentHeaderBytes;
    for (;;) {
      const frame = readFrame(bytes, offset, this.#seed);
      const follows = frame?.lsn === this.#lsn + 1 && frame.previousCrc === this.#crc;
      if (frame !== undefined && follows) {
        this.#frame(segment, offset, frame, bytes);
        offset += frameBytesAt(bytes, offset);
        continue;
      }
      if (firstNonZero(bytes, offset) === -1) return;
      if (isLast && this.#isTorn(segment, bytes, offset)) return;
      const next = this.#nextGood(bytes, offset);
      this.#broken(segment, offset, next);
      if (next === undefined) return;
      offset = next.offset;
      this.#lsn = next.frame.lsn - 1;
      this.#crc = next.frame.previousCrc;
    }
  }

  #frame(segment: BegunSegment, offset: number, frame: FrameHeader, bytes: Buffer): void {
    const { lsn, crc, kind, length } = frame;
    if (!isKnownFrame(frame)) throw newerFrame(segment.path, frame);
    this.#lsn = lsn;
    this.#crc = crc;
    this.#frames++;
    const payload = bytes.subarray(offset + frameHeaderBytes, offset + length);
    let content: Frame | undefined;
    try {
      if (kind === frameKinds.seal) unpackSeal(payload);
      else if (kind === frameKinds.term) unpackTerm(payload);
      else content = unpackFrame(lsn, payload);
    } catch (error) {
      const text = `the frame is whole but does not read: ${reasonOf(error)}`;
      this.#found(segment, offset, text);
      return;
    }
    this.#noteRead(lsn);
    if (content === undefined) return;
    this.#chains(segment, offset, content);
    this.#check.take(content);
  }

  #noteRead(lsn: Lsn): void {
    const from = (this.#lastRead ?? lsn - 1) + 1;
    if (from < lsn) this.#gaps.push({ from, to: lsn - 1 });
    this.#lastRead = lsn;
  }

  /**
   * Each change names the frame that wrote its record before; if that frame is kept, it must match.
   * A frame that does not read was found already.
   */
  #chains(segment: BegunSegment, offset: number, { lsn, changes }: Frame): void {
    for (const { kind, id, previousLsn, values } of changes) {
      const key = `${kind}/${id}`;
      const known = this.#lastWrite.get(key);
      const isOther = known !== undefined && known !== previousLsn;
      if (isOther && !this.#gaps.some(({ from, to }) => from <= previousLsn && previousLsn <= to)) {
        const text = `it says LSN ${previousLsn} wrote the ${kind} ${id} before, but LSN ${known} did`;
        this.#found(segment, offset, text, noWay);
      }
      if (values === null) this.#lastWrite.delete(key);
      else this.#lastWrite.set(key, lsn);
    }
  }

  /** Whether the bytes there are what a crash, or a write in progress, leaves behind. */
  #isTorn(segment: BegunSegment, bytes: Buffer, offset: number): boolean {
    const { path, header } = segment;
    let cutTo: number;
    try {
      cutTo = tornTailEnd({ path, bytes, header, seed: this.#seed }, { offset, lsn: this.#lsn });
    } catch (error) {
      if (error instanceof LogCorrupt) return false;
      throw error;
    }
    const text = `a torn tail of ${cutTo - offset} bytes, as a crash leaves it`;
    if (!this.#check.isServed) this.#found(segment, offset, text, startCuts);
    return true;
  }

  #broken(segment: BegunSegment, offset: number, next: GoodFrame | undefined): void {
    const lsn = this.#lsn + 1;
    if (next?.offset === offset) {
      const text = `the frame of LSN ${next.frame.lsn} does not follow on LSN ${this.#lsn}`;
      this.#found(segment, offset, text);
      return;
    }
    const range = next === undefined ? `${lsn} on` : `${lsn} to ${next.frame.lsn - 1}`;
    const isLost = next?.frame.lsn !== lsn;
    const what = isLost ? `the frame is damaged, LSN ${range} cannot be read` : 'it holds no frame';
    this.#found(segment, offset, what);
  }

  /** The next frame of this data set that could follow. */
  #nextGood(bytes: Buffer, offset: number): GoodFrame | undefined {
    for (let at = offset; at + frameHeaderBytes <= bytes.length; at += 8) {
      if (bytes.readUInt32LE(at) < frameHeaderBytes) continue;
      const frame = readFrame(bytes, at, this.#seed);
      if (frame !== undefined && frame.lsn > this.#lsn) return { offset: at, frame };
    }
    return undefined;
  }

  #found(
    { path: file }: { readonly path: string },
    offset: number | undefined,
    what: string,
    advice = `restore a backup, or start with --recover-to ${this.#lsn} and lose what is behind it`,
  ): void {
    const lsn = this.#lsn + 1;
    this.#check.found({ file, offset, lsn, what, advice });
  }
}

interface GoodFrame {
  readonly offset: number;
  readonly frame: FrameHeader;
}

const noWay = 'restore a backup';
const startCuts = 'nothing: the next start keeps a copy and cuts it off';
