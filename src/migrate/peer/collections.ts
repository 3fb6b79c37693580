// Sets, maps and lists of the peer: buckets that a field holds.

import type { Bucket, BucketEntry } from '../bolt/bucket.ts';
import { Allowance } from './allowance.ts';
import type { PeerJson } from './entity.ts';
import type { Place } from './place.ts';
import { integerOf, nameOf, scalarOf, textOf } from './values.ts';

/** The key under which a list keeps its length. */
const listSizeKey = Buffer.from('__list__size__36484231-110c-4767-afe2-01b6e3db107a');

/** Bytes of the key of a list's member: the type byte of an int32, and its index. */
const indexKeyBytes = 5;
const int32Type = 2;

/**
 * The texts of a set. Some carry a count or an id, which says nothing further.
 * @throws SourceDamaged for what is no set
 */
export function setOf(bucket: Bucket, place: Place): string[] {
  const allowance = new Allowance();
  const texts: string[] = [];
  for (const entry of bucket.entries()) {
    allowance.take(entry, place);
    if (entry.bucket !== undefined) throw place.damaged('is a map or list instead of a set');
    texts.push(textOf(entry.key, place));
  }
  return texts;
}

/** A map with all that is below it. @throws SourceDamaged for what is no map */
export function mapOf(bucket: Bucket, place: Place): Readonly<Record<string, PeerJson>> {
  const allowance = new Allowance();
  const entries = entriesOf(bucket, place, allowance);
  if (isList(entries)) throw place.damaged('is a list instead of a map');
  return mapFrom(entries, place, allowance);
}

/** A list with all that is below it. @throws SourceDamaged for what is no list */
export function listOf(bucket: Bucket, place: Place): readonly PeerJson[] {
  const allowance = new Allowance();
  const entries = entriesOf(bucket, place, allowance);
  if (isList(entries)) return listFrom(entries, place, allowance);
  // An empty bucket does not say what it is; only the field does.
  if (entries.length > 0) throw place.damaged('is a map or set instead of a list');
  return [];
}

/** Bytes by number. @throws SourceDamaged for keys that are no uint32 */
export function numberedOf(bucket: Bucket, place: Place): ReadonlyMap<number, Buffer> {
  const allowance = new Allowance();
  const found = new Map<number, Buffer>();
  for (const entry of bucket.entries()) {
    allowance.take(entry, place);
    if (entry.value === undefined || entry.key.length !== 4) {
      throw place.damaged('has an entry that is not bytes under a number');
    }
    found.set(entry.key.readUInt32LE(), Buffer.from(entry.value));
  }
  return found;
}

/** A map or list below another one. Buckets lie at most 40 deep, so this may call itself. */
function jsonOf(entry: BucketEntry, place: Place, allowance: Allowance): PeerJson {
  if (entry.bucket === undefined) return scalarOf(entry.value ?? Buffer.alloc(0), place);
  const entries = entriesOf(entry.bucket, place, allowance);
  return isList(entries) ? listFrom(entries, place, allowance) : mapFrom(entries, place, allowance);
}

function entriesOf(bucket: Bucket, place: Place, allowance: Allowance): BucketEntry[] {
  const entries: BucketEntry[] = [];
  for (const entry of bucket.entries()) {
    allowance.take(entry, place);
    entries.push(entry);
  }
  return entries;
}

/** A list without its length counts as one, so that it is refused and not taken for a map. */
function isList(entries: readonly BucketEntry[]): boolean {
  if (entries.some(({ key }) => key.equals(listSizeKey))) return true;
  return entries.length > 0 && entries.every(isMember);
}

function isMember({ key }: BucketEntry): boolean {
  return key.length === indexKeyBytes && key[0] === int32Type;
}

function mapFrom(
  entries: readonly BucketEntry[],
  place: Place,
  allowance: Allowance,
): Readonly<Record<string, PeerJson>> {
  const members = entries.map((entry): [string, PeerJson] => {
    const name = nameOf(entry, place);
    return [name, jsonOf(entry, place.under(name), allowance)];
  });
  // This makes a property of `__proto__`, where an assignment would change the prototype.
  return Object.fromEntries(members);
}

/** Members stand in the order of the bytes of their indexes, which is another one from 256 on. */
function listFrom(
  entries: readonly BucketEntry[],
  place: Place,
  allowance: Allowance,
): readonly PeerJson[] {
  const size = entries.find(({ key }) => key.equals(listSizeKey))?.value;
  if (size === undefined) throw place.damaged('is a list without its length');
  const length = integerOf(size, place);
  if (length !== entries.length - 1) {
    throw place.damaged(
      `is a list of ${length} members, but ${entries.length - 1} are there, so it has a gap`,
    );
  }
  const members = new Map<number, PeerJson>();
  for (const entry of entries) {
    if (entry.key.equals(listSizeKey)) continue;
    if (!isMember(entry)) throw place.damaged('is a list with a key that is no index');
    const index = entry.key.readInt32LE(1);
    if (index < 0 || index >= length) {
      throw place.damaged(`is a list of ${length} members with an index ${index}`);
    }
    members.set(index, jsonOf(entry, place.under(String(index)), allowance));
  }
  return Array.from({ length }, (_, index) => members.get(index) ?? null);
}
