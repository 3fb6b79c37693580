// Chooses the rows of a list: the cheapest way to them, then filter, order and page.

import { newBudget } from '../filter/budget.ts';
import type { Budget, Scalar, SortKey } from '../filter/contract.ts';
import { compareBy } from '../filter/order.ts';
import { FirstItems } from '../store/first-items.ts';
import { byId } from '../store/indexes.ts';
import type { Row } from '../store/record.ts';
import { turnedBy } from '../store/sorted-rows.ts';
import type { Table } from '../store/table.ts';
import { amended } from './amended-rows.ts';
import type { Environment } from './environment.ts';
import type { Kind } from './kind.ts';
import { candidatesOf, marksOf, narrowedCount, type RowSource } from './list-candidates.ts';
import type { RememberedRows } from './list-memory.ts';
import type { ListQuery } from './list-query.ts';
import type { Context } from './operation.ts';
import type { CompiledResource } from './registry.ts';

/** A page, and how many rows there are on all of them. */
export interface ChosenRows {
  readonly rows: readonly Row[];
  readonly total: number;
}

/** @throws FilterError for a filter that looks at too much. */
export function chooseRows(
  { env, requestId }: Pick<Context, 'env' | 'requestId'>,
  compiled: CompiledResource,
  source: RowSource,
  asked: ListQuery,
): ChosenRows {
  const { tellPlan } = env;
  if (tellPlan === undefined) return new Choice(env, compiled, asked).rows(source);
  const start = env.clock.monotonic();
  const choice = new Choice(env, compiled, asked);
  const chosen = choice.rows(source);
  const micros = Math.round((env.clock.monotonic() - start) * 1000);
  const { path } = compiled.resource;
  const { by, looked } = choice;
  tellPlan({ requestId, list: path, by, looked, total: chosen.total, micros });
  return chosen;
}

/** What comparing two rows costs, in rows that a walk steps over. */
const sortCost = 15;

/** Whether sorting some rows of a table is less work than a walk over all in a kept order. */
export function isSortingCheaper(count: number, ofRows: number): boolean {
  return sortCost * count * Math.log2(count + 1) <= ofRows;
}

/**
 * The order that a list needs of its table and that should be there before; undefined where few
 * rows have to be sorted, it is there, or no table keeps such an order.
 * @throws FilterError as `chooseRows`.
 */
export function neededOrder(
  env: Environment,
  kind: Kind,
  table: Table,
  { filter, count }: Pick<ListQuery, 'filter'> & { readonly count: number },
): string | undefined {
  const order = keptOrder(filter?.query.sort ?? [], table, kind);
  if (order === undefined || table.isOrderKept(order.by)) return undefined;
  const left = narrowedCount(env, filter, count, newBudget(env.limits));
  return isSortingCheaper(left, table.size) ? undefined : order.by;
}

/** What a write since the last time costs, in rows that were looked at the first time. */
const writeCost = 20;

/** An order that the table keeps. */
interface KeptOrder {
  readonly by: string;
  readonly isDescending: boolean;
}

class Choice {
  /** The way that was taken, for the log: `unique name`, `order of id`. */
  by = 'remembered';
  /** Rows that were looked at. */
  looked = 0;
  readonly #env: Environment;
  readonly #compiled: CompiledResource;
  readonly #asked: ListQuery;
  readonly #table: Table;
  readonly #sort: readonly SortKey<Row, Environment>[];
  readonly #order: KeptOrder | undefined;
  readonly #budget: Budget;
  /** Undefined where every candidate belongs to the list. */
  readonly #test: ((row: Row) => boolean) | undefined;

  constructor(env: Environment, compiled: CompiledResource, asked: ListQuery) {
    const { kind } = compiled.resource;
    this.#env = env;
    this.#compiled = compiled;
    this.#asked = asked;
    this.#table = env.store.table(kind.kind);
    this.#sort = asked.filter?.query.sort ?? [];
    this.#order = keptOrder(this.#sort, this.#table, kind);
    this.#budget = newBudget(env.limits);
    this.#test = this.#tester();
  }

  rows(source: RowSource): ChosenRows {
    const { offset, limit } = this.#asked.paging;
    const end = limit === -1 ? Number.POSITIVE_INFINITY : offset + limit;
    const isWhole = source.form === 'table' && this.#asked.selected === undefined;
    const order = this.#order;
    if (isWhole && this.#test === undefined && order !== undefined) {
      this.by = `order of ${order.by}`;
      return this.#table.page(offset, end - offset, order.by, order.isDescending);
    }
    const isLasting = isWhole && (this.#asked.filter?.isOwn ?? false);
    const known = isLasting ? this.#remembered() : undefined;
    if (known !== undefined) {
      const page = known.slots.subarray(offset, end);
      return { rows: rowsIn(this.#table, page), total: known.slots.length };
    }
    const { rows, total } = this.#matching(source, isLasting ? Number.POSITIVE_INFINITY : end);
    if (isLasting) this.#remember(rows);
    return { rows: rows.slice(offset, end), total };
  }

  /** The rows of the list in order, at least those before `end`. */
  #matching(source: RowSource, end: number): ChosenRows {
    const candidates = candidatesOf(this.#env, this.#table, source, this.#asked, this.#budget);
    this.by = candidates.by;
    this.looked = candidates.count;
    if (this.#asked.filter?.query.matches !== undefined) this.#budget.spend(candidates.count);
    const rows = this.#tested(candidates.rows);
    return { rows: this.#inOrder(rows, end), total: rows.length };
  }

  #tested(rows: readonly Row[] | Uint32Array | undefined): Row[] {
    const found: Row[] = [];
    const test = this.#test;
    const take = (row: Row | undefined): void => {
      if (row !== undefined && (test === undefined || test(row))) found.push(row);
    };
    if (rows === undefined) this.#table.each(take);
    else if (rows instanceof Uint32Array) for (const slot of rows) take(this.#table.at(slot));
    else for (const row of rows) take(row);
    return found;
  }

  #inOrder(rows: Row[], end: number): readonly Row[] {
    const order = this.#order;
    const count = rows.length;
    if (order === undefined) return sorted(rows, this.#sort, this.#env, this.#budget);
    if (isSortingCheaper(count, this.#table.size)) {
      return rows.sort(compareBy(this.#sort, byId, this.#env, this.#budget));
    }
    if (!this.#env.orders.isReady(this.#table, order.by)) return this.#first(rows, end);
    const [key] = this.#sort;
    if (!order.isDescending || key === undefined) return this.#walked(order.by, rows, end);
    const walked = this.#walked(order.by, rows, count);
    return turnedBy(walked, (row) => key.read(row, this.#env, this.#budget));
  }

  /** To make the order of a large table takes longer than to find the first rows of one list. */
  #first(rows: Row[], end: number): Row[] {
    const compare = compareBy(this.#sort, byId, this.#env, this.#budget);
    if (!isSortingCheaper(end, rows.length)) return rows.sort(compare);
    const first = new FirstItems(end, compare);
    for (const row of rows) first.add(row);
    return first.takeBehind(0);
  }

  /** The first of the rows as they come in a walk through the table: sorts any number at once. */
  #walked(by: string, rows: readonly Row[], end: number): Row[] {
    const marks = marksOf(rows);
    const most = Math.min(end, rows.length);
    const found: Row[] = [];
    for (const run of this.#table.runs(by)) {
      if (found.length >= most) break;
      for (const row of run) if (marks[row.slot] === 1) found.push(row);
    }
    return found;
  }

  #remembered(): RememberedRows | undefined {
    const { fence } = this.#env.store;
    const known = this.#compiled.memory.matches.get(this.#asked.key);
    // While consequences are open, rows may leave without a change of their table.
    if (known === undefined || this.#table.mayHoldDeparted) return undefined;
    fence.note(this.#table.lastLsn);
    return known.lsn === this.#table.lastLsn || this.#amend(known) ? known : undefined;
  }

  /** Looks at what was written since; false where looking at all of it anew is better. */
  #amend(known: RememberedRows): boolean {
    const written = this.#table.writtenAfter(known.lsn);
    if (written === undefined || written.size * writeCost > known.looked) return false;
    this.by = 'remembered, amended';
    this.looked = written.size;
    this.#budget.spend(written.size);
    const compare = compareBy(this.#sort, byId, this.#env, this.#budget);
    const slots = amended(this.#table, known.slots, written, { test: this.#test, compare });
    // What is kept must not outgrow what it was weighed as.
    if (slots.length > known.weight * 1.25 + 8) return false;
    known.slots = slots;
    known.lsn = this.#table.lastLsn;
    return true;
  }

  #remember(rows: readonly Row[]): void {
    if (this.#table.mayHoldDeparted) return;
    const { lastLsn: lsn } = this.#table;
    // From now on the table remembers what is written.
    this.#table.writtenAfter(lsn);
    // By `from` with a mapper, 100,000 take 30 ms.
    const slots = new Uint32Array(rows.length);
    for (let at = 0; at < rows.length; at++) slots[at] = (rows[at] as Row).slot;
    const { looked } = this;
    this.#compiled.memory.matches.set(this.#asked.key, {
      lsn,
      slots,
      weight: slots.length,
      looked,
    });
  }

  #tester(): ((row: Row) => boolean) | undefined {
    const { where } = this.#compiled.resource;
    const matches = this.#asked.filter?.query.matches;
    const env = this.#env;
    const budget = this.#budget;
    if (where === undefined) return matches && ((row) => matches(row, env, budget));
    if (matches === undefined) return ({ record }) => where(record as never);
    return (row) => where(row.record as never) && matches(row, env, budget);
  }
}

function rowsIn(table: Table, slots: Uint32Array): Row[] {
  const rows: Row[] = [];
  for (const slot of slots) {
    const row = table.inSlot(slot);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** A row and the values of its keys. */
interface KeyedRow {
  readonly row: Row;
  readonly values: readonly (Scalar | undefined)[];
}

/** Rows by their keys, each of which is read once: a record is seldom near the last one. */
function sorted(
  rows: readonly Row[],
  keys: readonly SortKey<Row, Environment>[],
  env: Environment,
  budget: Budget,
): Row[] {
  const known = keys.map((key, at) => ({ ...key, read: ({ values }: KeyedRow) => values[at] }));
  const order = compareBy<KeyedRow, undefined>(
    known,
    (left, right) => byId(left.row, right.row),
    undefined,
    budget,
  );
  return rows
    .map((row): KeyedRow => ({ row, values: keys.map((key) => key.read(row, env, budget)) }))
    .sort(order)
    .map(({ row }) => row);
}

/** The order that a table keeps for these keys, if it does (behaviour §2.1.6). */
function keptOrder(
  [first, ...others]: readonly SortKey<Row, Environment>[],
  table: Table,
  { fields }: Kind,
): KeptOrder | undefined {
  if (first === undefined) return { by: 'id', isDescending: false };
  const { name, isOrdered, isDescending } = first;
  // Keys behind one that decides alone decide nothing.
  const isAlone = others.length === 0 || name === 'id' || fields[name]?.unique;
  // The symbol may be another name of a field, by which the table knows nothing.
  return isOrdered && isAlone && table.isOrderedBy(name) ? { by: name, isDescending } : undefined;
}
