// What a bucket holds as plain values, to compare what was written with what is read.

import { openBolt } from '../../../src/migrate/bolt/bolt-file.ts';
import type { Bucket } from '../../../src/migrate/bolt/bucket.ts';
import type { BoltBucket } from './bolt-writer.ts';
import { MemoryFile } from './memory-file.ts';

/** Keys and values in hex, in their order; a bucket is the list of its own. */
export type Content = readonly (readonly [key: string, value: string | Content])[];

/** What is in the file with these bytes. */
export function contentOf(file: Buffer): Content {
  return contentIn(openBolt(new MemoryFile(file)).root);
}

/** What is in a bucket that is read. */
export function contentIn(bucket: Bucket): Content {
  return [...bucket.entries()].map(({ key, value, bucket: below }) => [
    key.toString('hex'),
    below === undefined ? (value ?? Buffer.alloc(0)).toString('hex') : contentIn(below),
  ]);
}

/** What is in a bucket that was written. */
export function contentGiven({ entries }: BoltBucket): Content {
  return entries
    .map(([key, value]): [Buffer, string | Content] => [
      Buffer.from(key),
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : contentGiven(value),
    ])
    .sort(([a], [b]) => Buffer.compare(a, b))
    .map(([key, value]) => [key.toString('hex'), value]);
}
