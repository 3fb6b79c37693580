// How much of the database one entity or one field may bring into memory.

import type { BucketEntry } from '../bolt/bucket.ts';
import type { Place } from './place.ts';

/**
 * Bytes of keys and values that one field holds with everything below it. The largest are links of
 * a policy or service: a million of them have 40 MB. @bound per entity
 */
const fieldBytesMax = 67_108_864;

/** What an entry costs beside its bytes. */
const entryBytes = 16;

/** What is left of the bytes of one field. */
export class Allowance {
  #left = fieldBytesMax;

  /** @throws SourceDamaged, about `place`, if an entry is one too many */
  take(entry: BucketEntry, place: Place): void {
    this.#left -= entryBytes + entry.size;
    if (this.#left < 0) throw place.damaged(`holds more than ${fieldBytesMax} bytes`);
  }
}
