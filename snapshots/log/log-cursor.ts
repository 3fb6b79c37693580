// Goes through the log of a home frame by frame, also beside the controller that writes it, and
// waits at its end. It changes nothing.

import type { Disk, DiskFile } from '../../src/platform/ports.ts';
import { LogCorrupt, systemCodeOf } from '../errors.ts';
import { readWhole } from '../home/file-access.ts';
import { logDirectory, segmentPath } from '../home/layout.ts';
import type { Lsn } from '../journal.ts';
import { frameSeed, isKnownFrame } from './frame.ts';
import { FrameWindow, type SeenFrame } from './frame-window.ts';
import { type SegmentHeader, segmentHeaderBytes } from './segment.ts';
import { type BegunSegment, headerOf, isBegun, listSegments } from './segment-list.ts';
import { holdsFrames, newerFrame, tornTailEnd } from './segment-reader.ts';

/** A frame in its file; the payload is valid until the next step. */
export interface CursorFrame extends SeenFrame {
  readonly file: string;
  readonly sequence: number;
  readonly offset: number;
}

/** Frames that are gone: snapshots made them superfluous before the cursor reached them. */
export interface DroppedFrames {
  readonly fromLsn: Lsn;
  readonly toLsn: Lsn;
}

/** Where a log ends. */
export interface LogEnd {
  readonly file: string;
  readonly offset: number;
  /** Of the last good frame. */
  readonly lsn: Lsn;
  /** Bytes of a torn tail after the last good frame. */
  readonly tornBytes: number;
}

/** A place in a log where a later cursor continues; it keeps no file open. */
export interface LogBookmark {
  readonly segment: BegunSegment;
  readonly offset: number;
  /** Of the frame before. */
  readonly lsn: Lsn;
  readonly crc: number;
}

/** The options of a cursor. */
export interface CursorOptions {
  readonly disk: Disk;
  readonly home: string;
  /** The cursor begins with the segment that holds this LSN, or with the oldest one. */
  readonly fromLsn: Lsn;
  /**
   * Whether a controller may be writing. Frames are then made durable before they are returned: the
   * controller's own sync may still be under way, and readers must not see what a crash could undo.
   */
  readonly isServed: () => boolean;
  /** Where to begin instead of at `fromLsn`; its segment must still exist. */
  readonly bookmark?: LogBookmark | undefined;
  /** Bytes per read; 1 MiB when absent. */
  readonly windowBytes?: number;
}

/** A place in a log. It must be closed when it is no longer needed. */
export class LogCursor {
  readonly #options: CursorOptions;
  #segment: BegunSegment;
  #file: DiskFile;
  #window: FrameWindow;
  #offset: number;
  #lsn: Lsn;
  #crc: number;
  /** The number of the window's reads that are known to have shown only durable bytes. */
  #readsSynced = 0;

  /**
   * @throws LogCorrupt when there is no segment to begin with; NewerFormat; what the disk throws
   *   when the bookmark's segment is gone.
   */
  constructor(options: CursorOptions) {
    this.#options = options;
    const { segment, offset, lsn, crc } = options.bookmark ?? beginningOf(options);
    this.#segment = segment;
    this.#file = options.disk.open(segment.path, 'read');
    this.#window = this.#windowOf(segment.header);
    this.#offset = offset;
    this.#lsn = lsn;
    this.#crc = crc;
  }

  /** The present place. */
  get bookmark(): LogBookmark {
    return { segment: this.#segment, offset: this.#offset, lsn: this.#lsn, crc: this.#crc };
  }

  /** LSN of the next frame. */
  get nextLsn(): Lsn {
    return this.#lsn + 1;
  }

  /**
   * The next frame, or the frames that are missing before it; undefined at the present end of the
   * log.
   * @throws LogCorrupt when the next segment does not follow this one, or is missing; NewerFormat
   */
  next(): CursorFrame | DroppedFrames | undefined {
    for (;;) {
      const frame = this.#following();
      if (frame !== undefined) return this.#taken(frame);
      const next = this.#nextSegment();
      // The end of this segment was read before the next one was seen to exist.
      const last = next === undefined ? undefined : this.#following();
      if (last !== undefined) return this.#taken(last);
      if (next === undefined) return undefined;
      const dropped = this.#enter(next);
      if (dropped !== undefined) return dropped;
    }
  }

  /**
   * Evaluates the bytes after the last good frame. It must be called when `next` returns undefined.
   * Beside a controller that writes, damage counts once `next` still finds nothing after it.
   * @throws LogCorrupt
   */
  end(): LogEnd {
    const { disk, home } = this.#options;
    const { path, header, sequence } = this.#segment;
    const [offset, lsn] = [this.#offset, this.#lsn];
    const place = { file: path, offset, lsn: lsn + 1 };
    const seed = frameSeed(header.dataSetId);
    for (const other of listSegments(disk, home)) {
      if (other.sequence <= sequence) continue;
      const isHeadless = holdsFrames(readWhole(disk, other.path), seed);
      if (isHeadless) throw new LogCorrupt(place, `${other.path} does not read behind it`);
    }
    const bytes = readWhole(disk, path);
    const tornBytes = tornTailEnd({ path, bytes, header, seed }, { offset, lsn }) - offset;
    return { file: path, offset, lsn, tornBytes };
  }

  /** Whether there are bytes that are not yet a frame. */
  get isMidWrite(): boolean {
    return this.#window.holdsBytes(this.#offset);
  }

  close(): void {
    this.#file.close();
  }

  #following(): SeenFrame | undefined {
    const isNext = (frame: SeenFrame | undefined): frame is SeenFrame =>
      frame?.header.lsn === this.#lsn + 1 && frame.header.previousCrc === this.#crc;
    let frame = this.#window.frameAt(this.#offset);
    if (!isNext(frame)) {
      this.#window.forget();
      frame = this.#window.frameAt(this.#offset);
    }
    return isNext(frame) ? frame : undefined;
  }

  #taken(frame: SeenFrame): CursorFrame {
    const { lsn, crc } = frame.header;
    const { path: file, sequence } = this.#segment;
    if (!isKnownFrame(frame.header)) throw newerFrame(file, frame.header);
    const offset = this.#offset;
    this.#offset += frame.bytes;
    if (this.#window.reads > this.#readsSynced) this.#makeDurable();
    this.#lsn = lsn;
    this.#crc = crc;
    return { ...frame, file, sequence, offset };
  }

  #makeDurable(): void {
    this.#readsSynced = this.#window.reads;
    if (!this.#options.isServed()) return;
    try {
      this.#file.sync();
    } catch (error) {
      // A file system that takes no writes holds no bytes that are not durable.
      const code = systemCodeOf(error);
      if (code !== 'EROFS' && code !== 'EINVAL') throw error;
    }
  }

  #nextSegment(): BegunSegment | undefined {
    const { disk, home } = this.#options;
    const sequence = this.#segment.sequence + 1;
    const path = segmentPath(home, sequence);
    const header = disk.exists(path) ? headerOf(disk, path) : undefined;
    if (header !== undefined) return { sequence, path, header };
    const later = listSegments(disk, home).filter(isBegun);
    const first = later.find((segment) => segment.sequence > sequence);
    if (first === undefined) return undefined;
    if (later.some((segment) => segment.sequence < sequence)) {
      const place = { file: path, offset: 0, lsn: this.#lsn + 1 };
      throw new LogCorrupt(place, `the segment is missing before ${first.path}`);
    }
    return first;
  }

  #enter(next: BegunSegment): DroppedFrames | undefined {
    const { header, path, sequence } = next;
    const isGap = sequence !== this.#segment.sequence + 1;
    const dropped = { fromLsn: this.#lsn + 1, toLsn: header.firstLsn - 1 };
    const follows = header.firstLsn === this.#lsn + 1 && header.previousCrc === this.#crc;
    if (!follows && !isGap) {
      const place = { file: this.#segment.path, offset: this.#offset, lsn: this.#lsn + 1 };
      throw new LogCorrupt(place, `the next segment begins with LSN ${header.firstLsn}`);
    }
    const file = this.#options.disk.open(path, 'read');
    this.#file.close();
    this.#file = file;
    this.#segment = next;
    this.#window = this.#windowOf(header);
    this.#offset = segmentHeaderBytes;
    this.#readsSynced = 0;
    this.#lsn = header.firstLsn - 1;
    this.#crc = header.previousCrc;
    return isGap ? dropped : undefined;
  }

  #windowOf({ dataSetId }: SegmentHeader): FrameWindow {
    const { windowBytes = windowBytesUsual } = this.#options;
    return new FrameWindow(this.#file, frameSeed(dataSetId), windowBytes);
  }
}

/** Bytes that a cursor reads at a time. */
const windowBytesUsual = 1024 * 1024;

function beginningOf({ disk, home, fromLsn }: CursorOptions): LogBookmark {
  const segments = listSegments(disk, home).filter(isBegun);
  const index = segments.findLastIndex(({ header }) => header.firstLsn <= fromLsn);
  const segment = segments[Math.max(0, index)];
  if (segment === undefined) {
    const place = { file: logDirectory(home), offset: 0, lsn: 1 };
    throw new LogCorrupt(place, 'the log has no segment that reads');
  }
  const { firstLsn, previousCrc } = segment.header;
  return { segment, offset: segmentHeaderBytes, lsn: firstLsn - 1, crc: previousCrc };
}
