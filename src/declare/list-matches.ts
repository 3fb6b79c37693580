// All rows that match a list's filter, in its order: cached matches brought up to date, or matches
// found step by step, so that a search through a million rows does not block other requests.

import type { Budget } from '../filter/contract.ts';
import { type Comparator, compareBy } from '../filter/order.ts';
import { byId } from '../store/indexes.ts';
import { mergedRuns } from '../store/merge-runs.ts';
import type { RecordBase, Row } from '../store/record.ts';
import { turnedBy } from '../store/sorted-rows.ts';
import type { Table } from '../store/table.ts';
import { amended } from './amended-rows.ts';
import type { Environment } from './environment.ts';
import { marksOf, type NarrowedRows, narrowed } from './list-candidates.ts';
import {
  compareKeyed,
  type KeptOrder,
  type KeyedRow,
  keptOrder,
  keyed,
  type ListKeys,
  orderingOf,
} from './list-order.ts';
import type { ListQuery } from './list-query.ts';
import type { CompiledResource } from './registry.ts';

/** The cost of a write since the last update, in rows of the first search. */
const writeCost = 20;

/** Writes that cached matches catch up with at once, some 3 µs each. @bound */
const amendedAtOnceMax = 1000;

/** Rows that are examined, sorted or walked over in one step, 0.1 to 1 ms. */
const rowsInAStep = 512;

/** The matches of a list that are known without examining all rows. */
export interface KnownMatches {
  readonly slots: Uint32Array;
  /** Rows that were examined to bring them up to date. */
  readonly looked: number;
}

/** The matches of one list. They may be cached if each depends only on the row's own record. */
export class ListMatches {
  readonly compare: Comparator<Row>;
  /** Undefined if every row belongs to the list. */
  readonly test: ((row: Row) => boolean) | undefined;
  /** The order that the table keeps for it. */
  readonly order: KeptOrder | undefined;
  readonly #env: Environment;
  readonly #compiled: CompiledResource;
  readonly #asked: ListQuery;
  readonly #table: Table;
  readonly #budget: Budget;
  readonly #keys: ListKeys;

  constructor(env: Environment, compiled: CompiledResource, asked: ListQuery, budget: Budget) {
    const { kind, where } = compiled.resource;
    this.#env = env;
    this.#compiled = compiled;
    this.#asked = asked;
    this.#table = env.store.tableNamed(kind.kind);
    this.#budget = budget;
    this.#keys = asked.filter?.query.sort ?? [];
    this.order = keptOrder(this.#keys, this.#table, kind);
    this.compare = compareBy(this.#keys, byId, env, budget);
    const matches = asked.filter?.query.matches;
    if (where === undefined) this.test = matches && ((row) => matches(row, env, budget));
    else if (matches === undefined) this.test = ({ record }) => where(record as never);
    else this.test = (row) => where(row.record as never) && matches(row, env, budget);
  }

  /** Whether they may be cached, for a list of the whole table. */
  get areLasting(): boolean {
    return this.#asked.filter?.isOwn ?? false;
  }

  /**
   * The cached matches, brought up to date; undefined if there are none, or if examining all rows
   * is cheaper.
   */
  known(): KnownMatches | undefined {
    const { fence } = this.#env.store;
    const known = this.#compiled.memory.matches.get(this.#asked.key);
    // While deferred cascades are pending, rows may become invisible without a change of their
    // table.
    if (known === undefined || this.#table.mayHoldDeparted) return undefined;
    fence.note(this.#table.lastLsn);
    if (known.lsn === this.#table.lastLsn) return { slots: known.slots, looked: 0 };
    const written = this.#table.writtenAfter(known.lsn);
    if (written === undefined || written.size > amendedAtOnceMax) return undefined;
    if (written.size * writeCost > known.looked) return undefined;
    this.#budget.spend(written.size);
    const slots = amended(this.#table, known.slots, written, this);
    // Cached matches must not grow beyond their weight in the cache.
    if (slots.length > known.weight * 1.25 + 8) return undefined;
    known.slots = slots;
    known.lsn = this.#table.lastLsn;
    return { slots, looked: written.size };
  }

  /** @param looked rows that were examined to find them */
  remember(rows: readonly Row[], looked: number): void {
    if (this.#table.mayHoldDeparted) return;
    // By `from` with a mapper, 100,000 take 30 ms.
    const slots = new Uint32Array(rows.length);
    for (let at = 0; at < rows.length; at++) slots[at] = (rows[at] as Row).slot;
    this.#keep(slots, looked);
  }

  /**
   * Finds all matches and caches them, while writes go on in between. If too much is written in the
   * meantime it caches nothing, and each reader examines all rows at once.
   * @throws FilterError if that takes more steps than one request may use.
   */
  *find(): Generator<undefined> {
    const table = this.#table;
    const { lastLsn } = table;
    // From now on the table records its writes.
    table.writtenAfter(lastLsn);
    const { filter } = this.#asked;
    const few = narrowed(this.#env, filter, table.size, this.#budget);
    const looked = few?.count ?? table.size;
    if (filter?.query.matches !== undefined) this.#budget.spend(looked);
    const slots = yield* this.#ordered(yield* this.#tested(few));
    const written = table.writtenAfter(lastLsn);
    if (written === undefined || table.mayHoldDeparted) return;
    this.#keep(amended(table, slots, written, this), looked);
  }

  #keep(slots: Uint32Array, looked: number): void {
    const { lastLsn: lsn } = this.#table;
    this.#table.writtenAfter(lsn);
    const { matches } = this.#compiled.memory;
    matches.set(this.#asked.key, { lsn, slots, weight: slots.length, looked });
  }

  *#tested(few: NarrowedRows | undefined): Generator<undefined, Uint32Array> {
    const { test } = this;
    const table = this.#table;
    const slots = new Uint32Array(table.slots);
    // In one step, because the rows of an index may change between two steps.
    const marks = few === undefined ? undefined : new Uint8Array(slots.length);
    for (const { slot } of few?.rows() ?? []) if (marks !== undefined) marks[slot] = 1;
    let count = 0;
    for (let slot = 0; slot < slots.length; slot++) {
      if (slot % rowsInAStep === 0) yield;
      if (marks !== undefined && marks[slot] !== 1) continue;
      const row = table.inSlot(slot);
      if (row !== undefined && (test === undefined || test(row))) slots[count++] = slot;
    }
    return slots.subarray(0, count);
  }

  #ordered(slots: Uint32Array): Generator<undefined, Uint32Array> {
    const way = orderingOf(this.#env, this.#table, this.order, slots.length);
    return typeof way === 'string' ? this.#sorted(slots) : this.#walked(slots, way);
  }

  *#sorted(slots: Uint32Array): Generator<undefined, Uint32Array> {
    // Allocated at the largest possible length, because growing copies all slots.
    const rows = new Array<KeyedRow>(slots.length);
    const slotOf = new Uint32Array(slots.length);
    let count = 0;
    const compareRows = compareKeyed(this.#keys, this.#budget);
    const compare = (a: number, b: number) => {
      return compareRows(rows[a] as KeyedRow, rows[b] as KeyedRow);
    };
    const runs: Uint32Array[] = [];
    for (let from = 0; from < slots.length; from += rowsInAStep) {
      yield;
      const first = count;
      for (const slot of slots.subarray(from, from + rowsInAStep)) {
        const row = this.#table.inSlot(slot);
        if (row === undefined) continue;
        rows[count] = keyed(row, this.#keys, this.#env, this.#budget);
        slotOf[count++] = slot;
      }
      const run = Uint32Array.from({ length: count - first }, (_, at) => first + at);
      runs.push(run.sort(compare));
    }
    const sorted = yield* mergedRuns(runs, compare);
    for (let at = 0; at < sorted.length; at++) sorted[at] = slotOf[sorted[at] as number] as number;
    return sorted;
  }

  /**
   * The slots in the order of a walk through the table. A row that moves in the meantime may be
   * missed, but it is among the written rows.
   */
  *#walked(slots: Uint32Array, order: KeptOrder): Generator<undefined, Uint32Array> {
    const table = this.#table;
    const marks = marksOf(slots);
    const [key] = order.isDescending ? this.#keys : [];
    const values = key === undefined ? [] : new Array<unknown>(slots.length);
    const walked = new Uint32Array(slots.length);
    let count = 0;
    let last: RecordBase | undefined;
    for (;;) {
      yield;
      const rows = table.following(order.by, last, rowsInAStep);
      if (rows.length === 0) break;
      for (const row of rows) {
        if (marks[row.slot] !== 1) continue;
        marks[row.slot] = 0;
        if (key !== undefined) values[count] = key.read(row, this.#env, this.#budget);
        walked[count++] = row.slot;
      }
      last = rows.at(-1)?.record;
    }
    const found = walked.subarray(0, count);
    return key === undefined ? found : Uint32Array.from(turnedBy(found, (at) => values[at]));
  }
}
