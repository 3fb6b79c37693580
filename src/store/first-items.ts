// Finds the first items in an order, without keeping or sorting the others.

import type { Comparator } from '../filter/order.ts';

/** Holds the first `most` of the added items, in a heap whose top is the last of them. */
export class FirstItems<T> {
  readonly #most: number;
  readonly #compare: Comparator<T>;
  readonly #heap: T[] = [];

  constructor(most: number, compare: Comparator<T>) {
    this.#most = most;
    this.#compare = compare;
  }

  /** Takes an item in; when there is no room, it replaces the last one or is left out. */
  add(item: T): void {
    const heap = this.#heap;
    if (heap.length < this.#most) {
      heap.push(item);
      this.#rise(heap.length - 1);
    } else if (this.#most > 0 && this.#compare(item, heap[0] as T) < 0) {
      heap[0] = item;
      this.#sink();
    }
  }

  /** Removes the held items but for the first `skipped`, and returns them in order. */
  takeBehind(skipped: number): T[] {
    const taken: T[] = [];
    while (this.#heap.length > skipped) taken.push(this.#takeLast());
    return taken.reverse();
  }

  #takeLast(): T {
    const heap = this.#heap;
    const last = heap[0] as T;
    const moved = heap.pop() as T;
    if (heap.length > 0) {
      heap[0] = moved;
      this.#sink();
    }
    return last;
  }

  #rise(from: number): void {
    const heap = this.#heap;
    for (let at = from; at > 0; ) {
      const above = (at - 1) >>> 1;
      if (this.#compare(heap[at] as T, heap[above] as T) <= 0) return;
      this.#swap(at, above);
      at = above;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const isRight = right < heap.length && this.#compare(heap[right] as T, heap[left] as T) > 0;
      const below = isRight ? right : left;
      if (this.#compare(heap[below] as T, heap[at] as T) <= 0) return;
      this.#swap(at, below);
      at = below;
    }
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap;
    const item = heap[one] as T;
    heap[one] = heap[other] as T;
    heap[other] = item;
  }
}
