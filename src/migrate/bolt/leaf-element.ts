// One element of a leaf. Its key and its value are cut out of the page only if somebody asks for
// them, because most of a large database is walked through and not used.

import type { Bucket, BucketEntry } from './bucket.ts';

/** An element of a leaf. */
export class LeafElement implements BucketEntry {
  /** Whether the value says where a bucket is. */
  readonly isBucket: boolean;
  /** Where in the page it begins. */
  readonly position: number;
  /** The bucket; whoever reads the page finds it. */
  bucket: Bucket | undefined;
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #keyEnd: number;
  readonly #end: number;

  /**
   * @param bytes hold the key and the value
   * @param position where in the page the key begins
   */
  constructor(
    isBucket: boolean,
    bytes: Buffer,
    place: { readonly start: number; readonly keySize: number; readonly end: number },
    position: number,
  ) {
    this.isBucket = isBucket;
    this.position = position;
    this.bucket = undefined;
    this.#bytes = bytes;
    this.#start = place.start;
    this.#keyEnd = place.start + place.keySize;
    this.#end = place.end;
  }

  get key(): Buffer {
    return this.#bytes.subarray(this.#start, this.#keyEnd);
  }

  get name(): string {
    return this.#bytes.toString('utf8', this.#start, this.#keyEnd);
  }

  get size(): number {
    return this.#end - this.#start;
  }

  get value(): Buffer | undefined {
    return this.isBucket ? undefined : this.content;
  }

  /** The value, or what says where the bucket is. */
  get content(): Buffer {
    return this.#bytes.subarray(this.#keyEnd, this.#end);
  }

  /** Below 0 if the key comes before that of another element, 0 if it is the same. */
  compare(other: LeafElement): number {
    return compareBytes(
      { bytes: this.#bytes, start: this.#start, end: this.#keyEnd },
      { bytes: other.#bytes, start: other.#start, end: other.#keyEnd },
    );
  }

  /** Below 0 if the key comes before another one, 0 if it is the same. */
  compareKey(key: Buffer): number {
    return compareBytes(
      { bytes: this.#bytes, start: this.#start, end: this.#keyEnd },
      { bytes: key, start: 0, end: key.length },
    );
  }
}

interface ByteRange {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Keys differ within a few bytes, which takes less time here than a call of Buffer.compare. */
function compareBytes(a: ByteRange, b: ByteRange): number {
  const common = Math.min(a.end - a.start, b.end - b.start);
  for (let at = 0; at < common; at++) {
    const difference = (a.bytes[a.start + at] ?? 0) - (b.bytes[b.start + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.end - a.start - (b.end - b.start);
}
