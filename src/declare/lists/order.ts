// Orders the slots of a list, at once or in steps.

import { mergedRuns } from '../../containers/merge-runs.ts';
import { type Comparator, compareBy } from '../../filter/order.ts';
import type { Scalar } from '../../filter/scope.ts';
import { FirstItems } from '../../store/first-items.ts';
import { byId } from '../../store/indexes.ts';
import type { Row } from '../../store/record.ts';
import { turnedBy } from '../../store/sorted-rows.ts';
import type { Table } from '../../store/table.ts';
import { isSortingCheaper, rowsOrderedInAStep } from './costs.ts';
import { type KeptOrder, marksOf, type RowList, rowsIn } from './row-list.ts';
import type { Steps } from './search.ts';

/**
 * Slots in the order of their list, at least those before the end: by a walk through the order that
 * the table keeps, by a sort, or by selecting the first ones.
 * @param isSliced whether rows are written between two steps; these rows may be missing
 */
export function* ordered(
  list: RowList,
  slots: Uint32Array,
  end: number,
  isSliced = false,
): Steps<Uint32Array> {
  const { env, table, order } = list;
  const isFew = isSortingCheaper(slots.length, table.size);
  // A large table may not have the order yet.
  if (order !== undefined && !isFew && env.builds.isReady(table, order.by)) {
    return yield* walked(list, slots, order, end, isSliced);
  }
  if (isSliced) return yield* sortedInSteps(list, slots);
  const rows = rowsIn(table, slots);
  // Keys that no table keeps may be slow to read, and sorting reads each of them once.
  const isSorted = order === undefined || !isSortingCheaper(end, rows.length);
  if (isSorted) return slotsOf(sorted(list, rows));
  const first = new FirstItems(end, list.compare);
  for (const row of rows) first.add(row);
  return slotsOf(first.takeBehind(0));
}

/** In the order of a walk through the table, which sorts any number of slots at once. */
function* walked(
  { table, keys, env, budget }: RowList,
  slots: Uint32Array,
  { by, isDescending }: KeptOrder,
  end: number,
  isSliced: boolean,
): Steps<Uint32Array> {
  const marks = marksOf(slots);
  const most = isDescending ? slots.length : Math.min(end, slots.length);
  const found = new Uint32Array(most);
  // In descending order, the value by which each of them is ordered.
  const values = new Array<unknown>(isDescending ? most : 0);
  let count = 0;
  const take = (run: readonly Row[]): void => {
    for (const row of run) {
      if (count >= most) return;
      if (marks[row.slot] !== 1) continue;
      // A row that moves between two steps may be met twice.
      marks[row.slot] = 0;
      if (isDescending) values[count] = keys[0]?.read(row, env, budget);
      found[count++] = row.slot;
    }
  };
  for (const run of isSliced ? followingRuns(table, by) : table.runs(by)) {
    if (count >= most) break;
    yield;
    take(run);
  }
  const some = found.subarray(0, count);
  return isDescending ? Uint32Array.from(turnedBy(some, (at) => values[at])) : some;
}

function* followingRuns(table: Table, by: string): Generator<readonly Row[]> {
  let run = table.following(by, undefined, rowsOrderedInAStep);
  while (run.length > 0) {
    yield run;
    run = table.following(by, run.at(-1)?.record, rowsOrderedInAStep);
  }
}

/**
 * A row and the values of its keys. Each value is read once, because a record is seldom near the
 * last one in memory.
 */
interface KeyedRow {
  readonly row: Row;
  readonly values: readonly (Scalar | undefined)[];
}

function keyedRows({ keys, env, budget }: RowList, rows: readonly Row[]): KeyedRow[] {
  return rows.map((row) => ({ row, values: keys.map((key) => key.read(row, env, budget)) }));
}

function compareKeyed({ keys, budget }: RowList): Comparator<KeyedRow> {
  const known = keys.map((key, at) => ({ ...key, read: ({ values }: KeyedRow) => values[at] }));
  return compareBy(known, (left, right) => byId(left.row, right.row), undefined, budget);
}

function sorted(list: RowList, rows: Row[]): readonly Row[] {
  if (list.keys.length === 0) return rows.sort(byId);
  const keyed = keyedRows(list, rows).sort(compareKeyed(list));
  return keyed.map(({ row }) => row);
}

function* sortedInSteps(list: RowList, slots: Uint32Array): Steps<Uint32Array> {
  const compareRows = compareKeyed(list);
  // Allocated at the largest possible length, because growing copies all rows.
  const rows = new Array<KeyedRow>(slots.length);
  const slotOf = new Uint32Array(slots.length);
  const runs: Uint32Array[] = [];
  let count = 0;
  for (let from = 0; from < slots.length; from += rowsOrderedInAStep) {
    yield;
    const some = rowsIn(list.table, slots.subarray(from, from + rowsOrderedInAStep));
    const run = new Uint32Array(some.length);
    for (const [at, keyed] of keyedRows(list, some).sort(compareRows).entries()) {
      run[at] = count;
      slotOf[count] = keyed.row.slot;
      rows[count++] = keyed;
    }
    runs.push(run);
  }
  const places = yield* mergedRuns(runs, (a, b) =>
    compareRows(rows[a] as KeyedRow, rows[b] as KeyedRow),
  );
  for (let at = 0; at < places.length; at++) places[at] = slotOf[places[at] as number] as number;
  return places;
}

function slotsOf(rows: readonly Row[]): Uint32Array {
  const slots = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at++) slots[at] = (rows[at] as Row).slot;
  return slots;
}
