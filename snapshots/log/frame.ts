// One frame of the log as bytes: header, payload, padding (format.md, "Frame").

import { crc32 } from 'node:zlib';

import { paddedToWords, readUInt64, writeUInt64 } from '../binary.ts';
import type { Lsn } from '../journal.ts';

/** Bytes of a frame before its payload. */
export const frameHeaderBytes = 32;

/** The types of frames. Other numbers are newer than this program. */
export const frameKinds = { transaction: 1, seal: 2, term: 3 } as const;

/** Whether this program knows the frame's kind, and its flags, of which there are none so far. */
export function isKnownFrame({ kind, flags }: Pick<FrameHeader, 'kind' | 'flags'>): boolean {
  return kind >= frameKinds.transaction && kind <= frameKinds.term && flags === 0;
}

/** The header of a frame as read. */
export interface FrameHeader {
  /** Bytes of header and payload, without padding. */
  readonly length: number;
  readonly crc: number;
  readonly lsn: Lsn;
  /** The first LSN that was not yet known durable when this frame was written. */
  readonly batch: Lsn;
  /** `crc` of the previous frame; it chains the log. */
  readonly previousCrc: number;
  readonly kind: number;
  readonly flags: number;
}

/** The fields that the writer adds when a frame's place in the log is known. */
export interface FrameStamp {
  readonly lsn: Lsn;
  readonly batch: Lsn;
  readonly previousCrc: number;
}

/** Bytes a payload takes in the log, with header and padding. */
export function frameBytes(payloadBytes: number): number {
  return paddedToWords(frameHeaderBytes + payloadBytes);
}

/** Bytes of the frame that starts at `offset`, computed from its length field. */
export function frameBytesAt(buffer: Buffer, offset: number): number {
  return paddedToWords(buffer.readUInt32LE(offset));
}

/**
 * Writes an unstamped frame at `offset`: length, kind, payload, zero padding. Returns its bytes.
 */
export function putFrame(
  buffer: Buffer,
  offset: number,
  kind: number,
  payload: Uint8Array,
): number {
  const length = frameHeaderBytes + payload.length;
  const bytes = paddedToWords(length);
  buffer.writeUInt32LE(length, offset);
  buffer.writeUInt32LE(kind, offset + 28);
  buffer.set(payload, offset + frameHeaderBytes);
  for (let pad = length; pad < bytes; pad++) buffer[offset + pad] = 0;
  return bytes;
}

/**
 * Stamps the frame at `offset` and returns its CRC.
 * @param seed checksum of the data-set id: a frame of another data set, or one hidden inside a
 *   payload, never passes as ours.
 */
export function stampFrame(
  buffer: Buffer,
  offset: number,
  stamp: FrameStamp,
  seed: number,
): number {
  writeUInt64(buffer, stamp.lsn, offset + 8);
  writeUInt64(buffer, stamp.batch, offset + 16);
  buffer.writeUInt32LE(stamp.previousCrc, offset + 24);
  const crc = frameCrc(buffer, offset, frameBytesAt(buffer, offset), seed);
  buffer.writeUInt32LE(crc, offset + 4);
  return crc;
}

/**
 * Reads the frame at `offset`; undefined when there is none or its checksum does not match. The
 * reader evaluates whether it belongs there (LSN, chain, kind).
 */
export function readFrame(buffer: Buffer, offset: number, seed: number): FrameHeader | undefined {
  if (offset + frameHeaderBytes > buffer.length) return undefined;
  const length = buffer.readUInt32LE(offset);
  const bytes = paddedToWords(length);
  if (length < frameHeaderBytes || offset + bytes > buffer.length) return undefined;
  const crc = buffer.readUInt32LE(offset + 4);
  if (crc !== frameCrc(buffer, offset, bytes, seed)) return undefined;
  return {
    length,
    crc,
    lsn: readUInt64(buffer, offset + 8),
    batch: readUInt64(buffer, offset + 16),
    previousCrc: buffer.readUInt32LE(offset + 24),
    kind: buffer.readUInt16LE(offset + 28),
    flags: buffer.readUInt16LE(offset + 30),
  };
}

/** The header fields of the frame at `offset`, unchecked: for frames that were verified before. */
export function stampOf(
  buffer: Buffer,
  offset: number,
): Pick<FrameHeader, 'lsn' | 'crc' | 'previousCrc' | 'kind'> {
  return {
    lsn: readUInt64(buffer, offset + 8),
    crc: buffer.readUInt32LE(offset + 4),
    previousCrc: buffer.readUInt32LE(offset + 24),
    kind: buffer.readUInt16LE(offset + 28),
  };
}

/**
 * The LSN field at `offset`, unchecked. A search uses it to skip what cannot be a frame without
 * computing a CRC.
 */
export function claimedLsn(buffer: Buffer, offset: number): number {
  return readUInt64(buffer, offset + 8);
}

/** The seed of all frame checksums of a data set. */
export function frameSeed(dataSetId: string): number {
  return crc32(Buffer.from(dataSetId, 'hex'));
}

// The length is part of the checksum's start value: this takes one call per frame instead of two.
function frameCrc(buffer: Buffer, offset: number, bytes: number, seed: number): number {
  const start = (seed ^ buffer.readUInt32LE(offset)) >>> 0;
  return crc32(buffer.subarray(offset + 8, offset + bytes), start);
}
