// A map by strings that never blocks the thread for long, however large it is.

import { randomInt } from 'node:crypto';
import { LongList } from './long-list.ts';
import { type FaultSearch, rowsAStep } from './walk.ts';

/**
 * A power of two. At 16 million keys the cells of a partition are 4 MB and are rebuilt in a few ms.
 */
const partitionCount = 64;
const partShift = 32 - Math.log2(partitionCount);

/** How many numbers the cells of a partition hold at first and at least, a power of two. */
const cellNumbersLeast = 8;

/** Loaded keys that there is room for at first. Up to this number, keys are added as if set. */
const loadedLeast = 64;

/** A random seed, so that clients cannot choose names that collide. */
const processSeed = randomInt(2 ** 32);

/**
 * Values by key. V8 rebuilds a `Map` in one go when it doubles, and reads every key for that: 14 ms
 * at 65,536 keys that are not in the cache, 70 ms and more at a million. Here only numbers are
 * moved, one partition at a time, and the collector has nothing to follow in them. Keys and values
 * stay in insertion order as long as none is removed, so that neighbours in the table stay
 * neighbours in memory.
 */
export class KeyMap<V> {
  /**
   * Pairs of a key's hash and its place plus one, by linear probing; 0 is an empty cell. Public for
   * tests that damage or measure it.
   */
  readonly partitions: (Int32Array | undefined)[] = new Array(partitionCount).fill(undefined);
  readonly #counts = new Uint32Array(partitionCount);
  readonly #keys = new LongList<string>();
  readonly #values = new LongList<V>();
  readonly #freePlaces: number[] = [];
  readonly #seed: number;
  /** Hashes of the last keys that were loaded and are not yet added to the partitions. */
  #loaded: Int32Array = new Int32Array(0);
  #loadedCount = 0;

  /** A fixed 32-bit seed is for tests: keys are then at the same places in each run. */
  constructor(seed: number = processSeed) {
    this.#seed = seed | 0;
  }

  get size(): number {
    this.endLoad();
    return this.#keys.length - this.#freePlaces.length;
  }

  get(key: string): V | undefined {
    this.endLoad();
    const place = this.#placeOf(key, hashOf(key, this.#seed));
    return place < 0 ? undefined : this.#values.get(place);
  }

  has(key: string): boolean {
    this.endLoad();
    return this.#placeOf(key, hashOf(key, this.#seed)) >= 0;
  }

  set(key: string, value: V): this {
    this.endLoad();
    const hash = hashOf(key, this.#seed);
    const known = this.#placeOf(key, hash);
    if (known >= 0) {
      this.#values.set(known, value);
      return this;
    }
    const place = this.#freePlaces.pop() ?? this.#keys.length;
    this.#keys.set(place, key);
    this.#values.set(place, value);
    this.#putIn(hash, place);
    return this;
  }

  /**
   * Like `set`, for recovery, which loads a million keys of which hardly any is present yet. The
   * key is added with all others at the next read of the map, or by `endLoad`.
   */
  load(key: string, value: V): void {
    if (this.#loadedCount === this.#loaded.length) this.#loaded = grown(this.#loaded);
    this.#loaded[this.#loadedCount++] = hashOf(key, this.#seed);
    this.#keys.push(key);
    this.#values.push(value);
  }

  /**
   * Adds what was loaded, one partition after the other. Cells get their final size at once, and
   * the cells of one partition fit into the processor's cache; a million searches across all
   * partitions would each wait for memory. It runs in one go, so it is for a start only.
   */
  endLoad(): void {
    if (this.#loadedCount === 0) return;
    const hashes = this.#loaded.subarray(0, this.#loadedCount);
    this.#loadedCount = 0;
    if (hashes.length <= loadedLeast) this.#putInFew(hashes);
    else {
      this.#loaded = new Int32Array(0);
      this.#putInMany(hashes);
    }
  }

  /** Adds loaded keys one by one, for callers that read the map between loads. */
  #putInFew(hashes: Int32Array): void {
    const first = this.#keys.length - hashes.length;
    for (const [at, hash] of hashes.entries()) {
      const key = this.#keys.get(first + at);
      const known = key === undefined ? -1 : this.#placeOf(key, hash);
      if (known < 0) this.#putIn(hash, first + at);
      else this.#renew(known, first + at);
    }
  }

  #putInMany(hashes: Int32Array): void {
    const first = this.#keys.length - hashes.length;
    const ends = new Uint32Array(partitionCount);
    for (const hash of hashes) {
      const partition = partitionOf(hash);
      ends[partition] = (ends[partition] as number) + 1;
    }
    this.#makeRoom(ends);
    for (let partition = 1; partition < partitionCount; partition++) {
      ends[partition] = (ends[partition] as number) + (ends[partition - 1] as number);
    }
    const byPartition = new Int32Array(hashes.length * 2);
    for (let at = hashes.length - 1; at >= 0; at--) {
      const hash = hashes[at] as number;
      const partition = partitionOf(hash);
      const end = (ends[partition] as number) - 1;
      ends[partition] = end;
      byPartition[end * 2] = hash;
      byPartition[end * 2 + 1] = first + at;
    }
    for (let at = 0; at < byPartition.length; at += 2) {
      this.#putInRoom(byPartition[at] as number, byPartition[at + 1] as number);
    }
  }

  /** Adds a key for which there is room. If the key is present, it gets the later value. */
  #putInRoom(hash: number, place: number): void {
    const partition = partitionOf(hash);
    const cells = this.partitions[partition] as Int32Array;
    const mask = cells.length - 1;
    let at = (hash << 1) & mask;
    for (; cells[at + 1] !== 0; at = (at + 2) & mask) {
      const known = (cells[at + 1] as number) - 1;
      // The keys themselves are far away in memory, but hardly any has to be read.
      if (cells[at] !== hash || this.#keys.get(known) !== this.#keys.get(place)) continue;
      this.#renew(known, place);
      return;
    }
    cells[at] = hash;
    cells[at + 1] = place + 1;
    this.#counts[partition] = (this.#counts[partition] as number) + 1;
  }

  /** Moves the value of a key that is at two places to the first, and frees the second. */
  #renew(place: number, second: number): void {
    this.#values.set(place, this.#values.get(second));
    this.#free(second);
  }

  #free(place: number): void {
    this.#keys.set(place, undefined);
    this.#values.set(place, undefined);
    this.#freePlaces.push(place);
  }

  /** @param more how many more keys each partition is to hold */
  #makeRoom(more: Uint32Array): void {
    for (let partition = 0; partition < partitionCount; partition++) {
      const count = (this.#counts[partition] as number) + (more[partition] as number);
      if (count === 0) continue;
      const cells = this.partitions[partition];
      let length = cells?.length ?? cellNumbersLeast;
      while (count * 3 > length) length *= 2;
      if (cells === undefined) this.partitions[partition] = new Int32Array(length);
      else if (cells.length < length) this.partitions[partition] = moved(cells, length);
    }
  }

  /** Removes a key. Returns whether it was present. */
  delete(key: string): boolean {
    this.endLoad();
    const hash = hashOf(key, this.#seed);
    const place = this.#placeOf(key, hash);
    if (place < 0) return false;
    this.#takeOut(hash, place);
    this.#free(place);
    return true;
  }

  /** Entries that are added or removed between two steps may be missed, but no others. */
  *entries(): Generator<[string, V]> {
    this.endLoad();
    for (const [place, key] of this.#keys.entries()) yield [key, this.#values.get(place) as V];
  }

  keys(): Generator<string> {
    this.endLoad();
    return this.#keys[Symbol.iterator]();
  }

  values(): Generator<V> {
    this.endLoad();
    return this.#values[Symbol.iterator]();
  }

  [Symbol.iterator](): Generator<[string, V]> {
    return this.entries();
  }

  /** Checks each key and counts the cells. A key that is not found makes its value seem missing. */
  *findFault(): FaultSearch {
    this.endLoad();
    let checked = 0;
    for (const [place, key] of this.#keys.entries()) {
      if (this.#placeOf(key, hashOf(key, this.#seed)) !== place) return 'a key is not found';
      if (++checked % rowsAStep === 0) yield;
    }
    for (const [partition, count] of this.#counts.entries()) {
      if (countIn(this.partitions[partition]) !== count) return 'keys are miscounted';
      yield;
    }
    return undefined;
  }

  /** The place of a key; -1 if it is not present. */
  #placeOf(key: string, hash: number): number {
    const cells = this.partitions[partitionOf(hash)];
    if (cells === undefined) return -1;
    const mask = cells.length - 1;
    for (let at = (hash << 1) & mask; ; at = (at + 2) & mask) {
      const place = (cells[at + 1] as number) - 1;
      if (place < 0 || (cells[at] === hash && this.#keys.get(place) === key)) return place;
    }
  }

  #putIn(hash: number, place: number): void {
    const partition = partitionOf(hash);
    const count = (this.#counts[partition] as number) + 1;
    this.#counts[partition] = count;
    let cells = this.partitions[partition];
    // A third of the cells stays free: searches end there.
    if (cells === undefined) this.partitions[partition] = cells = new Int32Array(cellNumbersLeast);
    else if (count * 3 > cells.length)
      this.partitions[partition] = cells = moved(cells, cells.length * 2);
    insert(cells, hash, place + 1);
  }

  #takeOut(hash: number, place: number): void {
    const partition = partitionOf(hash);
    const cells = this.partitions[partition];
    if (cells === undefined) return;
    const mask = cells.length - 1;
    let at = (hash << 1) & mask;
    while (cells[at + 1] !== place + 1) at = (at + 2) & mask;
    empty(cells, at);
    const count = (this.#counts[partition] as number) - 1;
    this.#counts[partition] = count;
    // Well below the size at which it would grow again.
    const isSparse = count * 12 < cells.length && cells.length > cellNumbersLeast;
    if (isSparse) this.partitions[partition] = moved(cells, cells.length / 2);
  }
}

function grown(numbers: Int32Array): Int32Array {
  const others = new Int32Array(Math.max(loadedLeast, numbers.length * 2));
  others.set(numbers);
  return others;
}

function partitionOf(hash: number): number {
  return hash >>> partShift;
}

/** The same entries in cells of another length. */
function moved(cells: Int32Array, length: number): Int32Array {
  const others = new Int32Array(length);
  for (let at = 0; at < cells.length; at += 2) {
    const entry = cells[at + 1] as number;
    if (entry !== 0) insert(others, cells[at] as number, entry);
  }
  return others;
}

/** Empties a cell. Later cells move up, unless they would precede the start of their search. */
function empty(cells: Int32Array, from: number): void {
  const mask = cells.length - 1;
  let hole = from;
  for (let at = (hole + 2) & mask; cells[at + 1] !== 0; at = (at + 2) & mask) {
    const begin = ((cells[at] as number) << 1) & mask;
    if (((at - begin) & mask) < ((at - hole) & mask)) continue;
    cells[hole] = cells[at] as number;
    cells[hole + 1] = cells[at + 1] as number;
    hole = at;
  }
  cells[hole + 1] = 0;
}

function countIn(cells: Int32Array | undefined): number {
  let count = 0;
  for (let at = 1; cells !== undefined && at < cells.length; at += 2) if (cells[at] !== 0) count++;
  return count;
}

function insert(cells: Int32Array, hash: number, entry: number): void {
  const mask = cells.length - 1;
  let at = (hash << 1) & mask;
  while (cells[at + 1] !== 0) at = (at + 2) & mask;
  cells[at] = hash;
  cells[at + 1] = entry;
}

/**
 * A signed 32-bit number: FNV-1a of UTF-16 code units, then the last step of MurmurHash3, because
 * the upper bits select the partition and the lower bits the cell.
 */
function hashOf(key: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
