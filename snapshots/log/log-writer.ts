// The synchronous core of the log: stamps frames, writes them as one group, syncs and rotates. Its
// only effects are on `Disk`.

import type { Disk, DiskFile } from '../../src/platform/ports.ts';
import { SyncFailed } from '../errors.ts';
import { segmentPath } from '../home/layout.ts';
import type { DurabilityLevel, Lsn } from '../journal.ts';
import { unpackTerm } from './codec.ts';
import {
  frameBytesAt,
  frameHeaderBytes,
  frameKinds,
  frameSeed,
  stampFrame,
  stampOf,
} from './frame.ts';
import type { WriterProgress } from './frame-ring.ts';
import { AheadSegment, segmentHeaderBytes, syncOrFail } from './segment.ts';

/** Where the next frame goes. Everything before it is durable. */
export interface LogPosition {
  /** The segment that is written to. */
  readonly sequence: number;
  /** Byte offset in the segment. */
  readonly offset: number;
  /** LSN of the last frame. */
  readonly lsn: Lsn;
  /** Checksum of the last frame; 0 before the first. */
  readonly crc: number;
}

/**
 * The parts of a log writer. They are plain data except for the disk, so that they can be sent to a
 * thread.
 */
export interface LogWriterOptions {
  readonly home: string;
  readonly dataSetId: string;
  readonly segmentBytes: number;
  readonly level: DurabilityLevel;
  readonly position: LogPosition;
  /**
   * For the log of a cluster, whose frames arrive stamped: the newest term before them. Undefined
   * for a log of its own.
   */
  readonly clusterTerm?: number | undefined;
}

/** Messages from a writer to the journal; never sent from within `append`. */
export interface WriterEvents {
  progress(progress: WriterProgress): void;
  /** Writing fails and is retried. */
  stalled(reason: string): void;
  /** Writing works again. */
  resumed(): void;
  /** Nothing can be promised any more. */
  failed(reason: string): void;
  /** `LogWriter.isShort` has changed. */
  space(isShort: boolean): void;
}

/** Pause before a failed write is retried, in ms. */
export const retryMs = 250;

/** How often level `second` syncs, in ms. */
export const syncEveryMs = 1000;

/**
 * Writes groups of frames. `stage` takes a group, `flush` writes it to the disk. After a disk
 * error `flush` is called again and continues with the same bytes at the same position.
 */
export class LogWriter {
  readonly #disk: Disk;
  readonly #options: LogWriterOptions;
  readonly #seed: number;
  #file: DiskFile;
  #fileBytes: number;
  #position: LogPosition;
  #syncedLsn: Lsn;
  #ahead: AheadSegment;
  #staged: Buffer[] = [];
  #write: SegmentWrite | undefined;
  #bytesWritten = 0;
  #groupsWritten = 0;
  readonly #isStamped: boolean;
  #term: number;
  /** The last attempt to prepare the next segment failed. */
  #cannotPrepare = false;

  constructor(disk: Disk, options: LogWriterOptions) {
    this.#disk = disk;
    this.#options = options;
    this.#seed = frameSeed(options.dataSetId);
    this.#position = options.position;
    this.#isStamped = options.clusterTerm !== undefined;
    this.#term = options.clusterTerm ?? 0;
    this.#syncedLsn = options.position.lsn;
    this.#file = disk.open(segmentPath(options.home, options.position.sequence), 'edit');
    this.#fileBytes = this.#file.size();
    this.#ahead = this.#nextAhead();
  }

  /** The frames that were written. */
  get progress(): WriterProgress {
    const { lsn } = this.#position;
    return { lsn, bytes: this.#bytesWritten, groups: this.#groupsWritten };
  }

  /** Whether an fdatasync has covered every frame that was written. */
  get isSynced(): boolean {
    return this.#syncedLsn === this.#position.lsn;
  }

  /**
   * Whether the disk has no space for the next segment and less than a quarter of this one is left,
   * which should be kept for work that cannot wait.
   */
  get isShort(): boolean {
    return this.#cannotPrepare && this.#fileBytes - this.#position.offset < this.#fileBytes / 4;
  }

  /** Tries again to prepare the next segment, all of it. @throws SyncFailed */
  prepareAll(): void {
    this.#advance(this.#ahead.bytes);
  }

  /**
   * Takes a group of whole frames, one after the other, which are unstamped unless the log is a
   * cluster's. They must not change until flushed.
   */
  stage(frames: readonly Buffer[]): void {
    this.#staged.push(...frames);
  }

  /**
   * Writes all that was staged, and makes it durable at level `disk`.
   * @throws SyncFailed, after which nothing can be promised; any other error of the disk, after
   *   which the call may be repeated.
   */
  flush(): void {
    while (this.#write !== undefined || this.#staged.length > 0) {
      const write = (this.#write ??= this.#nextWrite());
      this.#file.write(write.buffers, this.#position.offset);
      this.#position = write.after;
      this.#bytesWritten += write.bytes;
      this.#groupsWritten++;
      this.#write = undefined;
      if (this.#options.level === 'disk') this.sync();
      this.#prepare(write.bytes);
    }
  }

  /** Makes all that was written durable. */
  sync(): void {
    if (this.isSynced) return;
    syncOrFail(() => this.#file.sync());
    this.#syncedLsn = this.#position.lsn;
  }

  close(): void {
    this.#file.close();
    this.#ahead.close();
  }

  /**
   * Stamps the staged frames that fit into the segment; goes to the next segment when none does.
   */
  #nextWrite(): SegmentWrite {
    const write = this.#stampFitting();
    if (write !== undefined) return write;
    this.#rotate();
    const first = this.#stampFitting();
    if (first === undefined) throw new Error('a frame is larger than an empty segment');
    return first;
  }

  #stampFitting(): SegmentWrite | undefined {
    // All frames since the last sync are one batch: none of them was acknowledged as durable yet,
    // so recovery may find them in any state. A later batch proves the earlier ones were synced.
    const batch = this.#syncedLsn + 1;
    const buffers: Buffer[] = [];
    const start = this.#position;
    let { offset, lsn, crc } = start;
    for (let region = this.#staged[0]; region !== undefined; region = this.#staged[0]) {
      let end = 0;
      while (end < region.length) {
        const bytes = frameBytesAt(region, end);
        if (offset + bytes > this.#fileBytes) break;
        lsn++;
        crc = this.#isStamped
          ? this.#crcOfNext(region, end, lsn, crc)
          : stampFrame(region, end, { lsn, batch, previousCrc: crc }, this.#seed);
        end += bytes;
        offset += bytes;
      }
      if (end > 0) buffers.push(region.subarray(0, end));
      if (end < region.length) {
        this.#staged[0] = region.subarray(end);
        break;
      }
      this.#staged.shift();
    }
    if (buffers.length === 0) return undefined;
    const after = { sequence: start.sequence, offset, lsn, crc };
    return { buffers, bytes: offset - start.offset, after };
  }

  /**
   * The checksum of a frame that was stamped elsewhere.
   * @throws SyncFailed for one that does not follow: the log must not go on with a gap
   */
  #crcOfNext(region: Buffer, offset: number, lsn: Lsn, previousCrc: number): number {
    const frame = stampOf(region, offset);
    if (frame.lsn !== lsn || frame.previousCrc !== previousCrc) {
      throw new SyncFailed(`LSN ${frame.lsn} does not follow the frame before it, ${lsn} would`);
    }
    if (frame.kind === frameKinds.term) this.#term = termAt(region, offset);
    return frame.crc;
  }

  /** Every step can be repeated: after an error the writer is still in the old segment. */
  #rotate(): void {
    this.sync();
    const { lsn, crc } = this.#position;
    const sequence = this.#ahead.sequence;
    const next = this.#ahead.begin({
      dataSetId: this.#options.dataSetId,
      sequence,
      firstLsn: lsn + 1,
      term: this.#term,
      previousCrc: crc,
      isClustered: this.#isStamped,
    });
    this.#file.close();
    this.#file = next;
    this.#fileBytes = this.#ahead.bytes;
    this.#position = { sequence, offset: segmentHeaderBytes, lsn, crc };
    this.#ahead = this.#nextAhead();
  }

  #nextAhead(): AheadSegment {
    const { home, segmentBytes } = this.#options;
    return new AheadSegment(this.#disk, home, this.#position.sequence + 1, segmentBytes);
  }

  /** Prepares the next segment twice as fast as this one fills, so that rotation finds it ready. */
  #prepare(groupBytes: number): void {
    const { zeroed, bytes } = this.#ahead;
    if (zeroed >= Math.min(bytes, 2 * this.#position.offset)) return;
    this.#advance(zeroed + Math.max(preparedPieceBytes, 2 * groupBytes));
  }

  #advance(target: number): void {
    try {
      this.#ahead.advance(target);
      this.#cannotPrepare = false;
    } catch (error) {
      // A full disk is no reason to stop yet, as this segment has room. Rotation throws.
      if (error instanceof SyncFailed) throw error;
      this.#cannotPrepare = true;
    }
  }
}

function termAt(region: Buffer, offset: number): number {
  const end = offset + region.readUInt32LE(offset);
  return unpackTerm(region.subarray(offset + frameHeaderBytes, end)).term;
}

/** Frames stamped for one write into one segment. */
interface SegmentWrite {
  readonly buffers: readonly Buffer[];
  readonly bytes: number;
  readonly after: LogPosition;
}

/** 1 MiB of zeros takes about 1 ms with its sync; more would show in the latency of a group. */
const preparedPieceBytes = 1_048_576;
