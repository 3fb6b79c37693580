// One file of the log: its header, and its preparation with real zeros (format.md, "Segment").

import { crc32 } from 'node:zlib';

import type { Disk, DiskFile } from '../../src/platform/ports.ts';
import { readUInt64, writeUInt64, zeroBlock } from '../binary.ts';
import { NewerFormat, reasonOf, SyncFailed } from '../errors.ts';
import { logDirectory, segmentPath } from '../home/layout.ts';
import type { Lsn } from '../journal.ts';

/** Bytes before the first frame: one sector, so that no frame shares the header's sector. */
export const segmentHeaderBytes = 512;

/**
 * The newest log format that this program reads. It writes 1, and 2 for the segments of a cluster,
 * whose frames an older release would evaluate wrongly.
 */
export const logFormatVersion = 2;

/** The content of a segment's header. */
export interface SegmentHeader {
  /** 32 hex digits. */
  readonly dataSetId: string;
  /** Number of the segment, dense; also its file name. */
  readonly sequence: number;
  /** LSN of the first frame in it, written or still to come. */
  readonly firstLsn: Lsn;
  /** The newest term of the log before it; 0 without a cluster. */
  readonly term: number;
  /** Checksum of the last frame before it; 0 for the first. */
  readonly previousCrc: number;
  /**
   * Whether its frames were confirmed by a cluster before they were written. They prove nothing
   * about each other's durability then, and what is lost at its end can be had from the cluster.
   */
  readonly isClustered: boolean;
}

/** The header's 512 bytes. */
function packSegmentHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(segmentHeaderBytes);
  bytes.write(magic, 0, 'latin1');
  bytes.writeUInt32LE(header.isClustered ? 2 : 1, 8);
  bytes.writeUInt32LE(segmentHeaderBytes, 12);
  bytes.write(header.dataSetId, 16, 16, 'hex');
  writeUInt64(bytes, header.sequence, 32);
  writeUInt64(bytes, header.firstLsn, 40);
  writeUInt64(bytes, header.term, 48);
  bytes.writeUInt32LE(header.previousCrc, 56);
  if (header.isClustered) bytes.writeUInt32LE(clusteredFlag, 64);
  bytes.writeUInt32LE(headerCrc(bytes), 60);
  return bytes;
}

/**
 * Reads a header; undefined when there is none (a segment that was prepared in advance has none
 * yet) or it is damaged.
 * @throws NewerFormat when a newer release wrote the file.
 */
export function unpackSegmentHeader(bytes: Buffer, file: string): SegmentHeader | undefined {
  if (bytes.length < segmentHeaderBytes) return undefined;
  if (bytes.toString('latin1', 0, 8) !== magic) return undefined;
  const version = bytes.readUInt32LE(8);
  const whole = bytes.readUInt32LE(60) === headerCrc(bytes);
  if (whole && version > logFormatVersion) {
    throw new NewerFormat(file, 'log format', version, logFormatVersion);
  }
  if (!whole || version === 0) return undefined;
  const flags = version === 1 ? 0 : bytes.readUInt32LE(64);
  if ((flags & ~clusteredFlag) !== 0)
    throw new NewerFormat(file, 'segment flags', flags, clusteredFlag);
  return {
    dataSetId: bytes.toString('hex', 16, 32),
    sequence: readUInt64(bytes, 32),
    firstLsn: readUInt64(bytes, 40),
    term: readUInt64(bytes, 48),
    previousCrc: bytes.readUInt32LE(56),
    isClustered: (flags & clusteredFlag) !== 0,
  };
}

/**
 * A segment that is being prepared: zeros are written in pieces, so that no group waits for all of
 * them.
 */
export class AheadSegment {
  readonly sequence: number;
  readonly bytes: number;
  readonly #disk: Disk;
  readonly #home: string;
  #file: DiskFile | undefined;
  #zeroed = 0;
  #ready = false;

  constructor(disk: Disk, home: string, sequence: number, bytes: number) {
    this.#disk = disk;
    this.#home = home;
    this.sequence = sequence;
    this.bytes = bytes;
  }

  /** Bytes that are zeros on disk so far. */
  get zeroed(): number {
    return this.#zeroed;
  }

  /**
   * Writes zeros up to `target` bytes; at the end the file and its name in the directory are
   * durable. It may be called again after a throw.
   * @throws SyncFailed; any other disk error, which is worth a retry.
   */
  advance(target: number): void {
    if (this.#ready) return;
    const file = (this.#file ??= this.#create());
    const end = Math.min(target, this.bytes);
    while (this.#zeroed < end) {
      const length = Math.min(zeroBlock.length, end - this.#zeroed);
      file.write([zeroBlock.subarray(0, length)], this.#zeroed);
      this.#zeroed += length;
    }
    syncOrFail(() => file.sync());
    if (this.#zeroed < this.bytes) return;
    syncOrFail(() => this.#disk.syncDirectory(logDirectory(this.#home)));
    this.#ready = true;
  }

  /** Finishes the zeros, writes the header durably and hands the file over, open for writing. */
  begin(header: SegmentHeader): DiskFile {
    this.advance(this.bytes);
    const file = (this.#file ??= this.#create());
    file.write([packSegmentHeader(header)], 0);
    syncOrFail(() => file.sync());
    this.#file = undefined;
    return file;
  }

  /** Closes the file if it was not handed over. */
  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #create(): DiskFile {
    const path = segmentPath(this.#home, this.sequence);
    if (this.#disk.exists(path)) this.#disk.remove(path);
    return this.#disk.open(path, 'create');
  }
}

/**
 * Runs a sync. A failure becomes SyncFailed, which is never retried. A directory that could not be
 * opened, for example when the process has no descriptor left, was never synced: that error stays
 * as it is and is worth a retry.
 */
export function syncOrFail(sync: () => void): void {
  try {
    sync();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error && error.syscall === 'open') throw error;
    throw new SyncFailed(`cannot make the log durable: ${reasonOf(error)}`, { cause: error });
  }
}

const magic = 'EDGECLOG';

const clusteredFlag = 1;

function headerCrc(bytes: Buffer): number {
  return crc32(bytes.subarray(64, segmentHeaderBytes), crc32(bytes.subarray(0, 60)));
}
