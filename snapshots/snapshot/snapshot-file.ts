// A snapshot: all live records as of one LSN, in checksummed blocks (format.md, "Snapshot").

import { crc32 } from 'node:zlib';

import type { Disk, DiskFile } from '../../src/platform/ports.ts';
import { paddedToWords, readUInt64, writeUInt64 } from '../binary.ts';
import { NewerFormat } from '../errors.ts';
import { withFile } from '../home/file-access.ts';
import type { Lsn, StoredRecord } from '../journal.ts';
import { packRecord, packValue, unpackRecords, unpackValue } from '../log/codec.ts';

/** The snapshot format this program writes, and the newest it reads. */
const snapshotFormatVersion = 1;

/** The content of a snapshot's header. */
export interface SnapshotHeader {
  readonly dataSetId: string;
  /** The records are those after this frame. */
  readonly lsn: Lsn;
  /** Time of that frame, in ms. */
  readonly timeMs: number;
}

/** A snapshot that cannot be used; the start continues with an older one and reports it. */
export class SnapshotDamaged extends Error {
  override readonly name = 'SnapshotDamaged';
}

/** Packed records: the payload of one block. */
export interface PackedBlock {
  /** In a buffer of its own, so that it can be handed to another thread. */
  readonly payload: Uint8Array<ArrayBuffer>;
  readonly records: number;
}

/** The counts of a snapshot. The footer states them, too. */
export interface PackedCounts {
  readonly records: number;
  /** Records per kind. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** Packs records into blocks, without a file: a serving controller packs some of them per turn. */
export class SnapshotPacker {
  readonly #blockBytes: number;
  readonly #kinds = new Map<string, number>();
  readonly #block: Uint8Array;
  #filled = 0;
  #inBlock = 0;
  #records = 0;

  /** @param blockBytes bytes of packed records per block; only tests set another value. */
  constructor(blockBytes = usualBlockBytes) {
    this.#blockBytes = blockBytes;
    this.#block = new Uint8Array(blockBytes);
  }

  /** Adds one record. @returns the blocks that are now full */
  add(record: StoredRecord): PackedBlock[] {
    const packed = packRecord(record);
    const isFull = this.#filled > 0 && this.#filled + packed.length > this.#blockBytes;
    const full = isFull ? [this.#endBlock()] : [];
    this.#records++;
    this.#kinds.set(record.kind, (this.#kinds.get(record.kind) ?? 0) + 1);
    if (packed.length > this.#blockBytes) {
      full.push({ payload: new Uint8Array(packed), records: 1 });
      return full;
    }
    this.#block.set(packed, this.#filled);
    this.#filled += packed.length;
    this.#inBlock++;
    return full;
  }

  /** The last block, if any records are left for it, and the counts. */
  end(): { readonly last: PackedBlock[]; readonly counts: PackedCounts } {
    const last = this.#filled > 0 ? [this.#endBlock()] : [];
    return { last, counts: { records: this.#records, kinds: Object.fromEntries(this.#kinds) } };
  }

  #endBlock(): PackedBlock {
    const block = { payload: this.#block.slice(0, this.#filled), records: this.#inBlock };
    this.#filled = 0;
    this.#inBlock = 0;
    return block;
  }
}

/** Writes the file of a snapshot, block by block. */
export class SnapshotWriter {
  readonly #file: DiskFile;
  #blocks = 0;
  #position: number;
  #previousCrc: number;

  constructor(file: DiskFile, header: SnapshotHeader) {
    this.#file = file;
    const bytes = packHeader(header);
    file.write([bytes], 0);
    this.#position = bytes.length;
    this.#previousCrc = bytes.readUInt32LE(60);
  }

  write({ payload, records }: PackedBlock): void {
    this.#write(payload, blockKinds.records, records);
  }

  /** Writes the footer and makes the file durable. Returns its size. */
  finish({ records, kinds }: PackedCounts): number {
    this.#write(packValue([records, this.#blocks, kinds]), blockKinds.footer, 0);
    this.#file.sync();
    return this.#position;
  }

  #write(payload: Uint8Array, kind: number, records: number): void {
    const bytes = paddedToWords(blockHeaderBytes + payload.length);
    const block = Buffer.alloc(bytes);
    block.writeUInt32LE(blockHeaderBytes + payload.length, 0);
    writeUInt64(block, this.#blocks, 8);
    block.writeUInt32LE(records, 16);
    block.writeUInt32LE(this.#previousCrc, 20);
    block.writeUInt16LE(kind, 24);
    block.set(payload, blockHeaderBytes);
    this.#previousCrc = blockCrc(block);
    block.writeUInt32LE(this.#previousCrc, 4);
    this.#file.write([block], this.#position);
    this.#position += bytes;
    this.#blocks++;
  }
}

/**
 * Reads a snapshot through, handing out each record, and checks all of it: blocks are dense and
 * chained, counts match the footer, and nothing follows the footer. Without `take` nothing is
 * decoded: that is the verification.
 * @throws SnapshotDamaged; NewerFormat
 */
export function readSnapshot(
  disk: Disk,
  path: string,
  take?: (record: StoredRecord) => void,
): SnapshotHeader & PackedCounts {
  const room = Buffer.allocUnsafeSlow(readAheadBytes);
  return withFile(disk, path, 'read', (file) => {
    const headerBytes = file.read(0, snapshotHeaderBytes);
    const header = unpackHeader(headerBytes, path);
    const size = file.size();
    let position = snapshotHeaderBytes;
    let records = 0;
    let previousCrc = headerBytes.readUInt32LE(60);
    for (let number = 0; ; number++) {
      const block = readBlock(file, position, size, { number, previousCrc }, room);
      previousCrc = block.crc;
      position += block.bytes;
      if (block.kind === blockKinds.footer) {
        if (position !== size) throw new SnapshotDamaged(`bytes behind its footer at ${position}`);
        return { ...header, ...checkedCounts(block.payload, records, number) };
      }
      records += block.records;
      if (take !== undefined) unpackRecords(block.payload, take);
    }
  });
}

/** Reads only the header. @throws SnapshotDamaged; NewerFormat */
export function readSnapshotHeader(disk: Disk, path: string): SnapshotHeader {
  const bytes = withFile(disk, path, 'read', (file) => file.read(0, snapshotHeaderBytes));
  return unpackHeader(bytes, path);
}

const magic = 'EDGESNAP';
const snapshotHeaderBytes = 64;
const blockHeaderBytes = 32;
/** Bytes of packed records per block; a larger record has a block of its own. */
const usualBlockBytes = 65_536;
/**
 * A record comes from a frame, which has 8 MiB at most; a block that claims more is none. @bound
 */
const blockBytesMax = 16 * 1024 * 1024;
const blockKinds = { records: 1, footer: 2 } as const;

interface Block {
  readonly kind: number;
  readonly bytes: number;
  readonly records: number;
  readonly crc: number;
  readonly payload: Buffer;
}

function packHeader({ dataSetId, lsn, timeMs }: SnapshotHeader): Buffer {
  const bytes = Buffer.alloc(snapshotHeaderBytes);
  bytes.write(magic, 0, 'latin1');
  bytes.writeUInt32LE(snapshotFormatVersion, 8);
  bytes.writeUInt32LE(snapshotHeaderBytes, 12);
  bytes.write(dataSetId, 16, 16, 'hex');
  writeUInt64(bytes, lsn, 32);
  writeUInt64(bytes, timeMs, 40);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  return bytes;
}

function unpackHeader(bytes: Buffer, path: string): SnapshotHeader {
  if (bytes.length < snapshotHeaderBytes || bytes.toString('latin1', 0, 8) !== magic) {
    throw new SnapshotDamaged('it has no snapshot header');
  }
  if (bytes.readUInt32LE(60) !== crc32(bytes.subarray(0, 60))) {
    throw new SnapshotDamaged('the checksum of its header does not fit');
  }
  const version = bytes.readUInt32LE(8);
  if (version > snapshotFormatVersion) {
    throw new NewerFormat(path, 'snapshot format', version, snapshotFormatVersion);
  }
  return {
    dataSetId: bytes.toString('hex', 16, 32),
    lsn: readUInt64(bytes, 32),
    timeMs: readUInt64(bytes, 40),
  };
}

/** The block at a position. It may be stored in `room` and is then valid until the next is read. */
function readBlock(
  file: DiskFile,
  position: number,
  size: number,
  expected: { readonly number: number; readonly previousCrc: number },
  room: Buffer,
): Block {
  const bad = (what: string) => new SnapshotDamaged(`${what} in the block at ${position}`);
  const head = file.read(position, Math.min(readAheadBytes, size - position), room);
  if (head.length < blockHeaderBytes) throw bad('no header');
  const length = head.readUInt32LE(0);
  const bytes = paddedToWords(length);
  const isPossible = length >= blockHeaderBytes && length <= blockBytesMax;
  if (!isPossible || position + bytes > size) throw bad('impossible length');
  const block = bytes <= head.length ? head.subarray(0, bytes) : file.read(position, bytes);
  const crc = block.readUInt32LE(4);
  if (blockCrc(block) !== crc) throw bad('wrong checksum');
  if (readUInt64(block, 8) !== expected.number) throw bad('wrong number');
  if (block.readUInt32LE(20) !== expected.previousCrc) throw bad('wrong chain');
  const kind = block.readUInt16LE(24);
  if (kind !== blockKinds.records && kind !== blockKinds.footer) throw bad('unknown kind');
  const payload = block.subarray(blockHeaderBytes, length);
  return { kind, bytes, records: block.readUInt32LE(16), crc, payload };
}

function checkedCounts(payload: Buffer, records: number, blocks: number): PackedCounts {
  const [footerRecords, footerBlocks, kinds] = unpackValue(payload) as [
    number,
    number,
    Record<string, number>,
  ];
  if (footerRecords !== records || footerBlocks !== blocks) {
    throw new SnapshotDamaged(`it holds ${records} records, its footer says ${footerRecords}`);
  }
  return { records, kinds };
}

function blockCrc(block: Buffer): number {
  return crc32(block.subarray(8), crc32(block.subarray(0, 4)));
}

/** Room for a full block with its header and padding. */
const readAheadBytes = blockHeaderBytes + usualBlockBytes + 8;
