// Walks the frames of one segment in memory, and evaluates the bytes after the last good one.

import { firstNonZero, nonZeroEnd } from '../binary.ts';
import { LogCorrupt, NewerFormat } from '../errors.ts';
import type { Lsn } from '../journal.ts';
import {
  claimedLsn,
  type FrameHeader,
  frameBytesAt,
  frameHeaderBytes,
  frameKinds,
  isKnownFrame,
  readFrame,
} from './frame.ts';
import { logFormatVersion, type SegmentHeader, segmentHeaderBytes } from './segment.ts';

/** A frame and its place. */
export interface PlacedFrame {
  readonly header: FrameHeader;
  readonly offset: number;
  readonly payload: Buffer;
}

/** Where the good frames of a segment end. */
export interface SegmentEnd {
  /** Offset after the last good frame. */
  readonly offset: number;
  /** LSN and checksum of the last good frame. */
  readonly lsn: Lsn;
  readonly crc: number;
  /** Offset of the first frame of its batch: nothing from there on was ever proven durable. */
  readonly batchOffset: number;
}

/** A segment's bytes and the values they are checked against. */
export interface LoadedSegment {
  readonly path: string;
  readonly bytes: Buffer;
  readonly header: SegmentHeader;
  readonly seed: number;
}

/**
 * The frames of a segment: dense, chained, each with a matching checksum. Ends at the first frame
 * that is not.
 * @throws NewerFormat for a frame this program does not know.
 */
export function* framesOf(segment: LoadedSegment): Generator<PlacedFrame, SegmentEnd> {
  const { bytes, header, seed, path } = segment;
  let offset = segmentHeaderBytes;
  let lsn = header.firstLsn - 1;
  let crc = header.previousCrc;
  let batch = -1;
  let batchOffset = 0;
  for (;;) {
    const frame = readFrame(bytes, offset, seed);
    if (frame === undefined || frame.lsn !== lsn + 1 || frame.previousCrc !== crc) break;
    if (!isKnownFrame(frame)) throw newerFrame(path, frame);
    if (frame.batch !== batch) {
      batch = frame.batch;
      batchOffset = offset;
    }
    const payload = bytes.subarray(offset + frameHeaderBytes, offset + frame.length);
    yield { header: frame, offset, payload };
    offset += frameBytesAt(bytes, offset);
    ({ lsn, crc } = frame);
  }
  return { offset, lsn, crc, batchOffset };
}

/** The error for a frame of a kind, or with flags, that this program does not know. */
export function newerFrame(path: string, { kind, flags }: FrameHeader): NewerFormat {
  const what = `a frame of kind ${kind} with flags ${flags}, log format over`;
  return new NewerFormat(path, what, logFormatVersion, logFormatVersion);
}

/**
 * Evaluates the bytes after the last good frame of the newest segment. Returns where the torn tail
 * ends, which is `end.offset` itself when there is none.
 *
 * A frame of a later batch is only written once the batches before it are durable. If such a frame
 * follows a bad one, the bad one was durable once, so it is damage. The same holds for a seal.
 *
 * In a clustered segment nothing is damage: the cluster has all of its frames.
 * @throws LogCorrupt
 */
export function tornTailEnd(
  segment: LoadedSegment,
  end: Pick<SegmentEnd, 'offset' | 'lsn'>,
): number {
  const { bytes, header, path, seed } = segment;
  const first = firstNonZero(bytes, end.offset);
  if (first === -1) return end.offset;
  if (header.isClustered) return nonZeroEnd(bytes, end.offset);
  const lsn = end.lsn + 1;
  const place = { file: path, offset: end.offset, lsn };
  if (readFrame(bytes, end.offset, seed) !== undefined) {
    throw new LogCorrupt(place, 'a frame stands there that does not follow the one before it');
  }
  const proof = provesDamage(bytes, end.offset, lsn, seed);
  if (proof !== undefined) {
    throw new LogCorrupt(place, `a good frame that was written later stands at ${proof}`);
  }
  return nonZeroEnd(bytes, end.offset);
}

/** Offset of a frame after `start` that was written when `lsn` was durable, if there is one. */
function provesDamage(bytes: Buffer, start: number, lsn: Lsn, seed: number): number | undefined {
  for (let at = start + 8; at + frameHeaderBytes <= bytes.length; at += 8) {
    if (bytes.readUInt32LE(at) < frameHeaderBytes) {
      const next = firstNonZero(bytes, at);
      if (next === -1) return undefined;
      // Zeros are skipped in one go, except for the word that holds the next byte.
      at = Math.max(at, next - (next % 8) - 8);
      continue;
    }
    const claimed = claimedLsn(bytes, at);
    const possible = claimed >= lsn && claimed <= lsn + (at - start) / frameHeaderBytes;
    const frame = possible ? readFrame(bytes, at, seed) : undefined;
    if (frame !== undefined && (frame.batch > lsn || frame.kind === frameKinds.seal)) return at;
  }
  return undefined;
}

/** Whether a file whose header is unreadable holds any frame of the data set. */
export function holdsFrames(bytes: Buffer, seed: number): boolean {
  for (let at = firstNonZero(bytes, 0); at !== -1; at = firstNonZero(bytes, at + 8)) {
    at -= at % 8;
    if (readFrame(bytes, at, seed) !== undefined) return true;
  }
  return false;
}
