// Sorts many rows in pieces while writes go on: sorting a million rows in one go would block the
// main thread for seconds.

import { mergedRuns } from '../containers/merge-runs.ts';
import { compareValues } from '../filter/order.ts';
import type { RecordBase, Row } from './record.ts';
import { type OrderKey, type RowOrder, SortedRows } from './sorted-rows.ts';

/** Rows that are read and sorted per step, 1 to 2 ms. */
const pieceRows = 1024;
/** Rows that are placed or added per step. */
const placedRows = 512;
const lateRows = 64;

/** The source of the rows from which an order is built. */
export interface BuildSource<R extends RecordBase> {
  /** How many slots there were at the beginning. */
  readonly slots: number;
  inSlot(slot: number): Row<R> | undefined;
  /** Whether a row is still in the table. */
  has(row: Row<R>): boolean;
}

/**
 * Reads the keys of all rows, sorts them, and finally places the rows that were written meanwhile.
 * A row that is written before it has its place is taken out and waits; from then on, writes update
 * the order like any other.
 */
export class OrderBuild<R extends RecordBase> {
  readonly #order: RowOrder<R>;
  readonly #source: BuildSource<R>;
  /** Keys by slot, as they were read: they must not change while they are sorted. */
  #keys: OrderKey[];
  #ids: string[];
  /** Slots of rows that were written since the beginning and have no place yet. */
  readonly #waiting = new Set<number>();
  /** Those of them that were written since placing began. */
  #late = new Set<number>();
  #sorted: SortedRows<R> | undefined;

  constructor(order: RowOrder<R>, source: BuildSource<R>) {
    this.#order = order;
    this.#source = source;
    // Growing it would copy all of a million in one step.
    this.#keys = new Array(source.slots);
    this.#ids = new Array(source.slots);
  }

  /** As `SortedRows.moves`. */
  moves(before: R, after: R): boolean {
    return this.#order.key(before) !== this.#order.key(after);
  }

  /** As `SortedRows.add`. */
  add(row: Row<R>): void {
    if (this.#sorted === undefined) this.#letWait(row);
    else if (!this.#waiting.has(row.slot)) this.#sorted.add(row);
  }

  /** As `SortedRows.remove`. */
  remove(row: Row<R>): void {
    if (this.#sorted === undefined) this.#letWait(row);
    else if (!this.#waiting.has(row.slot)) this.#sorted.remove(row);
  }

  /** Must be stepped to its end, between transactions and at any pace. */
  *steps(): Generator<undefined, SortedRows<R>> {
    const pieces = yield* this.#pieces();
    const slots = yield* mergedRuns(pieces, (a, b) => this.#compare(a, b));
    const sorted = SortedRows.of(this.#order, yield* this.#placed(slots));
    this.#sorted = sorted;
    this.#keys = [];
    this.#ids = [];
    let put = 0;
    for (const slot of this.#waiting) {
      if (put++ % lateRows === 0) yield;
      // Meanwhile the row may have gone, or the slot may hold another row.
      const row = this.#source.inSlot(slot);
      if (row !== undefined && this.#source.has(row)) sorted.add(row);
      this.#waiting.delete(slot);
    }
    return sorted;
  }

  #letWait({ slot }: Row<R>): void {
    this.#waiting.add(slot);
    this.#late.add(slot);
  }

  /** Sorted pieces of slots, some rows each. */
  *#pieces(): Generator<undefined, Uint32Array[]> {
    const pieces: Uint32Array[] = [];
    for (let from = 0; from < this.#source.slots; from += pieceRows) {
      const piece = this.#readPiece(from, Math.min(from + pieceRows, this.#source.slots));
      if (piece.length > 0) pieces.push(piece.sort((a, b) => this.#compare(a, b)));
      yield;
    }
    return pieces;
  }

  #readPiece(from: number, to: number): Uint32Array {
    const slots: number[] = [];
    for (let slot = from; slot < to; slot++) {
      const row = this.#source.inSlot(slot);
      // A row that was written since was reported, and waits.
      if (row === undefined || this.#waiting.has(slot)) continue;
      this.#keys[slot] = this.#order.key(row.record);
      this.#ids[slot] = row.id;
      slots.push(slot);
    }
    return Uint32Array.from(slots);
  }

  /** The rows in blocks, without those that were written meanwhile. */
  *#placed(slots: Uint32Array): Generator<undefined, Row<R>[][]> {
    this.#late = new Set();
    const blocks: Row<R>[][] = [];
    for (let from = 0; from < slots.length; from += placedRows) {
      const block: Row<R>[] = [];
      for (const slot of slots.subarray(from, from + placedRows)) {
        const row = this.#waiting.has(slot) ? undefined : this.#source.inSlot(slot);
        if (row !== undefined) block.push(row);
      }
      blocks.push(block);
      yield;
    }
    while (this.#late.size > 0) {
      const late = [...this.#late];
      this.#late = new Set();
      for (const [at, slot] of late.entries()) {
        if (at % lateRows === lateRows - 1) yield;
        this.#takeOut(blocks, slots, slot);
      }
    }
    return blocks.filter(({ length }) => length > 0);
  }

  #takeOut(blocks: readonly Row<R>[][], slots: Uint32Array, slot: number): void {
    // Rows that were added later were never read.
    if (this.#ids[slot] === undefined) return;
    let [low, high] = [0, slots.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(slots[middle] as number, slot) < 0) low = middle + 1;
      else high = middle;
    }
    const block = blocks[Math.floor(low / placedRows)];
    const at = block?.findIndex((row) => row.slot === slot) ?? -1;
    if (at >= 0) block?.splice(at, 1);
  }

  #compare(a: number, b: number): number {
    const byKey = compareValues(this.#keys[a], this.#keys[b]);
    if (byKey !== 0) return byKey;
    const [first, second] = [this.#ids[a] as string, this.#ids[b] as string];
    return first < second ? -1 : first > second ? 1 : 0;
  }
}
