// Checks what a table derives from its rows, which are those in its map by id: the map's cells,
// slots, positions in the log, indexes and orders.

import type { Lsn } from '../../snapshots/journal.ts';
import { type FaultSearch, firstFault, numbersBelow, rowsAStep } from '../containers/walk.ts';
import { type GroupIndex, UniqueIndex } from '../store/indexes.ts';
import type { RecordBase, Row } from '../store/record.ts';
import type { SortedRows } from '../store/sorted-rows.ts';
import type { Table } from '../store/table.ts';
import { derivedPart, type Part } from './checked-part.ts';

/** The derived parts of a table, in the order of their dependencies. */
export function* tableParts(table: Table, newestLsn: () => Lsn): Generator<Part> {
  const { kind, internals } = table;
  yield derivedPart({
    name: `map of ${kind} by id`,
    findFault: () => mapFault(table),
    rebuild: () => table.rebuildMap(),
  });
  yield derivedPart({
    name: `slots of ${kind}`,
    findFault: () => slotFault(table),
    rebuild: () => rebuildSlots(table),
  });
  yield derivedPart({
    name: `positions of ${kind}`,
    findFault: () => positionFault(table, newestLsn),
    rebuild: () => rebuildPositions(table, newestLsn),
  });
  for (const index of [...internals.unique, ...internals.groups]) {
    yield derivedPart({
      name: `index of ${kind} by ${index.name}`,
      findFault: () => indexFault(table, index),
      rebuild: () => table.rebuildIndex(index),
    });
  }
  for (const order of [...internals.sorted]) {
    yield derivedPart({
      name: `order of ${kind} by ${order.name}`,
      findFault: () => orderFault(table, order),
      rebuild: () => table.buildOrder(order.name),
    });
  }
}

function isIn({ internals }: Table, row: Row): boolean {
  return internals.rows.get(row.id) === row;
}

function* mapFault({ internals: { rows } }: Table): FaultSearch {
  const faultOf = ([id, row]: [string, Row]) =>
    row.id === id ? undefined : `${row.id} is found under the id ${id}`;
  return (yield* rows.findFault()) ?? (yield* firstFault(rows.entries(), faultOf));
}

function* slotFault(table: Table): FaultSearch {
  const { rows, bySlot, freeSlots } = table.internals;
  const misplaced = (row: Row) =>
    bySlot.get(row.slot) === row ? undefined : `${row.id} is not in its slot ${row.slot}`;
  const stray = (slot: number) => {
    const row = bySlot.get(slot);
    if (row === undefined || isIn(table, row)) return undefined;
    return `slot ${slot} holds ${row.id}, which is not there`;
  };
  const taken = (at: number) => {
    const slot = freeSlots[at] ?? -1;
    const isFree = slot < bySlot.length && bySlot.get(slot) === undefined;
    return isFree ? undefined : `slot ${slot} is taken and said to be free`;
  };
  const slots = numbersBelow(() => bySlot.length);
  const freed = numbersBelow(() => freeSlots.length);
  const found =
    (yield* firstFault(rows.values(), misplaced)) ??
    (yield* firstFault(slots, stray)) ??
    (yield* firstFault(freed, taken));
  if (found !== undefined) return found;
  const isCounted = rows.size + freeSlots.length === bySlot.length;
  return isCounted ? undefined : 'the free ones are not those that no record has';
}

/** In place. @throws Error when two records share one slot, which is kept in too many places */
function* rebuildSlots(table: Table): Generator<undefined> {
  const { rows, bySlot, freeSlots } = table.internals;
  let shared: number | undefined;
  for (const slot of numbersBelow(() => bySlot.length)) {
    const row = bySlot.get(slot);
    if (row !== undefined && !isIn(table, row)) bySlot.set(slot, undefined);
    if (slot % rowsAStep === 0) yield;
  }
  let checked = 0;
  for (const row of rows.values()) {
    if (bySlot.get(row.slot) === undefined) bySlot.set(row.slot, row);
    else if (bySlot.get(row.slot) !== row) shared = row.slot;
    if (++checked % rowsAStep === 0) yield;
  }
  // All at once, because slots come and go: some 2 ns each.
  freeSlots.length = 0;
  for (let slot = 0; slot < bySlot.length; slot++) {
    if (bySlot.get(slot) === undefined) freeSlots.push(slot);
  }
  if (shared !== undefined) throw new Error(`two records stand in slot ${shared}`);
}

/** Answers wait for the LSNs that they read: an LSN that is never reached blocks them for good. */
function positionFault(table: Table, newestLsn: () => Lsn): FaultSearch {
  return firstFault(table.internals.rows.values(), ({ id, lsn }) => {
    const newest = newestLsn();
    if (!(lsn <= newest)) return `${id} is of frame ${lsn}, and ${newest} is the newest`;
    if (table.lastLsn >= lsn && table.lastLsn <= newest) return undefined;
    return `${id} is of frame ${lsn}, and the last that changed the kind is ${table.lastLsn}`;
  });
}

function* rebuildPositions(table: Table, newestLsn: () => Lsn): Generator<undefined> {
  let checked = 0;
  for (const row of table.internals.rows.values()) {
    if (!(row.lsn <= newestLsn())) row.lsn = newestLsn();
    if (++checked % rowsAStep === 0) yield;
  }
  table.lastLsn = newestLsn();
}

/** Two records with one unique key are no fault of the index: it cannot be right about them. */
function* indexFault(
  table: Table,
  index: UniqueIndex<RecordBase> | GroupIndex<RecordBase>,
): FaultSearch {
  const hasKey = (row: Row, key: string) =>
    isIn(table, row) && index.keysOf(row.record).includes(key);
  const isShared = (row: Row) =>
    index instanceof UniqueIndex &&
    index.keysOf(row.record).every((key) => {
      const holder = index.get(key);
      return holder !== undefined && hasKey(holder, key);
    });
  const missing = (row: Row) =>
    index.hasAll(row) || isShared(row) ? undefined : `${row.id} is not found`;
  // A key may be a secret; the record's id is not.
  const stray = ([key, slot, row]: readonly [string, number, Row | undefined]) => {
    if (row !== undefined && hasKey(row, key)) return undefined;
    return `an entry leads to ${row?.id ?? `the empty slot ${slot}`}, which has no such key`;
  };
  return (
    (yield* index.map.findFault()) ??
    (yield* firstFault(table.internals.rows.values(), missing)) ??
    (yield* firstFault(index.entries(), stray))
  );
}

/** The order is right when a search finds each row and there are no others. */
function* orderFault({ internals }: Table, order: SortedRows<RecordBase>): FaultSearch {
  // An order that a build replaced meanwhile is not kept any longer.
  const isKept = () => internals.sorted.includes(order);
  const misplaced = (row: Row) =>
    order.holds(row) || !isKept() ? undefined : `${row.id} is not in its place`;
  const found = yield* firstFault(internals.rows.values(), misplaced);
  if (found !== undefined || !isKept()) return found;
  const count = order.runs.reduce((sum, { length }) => sum + length, 0);
  if (count === internals.rows.size && order.size === count) return undefined;
  return `it counts ${order.size} rows and holds ${count} of ${internals.rows.size}`;
}
