// Whether a table's indexes, slots and orders say what its rows say, looked at row by row while
// writes go on.

import type { Lsn } from '../../snapshots/journal.ts';
import { type Fault, faultsOfRow, type Look, type Repair, rowsAStep } from './fault.ts';
import type { RecordBase, Row } from './record.ts';
import type { SortedRows } from './sorted-rows.ts';
import type { Table, TableParts } from './table.ts';

/**
 * Looks at everything that a table derives from its rows, in both directions. Two records with one
 * unique key are left out: no index can be right about them.
 */
export function* tableFaults(table: Table, newestLsn: () => Lsn): Look {
  const renewals = new Map<string, Repair>();
  const renewal = (by: string): Repair => {
    const known = renewals.get(by);
    if (known !== undefined) return known;
    const repair = () => table.buildOrder(by);
    renewals.set(by, repair);
    return repair;
  };
  // Before all others, which ask the maps what is there.
  yield* mapFaults(table);
  let looked = 0;
  for (const [id, row] of table.parts.rows) {
    if (!isSound(table, id, row, newestLsn())) {
      const isThere = () => isIn(table, row);
      yield* faultsOfRow(row, isThere, () => faultsAround(table, id, row, newestLsn(), renewal));
    }
    if (++looked % rowsAStep === 0) yield;
  }
  yield* strayKeys(table);
  yield* strayMembers(table);
  yield* slotFaults(table);
  for (const { name } of [...table.parts.sorted]) yield* orderFaults(table, name, renewal(name));
}

function* mapFaults({ kind, parts }: Table): Look {
  const maps = [
    { name: 'id', faults: () => parts.rows.faults() },
    ...parts.unique,
    ...parts.groups,
  ];
  for (const map of maps) {
    for (const fault of map.faults()) {
      if (fault === undefined) {
        yield;
        continue;
      }
      const description = `in the map of ${kind} by ${map.name} ${fault.reason}`;
      yield { description, fix: () => fault.mend(), advice: restart };
    }
  }
}

/** Whether nothing is wrong around a row: asked of each, so it leaves no garbage behind. */
function isSound(table: Table, id: string, row: Row, newestLsn: Lsn): boolean {
  const { bySlot, unique, groups, sorted } = table.parts;
  const { record, lsn, slot } = row;
  if (record.id !== id || bySlot.get(slot) !== row) return false;
  if (!(lsn <= newestLsn && lsn <= table.lastLsn && table.lastLsn <= newestLsn)) return false;
  for (const index of unique) {
    const key = index.keyOf(record);
    if (key !== undefined && index.get(key) !== row) return false;
  }
  for (const index of groups) if (!index.hasAll(row)) return false;
  for (const order of sorted) if (!order.holds(row)) return false;
  return true;
}

function* faultsAround(
  table: Table,
  id: string,
  row: Row,
  newestLsn: Lsn,
  renewal: (by: string) => Repair,
): Generator<Fault> {
  yield* rowFaults(table, id, row);
  yield* positionFaults(table, row, newestLsn);
  yield* missingEntries(table, row);
  yield* missingInOrders(table, row, renewal);
}

const restart = 'restart the controller: it makes this anew from the records';

function* rowFaults(table: Table, id: string, row: Row): Generator<Fault> {
  const { rows, bySlot } = table.parts;
  const what = `${table.kind} ${row.record.id}`;
  if (row.record.id !== id) {
    const description = `${what} is found under the id ${id}`;
    const isElsewhere = rows.has(row.record.id);
    const fix = () => {
      rows.delete(id);
      rows.set(row.record.id, row);
    };
    yield { description, fix: isElsewhere ? undefined : fix, advice: restart };
  }
  const there = bySlot.get(row.slot);
  if (there !== row) {
    const description = `${what} is not in its slot ${row.slot}`;
    const isTaken = there?.slot === row.slot && isIn(table, there);
    const fix = () => {
      bySlot.set(row.slot, row);
      renewFreeSlots(table);
    };
    yield { description, fix: isTaken ? undefined : fix, advice: restart };
  }
}

/** Answers wait for the LSNs that they read: one that is never reached holds them up for good. */
function* positionFaults(table: Table, row: Row, newestLsn: Lsn): Generator<Fault> {
  const what = `${table.kind} ${row.record.id}`;
  if (!(row.lsn <= newestLsn)) {
    const description = `${what} is of frame ${row.lsn}, and ${newestLsn} is the newest`;
    const fix = () => {
      row.lsn = newestLsn;
    };
    yield { description, fix, advice: restart };
  }
  if (!(table.lastLsn >= row.lsn && table.lastLsn <= newestLsn)) {
    const description =
      `${what} is of frame ${row.lsn}, the newest is ${newestLsn}, ` +
      `and the last that changed the kind is said to be ${table.lastLsn}`;
    const fix = () => {
      table.lastLsn = newestLsn;
    };
    yield { description, fix, advice: restart };
  }
}

function* missingEntries(table: Table, row: Row): Generator<Fault> {
  const { unique, groups } = table.parts;
  const what = `${table.kind} ${row.record.id}`;
  for (const index of unique) {
    const key = index.keyOf(row.record);
    if (key === undefined) continue;
    const holder = index.get(key);
    if (holder === row) continue;
    if (holder !== undefined && isIn(table, holder) && index.keyOf(holder.record) === key) continue;
    const description = `${what} is not found by its ${index.name}`;
    yield { description, fix: () => index.mend(key, row), advice: restart };
  }
  for (const index of groups) {
    for (const key of index.keysOf(row.record)) {
      if (index.has(key, row)) continue;
      const description = `${what} is not among those whose ${index.name} is ${key}`;
      yield { description, fix: () => index.mend(key, row), advice: restart };
    }
  }
}

function* missingInOrders(
  table: Table,
  row: Row,
  renewal: (by: string) => Repair,
): Generator<Fault> {
  for (const order of table.parts.sorted) {
    if (order.holds(row)) continue;
    const description = `${table.kind} ${row.record.id} is not in the order by ${order.name}`;
    yield { description, repair: renewal(order.name), advice: restart };
  }
}

function* strayKeys(table: Table): Look {
  let looked = 0;
  for (const index of table.parts.unique) {
    for (const [key, row] of index.entries()) {
      if (isIn(table, row) && index.keyOf(row.record) === key) {
        if (++looked % rowsAStep === 0) yield;
        continue;
      }
      // A key may be a secret; the record is not.
      const description =
        `an entry of ${table.kind} by ${index.name} leads to ${row.record.id}, ` +
        'which has no such key';
      const fix = () => index.mend(key, undefined);
      yield { description, fix, advice: restart };
    }
  }
}

function* strayMembers(table: Table): Look {
  let looked = 0;
  for (const index of table.parts.groups) {
    for (const [key, slot, row] of index.entries()) {
      if (row !== undefined && isIn(table, row) && index.keysOf(row.record).includes(key)) {
        if (++looked % rowsAStep === 0) yield;
        continue;
      }
      const what = row === undefined ? `slot ${slot}, which is empty,` : row.record.id;
      const description =
        `${table.kind} ${what} is among those whose ${index.name} is ${key}, ` +
        'and should not be';
      const fix = () => index.drop(key, slot);
      yield { description, fix, advice: restart };
    }
  }
}

function* slotFaults(table: Table): Look {
  const { bySlot, freeSlots } = table.parts;
  for (let slot = 0; slot < bySlot.length; slot++) {
    if (slot % rowsAStep === 0) yield;
    const row = bySlot.get(slot);
    if (row === undefined || (row.slot === slot && isIn(table, row))) continue;
    const description = `slot ${slot} of ${table.kind} holds ${row.record.id}, which is not there`;
    const fix = () => {
      bySlot.set(slot, undefined);
      renewFreeSlots(table);
    };
    yield { description, fix, advice: restart };
  }
  for (let at = 0; at < freeSlots.length; at++) {
    if (at % rowsAStep === 0) yield;
    const slot = freeSlots[at];
    if (slot === undefined || (slot < bySlot.length && bySlot.get(slot) === undefined)) continue;
    const description = `slot ${slot} of ${table.kind} is taken and said to be free`;
    yield { description, fix: () => renewFreeSlots(table), advice: restart };
  }
  if (rowsAndFree(table.parts) === bySlot.length) return;
  const description = `the free slots of ${table.kind} are not those that no record has`;
  yield { description, fix: () => renewFreeSlots(table), advice: restart };
}

function rowsAndFree({ rows, freeSlots }: TableParts<RecordBase>): number {
  return rows.size + freeSlots.length;
}

/** At once, as slots come and go: some 2 ns each. */
function renewFreeSlots({ parts }: Table): void {
  const { bySlot, freeSlots } = parts;
  freeSlots.length = 0;
  for (let slot = 0; slot < bySlot.length; slot++) {
    if (bySlot.get(slot) === undefined) freeSlots.push(slot);
  }
}

/** Rows compared in one step. */
const rowsAtATime = 64;

/** Blocks come and go meanwhile, so the next one is the one behind the last that was looked at. */
function* orderFaults(table: Table, by: string, repair: Repair): Look {
  const fault = (reason: string): Fault => {
    return {
      description: `the order of ${table.kind} by ${by} ${reason}`,
      repair,
      advice: restart,
    };
  };
  const order = table.parts.sorted.find(({ name }) => name === by);
  if (order === undefined) return;
  const { runs } = order;
  // One that a build replaced meanwhile is not kept any more.
  const isKept = () => table.parts.sorted.includes(order);
  for (let at = 0, block = runs[at]; block !== undefined && isKept(); block = runs[at]) {
    if (block.length === 0) yield fault('has an empty block');
    for (let from = 0; from < block.length; from += rowsAtATime) {
      const rows = block.slice(from, from + rowsAtATime + 1);
      const next = runs[runs.indexOf(block) + 1]?.[0];
      if (from + rowsAtATime >= block.length && next !== undefined) rows.push(next);
      yield orderFault(table, order, rows, fault);
    }
    const known = runs.indexOf(block);
    // One that is gone was emptied: the next one stands where it stood.
    at = known < 0 ? at : known + 1;
  }
  if (!isKept()) return;
  const count = runs.reduce((sum, { length }) => sum + length, 0);
  const { size } = table.parts.rows;
  if (count !== size || order.size !== size) {
    yield fault(`counts ${order.size} rows and holds ${count} of ${size}`);
  }
}

function orderFault(
  table: Table,
  order: SortedRows<RecordBase>,
  rows: readonly Row[],
  fault: (reason: string) => Fault,
): Fault | undefined {
  for (const [at, row] of rows.entries()) {
    const next = rows[at + 1];
    if (!isIn(table, row)) return fault(`holds ${row.record.id}, which is not there`);
    if (next !== undefined && !order.isAscending(row, next)) {
      return fault(`has ${next.record.id} behind ${row.record.id}`);
    }
  }
  return undefined;
}

function isIn({ parts }: Table, row: Row): boolean {
  return parts.rows.get(row.record.id) === row;
}
