// Brings cached matches of a filter up to date: checks only the rows that were written since.

import type { Comparator } from '../filter/order.ts';
import type { Row } from '../store/record.ts';
import type { Table } from '../store/table.ts';

/** The condition for a match, and the order of matches. */
export interface MatchRule {
  /** Undefined if every row matches. */
  readonly test: ((row: Row) => boolean) | undefined;
  readonly compare: Comparator<Row>;
}

/**
 * The slots of all matches in order.
 * @param slots those from before the writes
 * @param written slots of the rows that were written since
 */
export function amended(
  table: Table,
  slots: Uint32Array,
  written: ReadonlySet<number>,
  { test, compare }: MatchRule,
): Uint32Array {
  if (written.size === 0) return slots;
  const fresh: Row[] = [];
  for (const slot of written) {
    const row = table.inSlot(slot);
    if (row !== undefined && (test === undefined || test(row))) fresh.push(row);
  }
  fresh.sort(compare);
  const kept = without(slots, written, table.slots);
  return fresh.length === 0 ? kept : merged(table, kept, fresh, compare);
}

function without(slots: Uint32Array, gone: ReadonlySet<number>, bound: number): Uint32Array {
  // A look-up in a set takes as long as clearing some dozen bytes.
  if (slots.length * 32 < bound) return slots.filter((slot) => !gone.has(slot));
  const marks = new Uint8Array(bound);
  for (const slot of gone) marks[slot] = 1;
  const kept = new Uint32Array(slots.length);
  let count = 0;
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] ?? 0;
    if (marks[slot] !== 1) kept[count++] = slot;
  }
  return kept.subarray(0, count);
}

function merged(
  table: Table,
  kept: Uint32Array,
  fresh: readonly Row[],
  compare: Comparator<Row>,
): Uint32Array {
  const all = new Uint32Array(kept.length + fresh.length);
  let from = 0;
  for (const [index, row] of fresh.entries()) {
    const to = placeOf(table, kept, row, from, compare);
    all.set(kept.subarray(from, to), from + index);
    all[to + index] = row.slot;
    from = to;
  }
  all.set(kept.subarray(from), from + fresh.length);
  return all;
}

/** The position of a row among ordered slots, at `from` or later. */
function placeOf(
  table: Table,
  slots: Uint32Array,
  row: Row,
  from: number,
  compare: Comparator<Row>,
): number {
  let low = from;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = table.inSlot(slots[middle] ?? -1);
    if (other !== undefined && compare(other, row) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
