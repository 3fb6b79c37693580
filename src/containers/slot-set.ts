// A set of small whole numbers that takes little memory when it has few members.

import { TypedFastBitSet } from 'typedfastbitset';

/**
 * Above this many members the set becomes a bitset. Below it a sorted array is smaller: 10,000
 * bitsets of one high member each took 477 MB.
 */
const arrayMembers = 1024;

/**
 * Where a smaller share of the slots are members, a bitset takes more memory than an array: 1,000
 * groups of 1,040 sessions each among a million would take 130 MB.
 */
const sparseSlotsPerMember = 32;

/** A bitset turns back well below these bounds, so that a set at one of them doesn't flap. */
const fewAgain = arrayMembers / 2;
const sparseAgain = sparseSlotsPerMember * 4;

/** A set of slots: a bitset where it has many members close together, else a sorted array. */
export class SlotSet {
  #few: number[] | undefined = [];
  #many: TypedFastBitSet | undefined = undefined;
  #count = 0;

  /** How many slots are in the set. */
  get size(): number {
    return this.#count;
  }

  /** Which of its two forms it has, for tests. */
  get isBitset(): boolean {
    return this.#many !== undefined;
  }

  /** Whether `slot` is in the set. */
  has(slot: number): boolean {
    if (this.#few === undefined) return this.#many?.has(slot) ?? false;
    return this.#few[lowerBound(this.#few, slot)] === slot;
  }

  /** Adds `slot`; false when it was present. */
  add(slot: number): boolean {
    if (this.#few === undefined) {
      // Not with the library's checkedAdd: version 0.8.0 loses a slot for which it has to grow.
      if (this.#many === undefined || this.#many.has(slot)) return false;
      // It would grow only to hold zeros up to this slot.
      if (slot > this.#count * sparseAgain) {
        this.#toArrayAgain(this.#many);
        return this.add(slot);
      }
      this.#many.add(slot);
      this.#count += 1;
      return true;
    }
    const at = lowerBound(this.#few, slot);
    if (this.#few[at] === slot) return false;
    // A literal holds one number; the first push onto an empty array would make room for 17.
    if (this.#count === 0) this.#few = [slot];
    else if (at === this.#few.length) this.#few.push(slot);
    else this.#few.splice(at, 0, slot);
    this.#count += 1;
    const last = this.#few[this.#count - 1] ?? 0;
    if (this.#count > arrayMembers && this.#count * sparseSlotsPerMember > last) {
      this.#many = new TypedFastBitSet(this.#few);
      this.#few = undefined;
    }
    return true;
  }

  /** Removes `slot`; false when it wasn't present. */
  delete(slot: number): boolean {
    if (this.#few !== undefined) {
      const at = lowerBound(this.#few, slot);
      if (this.#few[at] !== slot) return false;
      this.#few.splice(at, 1);
      this.#count -= 1;
      return true;
    }
    if (this.#many === undefined || !this.#many.has(slot)) return false;
    this.#many.remove(slot);
    this.#count -= 1;
    const slots = this.#many.words.length * 32;
    const isSparse = slots > this.#count * sparseAgain;
    if (this.#count < fewAgain || isSparse) this.#toArrayAgain(this.#many);
    return true;
  }

  #toArrayAgain(many: TypedFastBitSet): void {
    this.#few = many.array();
    this.#many = undefined;
  }

  /** The least slot above `slot`; -1 when there is none. For reading on while the set changes. */
  next(slot: number): number {
    if (this.#few !== undefined) return this.#few[lowerBound(this.#few, slot + 1)] ?? -1;
    const words = this.#many?.words ?? noWords;
    let at = (slot + 1) >>> 5;
    // Bits up to `slot` itself do not count in its word.
    let word = (words[at] ?? 0) & (-1 << ((slot + 1) & 31));
    while (word === 0 && ++at < words.length) word = words[at] ?? 0;
    return word === 0 ? -1 : (at << 5) + 31 - Math.clz32(word & -word);
  }

  /** Calls `visit` with each slot in ascending order; the set must not change meanwhile. */
  forEach(visit: (slot: number) => void): void {
    if (this.#few === undefined) this.#many?.forEach(visit);
    else for (const slot of this.#few) visit(slot);
  }

  /** The slots one by one in ascending order; the set must not change meanwhile. */
  *[Symbol.iterator](): Generator<number> {
    yield* this.#few ?? this.#many ?? [];
  }

  /** The slots in ascending order, in an array of the caller's own. */
  toArray(): number[] {
    return this.#few === undefined ? (this.#many?.array() ?? []) : this.#few.slice();
  }
}

const noWords = new Uint32Array(0);

/** Position of the first element of a sorted list that is at least `value`. */
export function lowerBound(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The slots of `list`, each once and ascending; `bound` is above every slot. */
export function sortedSlots(list: readonly number[], bound: number): Uint32Array {
  // Sorting costs n log n, a scan of the bits bound / 32: many slots are cheaper to mark and read
  // back.
  if (list.length < bound / 64) {
    const sorted = Uint32Array.from(list).sort();
    let kept = 0;
    for (const slot of sorted) {
      if (kept === 0 || sorted[kept - 1] !== slot) sorted[kept++] = slot;
    }
    return kept === sorted.length ? sorted : sorted.slice(0, kept);
  }
  const marked = new Uint32Array((bound >>> 5) + 1);
  for (const slot of list) marked[slot >>> 5] = (marked[slot >>> 5] ?? 0) | (1 << (slot & 31));
  return commonSlots(marked, marked);
}

/** The positions of the bits set both in `left` and in `right`, ascending. */
export function commonSlots(left: Uint32Array, right: Uint32Array): Uint32Array {
  const length = Math.min(left.length, right.length);
  let count = 0;
  for (let at = 0; at < length; at++) count += bitsIn((left[at] ?? 0) & (right[at] ?? 0));
  const slots = new Uint32Array(count);
  let kept = 0;
  for (let at = 0; at < length; at++) {
    let word = (left[at] ?? 0) & (right[at] ?? 0);
    while (word !== 0) {
      slots[kept++] = (at << 5) + 31 - Math.clz32(word & -word);
      word &= word - 1;
    }
  }
  return slots;
}

/** How many bits of a 32-bit word are set. */
function bitsIn(word: number): number {
  let pairs = word - ((word >>> 1) & 0x55555555);
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
