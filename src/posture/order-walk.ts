// Walks along an order of times while slots come and go, and knows which slots it came by.

import type { TimeOrder } from './time-order.ts';

/** Who is told of the changes of an order. */
export interface OrderWatcher {
  /** A slot has got this time, wall-clock ms. */
  join(slot: number, at: number): void;
  /** A slot is about to lose its time. */
  leave(slot: number): void;
}

const unseen = 0;
const walked = 1;
/** Came in while the walk was under way: the order is believed to have put it right. */
const joined = 2;

/** One walk from the first slot to the last. It must be told of each change until it is over. */
export class OrderWalk implements OrderWatcher {
  readonly #order: TimeOrder;
  #next: number | undefined;
  #marks = new Uint8Array(1024);

  constructor(order: TimeOrder) {
    this.#order = order;
    this.#next = order.first;
  }

  /** The slots, one a step; it ends early where the order leads round. */
  *slots(): Generator<number, 'through' | 'round'> {
    for (let slot = this.#next; slot !== undefined; slot = this.#next) {
      if (this.#marks[slot] === walked) return 'round';
      this.#mark(slot, walked);
      this.#next = this.#order.after(slot);
      yield slot;
    }
    return 'through';
  }

  /** Whether the walk came by a slot, or the slot came in since it began. */
  hasReached(slot: number): boolean {
    return (this.#marks[slot] ?? unseen) !== unseen;
  }

  join(slot: number): void {
    this.#mark(slot, joined);
  }

  leave(slot: number): void {
    if (this.#next === slot) this.#next = this.#order.after(slot);
    this.#mark(slot, unseen);
  }

  #mark(slot: number, mark: number): void {
    if (slot >= this.#marks.length) {
      const marks = new Uint8Array(Math.max(slot + 1, this.#marks.length * 2));
      marks.set(this.#marks);
      this.#marks = marks;
    }
    this.#marks[slot] = mark;
  }
}
