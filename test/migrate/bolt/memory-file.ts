// A file in memory for the reader of bbolt files, which notes how much is read of it.

import type { DiskFile } from '../../../src/platform/ports.ts';

/** A file that can only be read. */
export class MemoryFile implements DiskFile {
  /** Changes are seen by the next read. */
  bytes: Buffer;
  /** How often it was read. */
  readCount = 0;
  /** The most bytes that were read at once. */
  largestRead = 0;
  readonly #readsMax: number;

  /** @param readsMax reads after which it fails, which ends a reader that goes round in circles */
  constructor(bytes: Buffer, readsMax = Number.POSITIVE_INFINITY) {
    this.bytes = bytes;
    this.#readsMax = readsMax;
  }

  size(): number {
    return this.bytes.length;
  }

  read(position: number, length: number): Buffer {
    if (++this.readCount > this.#readsMax) throw new Error('the file is read without an end');
    this.largestRead = Math.max(this.largestRead, length);
    return Buffer.from(this.bytes.subarray(position, position + length));
  }

  readonly write = refuse;
  readonly sync = refuse;

  close(): void {}
}

function refuse(): never {
  throw new Error('a source is never written to');
}
