// The rows of a table in the order of a key, updated by writes: ordered pages are cut from them.

import { compareValues } from '../filter/order.ts';
import type { RecordBase, Row } from './record.ts';

/** The key that orders rows; rows without one come first (behaviour/lists#sort-keys). */
export type OrderKey = string | number | undefined;

/** An order of a table's rows. Rows with the same key are in id order (behaviour/lists#order). */
export interface RowOrder<R extends RecordBase> {
  readonly name: string;
  key(record: R): OrderKey;
}

/** Rows in a block of a sorted list: about the square root of a million. @bound */
const blockRowsMax = 1024;

/**
 * Rows in blocks. An insertion moves the pointers of one block, and the row at an offset is found
 * by stepping over block lengths, which a B-tree without subtree counts cannot do.
 */
export class SortedRows<R extends RecordBase> {
  readonly name: string;
  readonly #key: RowOrder<R>['key'];
  readonly #blocks: Row<R>[][] = [];
  #size = 0;

  /** Builds the order of existing rows at once. */
  constructor(order: RowOrder<R>, rows: Iterable<Row<R>>) {
    this.name = order.name;
    this.#key = (record) => order.key(record);
    const sorted = [...rows].sort((a, b) => this.#compare(a.record, b.record));
    this.#size = sorted.length;
    const half = blockRowsMax / 2;
    for (let start = 0; start < sorted.length; start += half) {
      this.#blocks.push(sorted.slice(start, start + half));
    }
  }

  /** An order of rows that are already sorted, in blocks of at most 1,024. */
  static of<R extends RecordBase>(order: RowOrder<R>, blocks: readonly Row<R>[][]): SortedRows<R> {
    const made = new SortedRows(order, []);
    for (const block of blocks) {
      made.#blocks.push(block);
      made.#size += block.length;
    }
    return made;
  }

  get size(): number {
    return this.#size;
  }

  /** All rows in ascending order, in runs. */
  get runs(): readonly (readonly Row<R>[])[] {
    return this.#blocks;
  }

  /** Whether a row is found at the place that its present record gives. */
  holds(row: Row<R>): boolean {
    const { record } = row;
    const { at, position } = this.#seek((other) => this.#compare(other, record) < 0);
    return this.#blocks[at]?.[position] === row;
  }

  /** Whether a row whose record is replaced must be removed before and added again after. */
  moves(before: R, after: R): boolean {
    return this.#key(before) !== this.#key(after);
  }

  /** Adds a row, by its present record. */
  add(row: Row<R>): void {
    this.#size++;
    const { record } = row;
    const { at, position } = this.#seek((other) => this.#compare(other, record) < 0);
    const last = this.#blocks.length - 1;
    const block = this.#blocks[at] ?? this.#blocks[last];
    if (block === undefined) {
      this.#blocks.push([row]);
      return;
    }
    // No block begins after the last row of all: such a row goes to the end of the last block.
    block.splice(at > last ? block.length : position, 0, row);
    if (block.length > blockRowsMax) {
      this.#blocks.splice(Math.min(at, last) + 1, 0, block.splice(block.length >>> 1));
    }
  }

  /** Removes a row, found by its present record. */
  remove(row: Row<R>): void {
    const { record } = row;
    const { at, position } = this.#seek((other) => this.#compare(other, record) < 0);
    const block = this.#blocks[at];
    if (block?.[position] !== row) return;
    block.splice(position, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
    this.#size--;
  }

  /** At most `count` rows from `offset` on, counted from the end where it is descending. */
  page(offset: number, count: number, isDescending = false): readonly Row<R>[] {
    return isDescending ? this.#descending(offset, count) : this.#ascending(offset, count);
  }

  /**
   * At most `count` rows after a record, or from the first one on, ascending. The record's row may
   * be gone: a reader that continues from its last row still meets every row that stayed.
   */
  following(record: R | undefined, count: number): readonly Row<R>[] {
    let { at, position } =
      record === undefined
        ? { at: 0, position: 0 }
        : this.#seek((other) => this.#compare(other, record) <= 0);
    const found: Row<R>[] = [];
    for (; at < this.#blocks.length && found.length < count; at++, position = 0) {
      const block = this.#blocks[at] ?? [];
      const end = Math.min(block.length, position + count - found.length);
      for (; position < end; position++) found.push(block[position] as Row<R>);
    }
    return found;
  }

  #ascending(offset: number, count: number): Row<R>[] {
    const page: Row<R>[] = [];
    let skip = offset;
    for (const block of this.#blocks) {
      if (skip >= block.length) {
        skip -= block.length;
        continue;
      }
      for (let i = skip; i < block.length && page.length < count; i++) {
        page.push(block[i] as Row<R>);
      }
      if (page.length >= count) break;
      skip = 0;
    }
    return page;
  }

  /** Keys descend, and ids ascend among those with the same key: not the reverse of ascending. */
  #descending(offset: number, count: number): readonly Row<R>[] {
    const end = this.#size - offset;
    const start = Math.max(0, end - count);
    if (end <= start) return [];
    const window = this.#ascending(start, end - start);
    const first = this.#key((window[0] as Row<R>).record);
    const last = this.#key((window.at(-1) as Row<R>).record);
    // The window is widened to whole groups of one key, as its rows depend on the rest of the
    // group.
    const from = this.#rank((record) => compareValues(this.#key(record), first) < 0);
    const to = this.#rank((record) => compareValues(this.#key(record), last) <= 0);
    const isWhole = from === start && to === end;
    const turned = this.turned(isWhole ? window : this.#ascending(from, to - from));
    return isWhole ? turned : turned.slice(to - end, to - end + count);
  }

  /** Puts some of the rows, given in ascending order, into descending order. */
  turned(rows: readonly Row<R>[]): Row<R>[] {
    return turnedBy(rows, (at) => this.#key((rows[at] as Row<R>).record));
  }

  /** The number of rows for which `isBefore` holds: the first ones. */
  #rank(isBefore: (record: R) => boolean): number {
    const { at, position } = this.#seek(isBefore);
    let rank = position;
    for (let i = 0; i < at; i++) rank += this.#blocks[i]?.length ?? 0;
    return rank;
  }

  /** The place of the first row for which `isBefore` does not hold. */
  #seek(isBefore: (record: R) => boolean): { at: number; position: number } {
    const at = countBefore(this.#blocks, (block) => isBefore((block.at(-1) as Row<R>).record));
    const block = this.#blocks[at];
    const position = block === undefined ? 0 : countBefore(block, ({ record }) => isBefore(record));
    return { at, position };
  }

  #compare(a: R, b: R): number {
    const byKey = compareValues(this.#key(a), this.#key(b));
    if (byKey !== 0) return byKey;
    return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
  }
}

/**
 * Puts ascending items into descending order: groups of one key are reversed, but stay ordered by
 * id inside.
 * @param key of the item at a position
 */
export function turnedBy<T>(things: ArrayLike<T>, key: (at: number) => unknown): T[] {
  const turned: T[] = [];
  for (let end = things.length; end > 0; ) {
    let start = end - 1;
    const last = key(start);
    while (start > 0 && key(start - 1) === last) start--;
    for (let at = start; at < end; at++) turned.push(things[at] as T);
    end = start;
  }
  return turned;
}

/** The number of items for which `isBefore` holds, where it holds for the first ones only. */
function countBefore<T>(items: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
