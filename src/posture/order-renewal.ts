// Makes an order of times anew from the records, some a step, while their times go on changing.

import { DeadlineHeap, type Slot } from '../actors/deadline-heap.ts';
import { rowsAStep } from '../store/fault.ts';
import type { OrderWatcher } from './order-walk.ts';
import { TimeOrder } from './time-order.ts';

/** The times as they are now, by slot: undefined for a slot without one. */
export interface SlotTimes {
  readonly slots: number;
  timeOf(slot: number): number | undefined;
}

/**
 * Reads the times slot by slot into a heap, then takes them out in their order: each then goes to
 * the end of the new one. It must be told of each change until it is over.
 */
export class OrderRenewal implements OrderWatcher {
  /** Whole once the work is done. */
  readonly order = new TimeOrder();
  readonly #times: SlotTimes;
  /** Those that were read and are not in the order yet. */
  readonly #heap = new DeadlineHeap();
  readonly #slotOf: number[] = [];
  readonly #entryOf: (Slot | undefined)[] = [];
  /** Slots below this one were read: what changes behind it will be read as it is then. */
  #read = 0;

  constructor(times: SlotTimes) {
    this.#times = times;
  }

  /** Some slots a step. */
  *work(): Generator<undefined> {
    for (; this.#read < this.#times.slots; this.#read++) {
      if (this.#read % rowsAStep === 0) yield;
      const at = this.#times.timeOf(this.#read);
      if (at !== undefined) this.#await(this.#read, at);
    }
    // Slots that come to be from here on are told.
    this.#read = Number.POSITIVE_INFINITY;
    let taken = 0;
    for (let entry = this.#heap.first; entry !== undefined; entry = this.#heap.first) {
      const slot = this.#slotOf[entry] as number;
      const at = this.#heap.timeOf(entry);
      this.#forget(slot, entry);
      this.order.add(slot, at);
      if (++taken % rowsAStep === 0) yield;
    }
  }

  join(slot: number, at: number): void {
    if (slot < this.#read) this.#await(slot, at);
  }

  leave(slot: number): void {
    if (slot >= this.#read) return;
    const entry = this.#entryOf[slot];
    if (entry === undefined) this.order.remove(slot);
    else this.#forget(slot, entry);
  }

  #await(slot: number, at: number): void {
    const entry = this.#heap.add(at);
    this.#slotOf[entry] = slot;
    this.#entryOf[slot] = entry;
  }

  #forget(slot: number, entry: Slot): void {
    this.#heap.remove(entry);
    this.#entryOf[slot] = undefined;
  }
}
