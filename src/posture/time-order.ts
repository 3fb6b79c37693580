// Orders API sessions by a time that each of them may have.

import { DeadlineHeap } from '../containers/deadline-heap.ts';
import { rowsAStep } from '../containers/walk.ts';

const slotsAtStart = 64;
/** The value for no slot. */
const nowhere = -1;
/** The value for no time. */
const never = Number.NaN;

/** The arrays of an order, each by slot. */
export interface TimeOrderInternals {
  /** Wall-clock ms; NaN for a slot without a time. */
  readonly times: Float64Array;
  /** Slots; -1 for none. */
  readonly next: Int32Array;
  readonly previous: Int32Array;
}

/**
 * Slots in the order of their times, as a doubly linked list: a new entry is nearly always the
 * latest and goes to the end. 16 bytes per slot, once the first one has a time.
 */
export class TimeOrder {
  #times = new Float64Array(0);
  #next = new Int32Array(0);
  #previous = new Int32Array(0);
  #first = nowhere;
  #last = nowhere;
  /** The place of the last insertion: when the clock has gone back, the next belongs beside it. */
  #recent = nowhere;

  /** The arrays as they are now, for tests that damage it. */
  get internals(): TimeOrderInternals {
    return { times: this.#times, next: this.#next, previous: this.#previous };
  }

  /** The slot from which the next place is searched; undefined when no slot has a time. */
  get recent(): number | undefined {
    return this.#recent === nowhere ? undefined : this.#recent;
  }

  /** For tests that damage it. */
  set recent(slot: number) {
    this.#recent = slot;
  }

  /** The slot of the earliest time; undefined when no slot has one. */
  get first(): number | undefined {
    return this.#first === nowhere ? undefined : this.#first;
  }

  /** The bound below which slots may have times. */
  get bound(): number {
    return this.#times.length;
  }

  /** Whether a slot has a time. */
  has(slot: number): boolean {
    return slot < this.#times.length && !Number.isNaN(this.timeOf(slot));
  }

  /** Whether the neighbours of a slot link to it, and it is in order between them. */
  isLinked(slot: number): boolean {
    return this.#isBehind(slot) && this.#isBefore(slot);
  }

  /** The first slot from `at` on, wall-clock ms; undefined when all are earlier. */
  from(at: number): number | undefined {
    // Searched from both ends at once, because most searches end near one of them.
    let [early, late] = [this.#first, this.#last];
    if (late === nowhere || this.timeOf(late) < at) return undefined;
    for (;;) {
      if (this.timeOf(early) >= at) return early;
      const before = this.#previous[late] as number;
      if (this.timeOf(before) < at) return late;
      early = this.#next[early] as number;
      late = before;
    }
  }

  /** The slot after one that has a time; undefined for the last. */
  after(slot: number): number | undefined {
    const next = this.#next[slot] as number;
    return next === nowhere ? undefined : next;
  }

  /** The slot before one that has a time, or the last one of all; undefined for the first. */
  before(slot: number | undefined): number | undefined {
    const previous = slot === undefined ? this.#last : (this.#previous[slot] as number);
    return previous === nowhere ? undefined : previous;
  }

  /** The time of a slot that has one. */
  timeOf(slot: number): number {
    return this.#times[slot] as number;
  }

  /** Gives a time to a slot without one. */
  add(slot: number, at: number): void {
    if (slot >= this.#times.length) this.#grow(slot);
    const before = this.#place(at);
    const behind = before === nowhere ? this.#first : (this.#next[before] as number);
    this.#times[slot] = at;
    this.#link(before, slot);
    this.#link(slot, behind);
    this.#recent = slot;
  }

  /** Removes the time of a slot, if it has one. */
  remove(slot: number): void {
    if (!this.has(slot)) return;
    const [before, behind] = [this.#previous[slot] as number, this.#next[slot] as number];
    this.#times[slot] = never;
    if (before === nowhere && behind === nowhere) this.#first = this.#last = nowhere;
    else this.#link(before, behind);
    if (this.#recent === slot) this.#recent = before === nowhere ? behind : before;
  }

  #isBehind(slot: number): boolean {
    const before = this.#previous[slot] as number;
    if (before === nowhere) return this.#first === slot;
    return this.#next[before] === slot && this.timeOf(before) <= this.timeOf(slot);
  }

  #isBefore(slot: number): boolean {
    const behind = this.#next[slot] as number;
    if (behind === nowhere) return this.#last === slot;
    return this.#previous[behind] === slot && this.timeOf(slot) <= this.timeOf(behind);
  }

  /** The slot after which a slot with this time belongs; `nowhere` for the front. */
  #place(at: number): number {
    if (this.#last === nowhere || this.timeOf(this.#last) <= at) return this.#last;
    let place = this.#recent;
    while (place !== nowhere && this.timeOf(place) > at) place = this.#previous[place] as number;
    if (place === nowhere) return nowhere;
    for (;;) {
      const next = this.#next[place] as number;
      if (next === nowhere || this.timeOf(next) > at) return place;
      place = next;
    }
  }

  #link(before: number, behind: number): void {
    if (before === nowhere) this.#first = behind;
    else this.#next[before] = behind;
    if (behind === nowhere) this.#last = before;
    else this.#previous[behind] = before;
    if (before === nowhere && behind !== nowhere) this.#previous[behind] = nowhere;
    if (behind === nowhere && before !== nowhere) this.#next[before] = nowhere;
  }

  #grow(slot: number): void {
    const length = Math.max(slot + 1, this.#times.length * 2, slotsAtStart);
    const [times, next, previous] = [
      new Float64Array(length).fill(never, this.#times.length),
      new Int32Array(length),
      new Int32Array(length),
    ];
    times.set(this.#times);
    next.set(this.#next);
    previous.set(this.#previous);
    this.#times = times;
    this.#next = next;
    this.#previous = previous;
  }
}

/** The source of a slot's time: undefined, or not a number, for a slot without one. */
export interface SlotTimes<R> {
  readonly slots: number;
  inSlot(slot: number): R | undefined;
}

/**
 * Fills an empty order from what is stored, some slots per step. The order must be told of each
 * change meanwhile.
 */
export function* fillOrder<R>(
  order: TimeOrder,
  stored: SlotTimes<R>,
  timeOf: (row: R) => number | undefined,
): Generator<undefined> {
  const timeIn = (slot: number): number => {
    const row = stored.inSlot(slot);
    const at = row && timeOf(row);
    return typeof at === 'number' ? at : never;
  };
  // The earliest comes first: each slot then goes to the end without a search.
  const heap = new DeadlineHeap();
  const slots: number[] = [];
  for (let slot = 0; slot < stored.slots; slot++) {
    const at = timeIn(slot);
    if (!Number.isNaN(at)) slots[heap.add(at)] = slot;
    if (slot % rowsAStep === 0) yield;
  }
  for (let entry = heap.first; entry !== undefined; entry = heap.first) {
    heap.remove(entry);
    const slot = slots[entry] as number;
    const at = timeIn(slot);
    // A slot whose time has changed meanwhile is in its place already.
    if (!Number.isNaN(at) && !order.has(slot)) order.add(slot, at);
    if (heap.size % rowsAStep === 0) yield;
  }
}
