// A bucket of a bbolt file: its keys in the order of their bytes, each with a value or a bucket.

/** What lies under one key: either a value or a bucket. */
export interface BucketEntry {
  readonly key: Buffer;
  /** The key as a text, in which U+FFFD stands for what is no UTF-8. */
  readonly name: string;
  /** Bytes of the key and the value. */
  readonly size: number;
  /** Absent if a bucket lies under the key. */
  readonly value?: Buffer;
  readonly bucket?: Bucket;
}

/**
 * A bucket that is read from its file as it is walked through, so that its size does not matter.
 * Each method throws SourceDamaged, with the number of the page, for bytes that no bbolt file has.
 */
export interface Bucket {
  /** All entries in the order of their keys. */
  entries(): Iterable<BucketEntry>;
  /** The value under a key; undefined if there is none, or a bucket. */
  value(key: string | Uint8Array): Buffer | undefined;
  /** The bucket under a key; undefined if there is none, or a value. */
  bucket(key: string | Uint8Array): Bucket | undefined;
}
