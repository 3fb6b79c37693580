// 64-bit little-endian integers as safe integers: Buffer itself offers them only as BigInt.

const wordSpan = 2 ** 32;

/** Writes `value`, a safe integer of at least 0, as u64 little-endian. */
export function writeUInt64(buffer: Buffer, value: number, offset: number): void {
  buffer.writeUInt32LE(value >>> 0, offset);
  buffer.writeUInt32LE(Math.floor(value / wordSpan), offset + 4);
}

/** Reads a u64 little-endian; values over 2^53 come out imprecise, callers compare and refuse. */
export function readUInt64(buffer: Buffer, offset: number): number {
  return buffer.readUInt32LE(offset + 4) * wordSpan + buffer.readUInt32LE(offset);
}

/** `bytes` rounded up to whole 8-byte words. */
export function paddedToWords(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/** The first byte that is not zero from `start` on, or -1. */
export function firstNonZero(buffer: Buffer, start: number): number {
  for (let at = start; at < buffer.length; at += zeroBlock.length) {
    const end = Math.min(at + zeroBlock.length, buffer.length);
    if (buffer.compare(zeroBlock, 0, end - at, at, end) === 0) continue;
    for (let index = at; index < end; index++) if (buffer[index] !== 0) return index;
  }
  return -1;
}

/** One past the last byte that is not zero from `start` on; `start` when there is none. */
export function nonZeroEnd(buffer: Buffer, start: number): number {
  for (let end = buffer.length; end > start; end -= zeroBlock.length) {
    const at = Math.max(start, end - zeroBlock.length);
    if (buffer.compare(zeroBlock, 0, end - at, at, end) === 0) continue;
    for (let index = end - 1; index >= at; index--) if (buffer[index] !== 0) return index + 1;
  }
  return start;
}

/** Real zeros to write from: 64 KiB. */
export const zeroBlock: Buffer = Buffer.alloc(65_536);
