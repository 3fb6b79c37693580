// The fields of one bucket of the peer's database, with a note of which were read.

import type { Bucket, BucketEntry } from '../bolt/bucket.ts';
import { Allowance } from './allowance.ts';
import { listOf, mapOf, numberedOf, setOf } from './collections.ts';
import type { PeerEntity, PeerFields, PeerJson } from './entity.ts';
import { Place } from './place.ts';
import { flagOf, integerOf, isNil, nameOf, textOf, timeOf } from './values.ts';

/** Fields of an entity, or of a bucket below it. */
export class Fields implements PeerFields {
  readonly #place: Place;
  readonly #entries = new Map<string, BucketEntry>();
  readonly #noted = new Set<string>();
  readonly #below = new Map<string, Fields>();

  /** @throws SourceDamaged for names that are no text */
  constructor(bucket: Bucket, place: Place) {
    this.#place = place;
    const allowance = new Allowance();
    for (const entry of bucket.entries()) {
      allowance.take(entry, place);
      this.#entries.set(nameOf(entry, place), entry);
    }
  }

  text(field: string): string | undefined {
    const value = this.#value(field, 'a text');
    return value === undefined ? undefined : textOf(value, this.#place.under(field));
  }

  flag(field: string): boolean {
    const value = this.#value(field, 'a bool');
    return value !== undefined && flagOf(value, this.#place.under(field));
  }

  integer(field: string): number | undefined {
    const value = this.#value(field, 'a whole number');
    return value === undefined ? undefined : integerOf(value, this.#place.under(field));
  }

  time(field: string): number | undefined {
    const value = this.#value(field, 'a time');
    return value === undefined ? undefined : timeOf(value, this.#place.under(field));
  }

  bytes(field: string): Buffer | undefined {
    const entry = this.#entry(field);
    if (entry?.bucket !== undefined) throw this.#isBucket(field, 'bytes');
    return entry?.value === undefined ? undefined : Buffer.from(entry.value);
  }

  numbered(field: string): ReadonlyMap<number, Buffer> {
    const bucket = this.#bucket(field);
    return bucket === undefined ? new Map() : numberedOf(bucket, this.#place.under(field));
  }

  set(field: string): string[] {
    const bucket = this.#bucket(field);
    return bucket === undefined ? [] : setOf(bucket, this.#place.under(field));
  }

  map(field: string): Readonly<Record<string, PeerJson>> {
    const bucket = this.#bucket(field);
    return bucket === undefined ? {} : mapOf(bucket, this.#place.under(field));
  }

  list(field: string): readonly PeerJson[] {
    const bucket = this.#bucket(field);
    return bucket === undefined ? [] : listOf(bucket, this.#place.under(field));
  }

  below(field: string): PeerFields | undefined {
    const known = this.#below.get(field);
    if (known !== undefined) return known;
    const bucket = this.#bucket(field);
    if (bucket === undefined) return undefined;
    const below = new Fields(bucket, this.#place.under(field));
    this.#below.set(field, below);
    return below;
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  pass(...fields: readonly string[]): void {
    for (const field of fields) {
      this.#noted.add(field);
      this.#below.delete(field);
    }
  }

  unread(): string[] {
    return [...this.#entries.keys()].flatMap((field) => {
      if (!this.#noted.has(field)) return [field];
      const below = this.#below.get(field);
      return below === undefined ? [] : below.unread().map((path) => `${field}.${path}`);
    });
  }

  /** A value that is there and not nil. */
  #value(field: string, wanted: string): Buffer | undefined {
    const entry = this.#entry(field);
    if (entry === undefined) return undefined;
    if (entry.value === undefined) throw this.#isBucket(field, wanted);
    return isNil(entry.value) ? undefined : entry.value;
  }

  /** The bucket of a field; undefined if the field is absent or nil. */
  #bucket(field: string): Bucket | undefined {
    const entry = this.#entry(field);
    if (entry?.value !== undefined && !isNil(entry.value)) {
      throw this.#place.under(field).damaged('is a single value instead of a bucket');
    }
    return entry?.bucket;
  }

  #entry(field: string): BucketEntry | undefined {
    this.#noted.add(field);
    return this.#entries.get(field);
  }

  #isBucket(field: string, wanted: string): Error {
    return this.#place.under(field).damaged(`is a bucket instead of ${wanted}`);
  }
}

/** One entity of the peer. */
export class Entity extends Fields implements PeerEntity {
  readonly kind: string;
  readonly id: string;

  constructor(kind: string, id: string, bucket: Bucket) {
    super(bucket, new Place(`${kind} ${id}`));
    this.kind = kind;
    this.id = id;
  }
}
