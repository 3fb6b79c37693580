// A map by strings that never stops the thread for long, however much it holds.

import { LongList } from './long-list.ts';

/** A power of two. At 16 million keys the cells of a part are 4 MB, made anew in a few ms. */
const partCount = 64;
const partShift = 32 - Math.log2(partCount);

/** Cells of a part at first, a power of two. */
const cellsAtFirst = 4;

/** Of longer keys only so many characters, spread over them, decide about the place. */
const hashedCharacters = 256;

/**
 * Values by key. V8 makes a `Map` anew in one go when it doubles, and looks at each key for it:
 * 14 ms at 65,536 keys that are not in the cache, 70 ms and more at a million. Here only numbers
 * are moved, of one part at a time, and the collector has nothing to follow in them. Keys and
 * values stand in the order they came in, which keeps neighbours in memory what they are in the
 * table.
 *
 * Hashes have no seed: keys are made by the controller or named by administrators.
 */
export class KeyMap<V> {
  /** Pairs of the hash of a key and its place plus one, by linear probing; 0 for none. */
  readonly #parts: (Int32Array | undefined)[] = new Array(partCount).fill(undefined);
  readonly #counts = new Uint32Array(partCount);
  readonly #keys = new LongList<string>();
  readonly #values = new LongList<V>();
  readonly #freePlaces: number[] = [];

  get size(): number {
    return this.#keys.length - this.#freePlaces.length;
  }

  /** Keys of the fullest part, for tests: how many are moved in one go. */
  get largestPart(): number {
    return Math.max(...this.#counts);
  }

  /** How many cells the longest search for a key looks at, for tests. */
  get longestSearch(): number {
    let longest = 0;
    for (const cells of this.#parts) {
      if (cells === undefined) continue;
      const mask = cells.length - 1;
      for (let at = 0; at < cells.length; at += 2) {
        if (cells[at + 1] === 0) continue;
        const steps = ((at - ((cells[at] as number) << 1)) & mask) / 2;
        longest = Math.max(longest, steps + 1);
      }
    }
    return longest;
  }

  get(key: string): V | undefined {
    const place = this.#placeOf(key, hashOf(key));
    return place < 0 ? undefined : this.#values.get(place);
  }

  has(key: string): boolean {
    return this.#placeOf(key, hashOf(key)) >= 0;
  }

  set(key: string, value: V): this {
    const hash = hashOf(key);
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

  /** Whether there was one. */
  delete(key: string): boolean {
    const hash = hashOf(key);
    const place = this.#placeOf(key, hash);
    if (place < 0) return false;
    this.#takeOut(hash, place);
    this.#keys.set(place, undefined);
    this.#values.set(place, undefined);
    this.#freePlaces.push(place);
    return true;
  }

  /** What is taken out or put in between two of them may be passed over, nothing else. */
  *entries(): Generator<[string, V]> {
    for (let place = 0; place < this.#keys.length; place++) {
      const key = this.#keys.get(place);
      if (key !== undefined) yield [key, this.#values.get(place) as V];
    }
  }

  keys(): Generator<string> {
    return this.#keys[Symbol.iterator]();
  }

  values(): Generator<V> {
    return this.#values[Symbol.iterator]();
  }

  [Symbol.iterator](): Generator<[string, V]> {
    return this.entries();
  }

  /** -1 for none. */
  #placeOf(key: string, hash: number): number {
    const cells = this.#parts[hash >>> partShift];
    if (cells === undefined) return -1;
    const mask = cells.length - 1;
    for (let at = (hash << 1) & mask; ; at = (at + 2) & mask) {
      const place = (cells[at + 1] as number) - 1;
      if (place < 0 || (cells[at] === hash && this.#keys.get(place) === key)) return place;
    }
  }

  #putIn(hash: number, place: number): void {
    const part = hash >>> partShift;
    const count = (this.#counts[part] as number) + 1;
    this.#counts[part] = count;
    let cells = this.#parts[part];
    // A third of the cells stays free: searches end there.
    if (cells === undefined || count * 3 > cells.length) {
      this.#parts[part] = cells = enlarged(cells);
    }
    insert(cells, hash, place + 1);
  }

  #takeOut(hash: number, place: number): void {
    const part = hash >>> partShift;
    const cells = this.#parts[part];
    if (cells === undefined) return;
    const mask = cells.length - 1;
    let hole = (hash << 1) & mask;
    while (cells[hole + 1] !== place + 1) hole = (hole + 2) & mask;
    // Those behind it move up, unless they would come in front of where their search begins.
    for (let at = (hole + 2) & mask; cells[at + 1] !== 0; at = (at + 2) & mask) {
      const begin = ((cells[at] as number) << 1) & mask;
      if (((at - begin) & mask) < ((at - hole) & mask)) continue;
      cells[hole] = cells[at] as number;
      cells[hole + 1] = cells[at + 1] as number;
      hole = at;
    }
    cells[hole + 1] = 0;
    this.#counts[part] = (this.#counts[part] as number) - 1;
  }
}

function enlarged(cells: Int32Array | undefined): Int32Array {
  if (cells === undefined) return new Int32Array(cellsAtFirst * 2);
  const larger = new Int32Array(cells.length * 2);
  for (let at = 0; at < cells.length; at += 2) {
    const entry = cells[at + 1] as number;
    if (entry !== 0) insert(larger, cells[at] as number, entry);
  }
  return larger;
}

function insert(cells: Int32Array, hash: number, entry: number): void {
  const mask = cells.length - 1;
  let at = (hash << 1) & mask;
  while (cells[at + 1] !== 0) at = (at + 2) & mask;
  cells[at] = hash;
  cells[at + 1] = entry;
}

/**
 * A signed number of 32 bits: FNV-1a of UTF-16 code units, then the last step of MurmurHash3, as
 * the part is of the upper bits and the cell of the lower.
 */
function hashOf(key: string): number {
  const { length } = key;
  const step = length > hashedCharacters ? Math.ceil(length / hashedCharacters) : 1;
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < length; at += step) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
