// Chooses the rows of a list: finds them in the cheapest way, then applies filter, order and page.

import { StepBudget } from '../filter/budget.ts';
import type { Budget } from '../filter/contract.ts';
import { FirstItems } from '../store/first-items.ts';
import type { Row } from '../store/record.ts';
import { turnedBy } from '../store/sorted-rows.ts';
import type { Table } from '../store/table.ts';
import type { Environment } from './environment.ts';
import { candidatesOf, marksOf, narrowed, type RowSource } from './list-candidates.ts';
import { ListMatches } from './list-matches.ts';
import {
  compareKeyed,
  isSortingCheaper,
  type KeptOrder,
  keyed,
  type ListKeys,
  orderingOf,
} from './list-order.ts';
import type { ListQuery } from './list-query.ts';
import type { Context } from './operation.ts';
import type { CompiledResource } from './registry.ts';

/** A page, and how many rows there are on all of them. */
export interface ChosenRows {
  readonly rows: readonly Row[];
  readonly total: number;
}

/** @throws FilterError for a filter that takes too many steps. */
export function chooseRows(
  context: Pick<Context, 'env' | 'requestId' | 'filterBudget'>,
  compiled: CompiledResource,
  source: RowSource,
  asked: ListQuery,
): ChosenRows {
  const { env, requestId } = context;
  const { tellPlan } = env;
  if (tellPlan === undefined) return new Choice(context, compiled, asked).rows(source);
  const start = env.clock.monotonic();
  const choice = new Choice(context, compiled, asked);
  const chosen = choice.rows(source);
  const micros = Math.round((env.clock.monotonic() - start) * 1000);
  const { path } = compiled.resource;
  const { by, looked } = choice;
  tellPlan({ requestId, list: path, by, looked, total: chosen.total, micros });
  return chosen;
}

/**
 * Prepares a list of a large table: builds the order it needs and all matches of its filter;
 * undefined if the list is cheap without that.
 * @param count of rows that the list chooses from, where those are not all
 * @throws FilterError as `chooseRows`; the promise rejects with one too, or as `whenFound`.
 */
export function whenReady(
  context: Pick<Context, 'env' | 'callerIfAny' | 'filterBudget'>,
  compiled: CompiledResource,
  asked: ListQuery,
  count?: number,
): Promise<void> | undefined {
  const { env } = context;
  const { builds } = env;
  const table = env.store.tableNamed(compiled.resource.kind.kind);
  const budget = budgetOf(context, asked);
  const matches = new ListMatches(env, compiled, asked, budget);
  const { order, test } = matches;
  const isWhole = count === undefined && asked.selected === undefined;
  if (isWhole && test === undefined && order !== undefined) {
    return builds.whenOrdered(table, order.by);
  }
  const isLasting = isWhole && matches.areLasting;
  if (isLasting && matches.known() !== undefined) return undefined;
  const all = count ?? table.size;
  const left = narrowed(env, asked.filter, all, budget)?.count ?? all;
  const isByOrder = order !== undefined && !isSortingCheaper(left, table.size);
  const ordered = isByOrder ? builds.whenOrdered(table, order.by) : undefined;
  const isSmall = left < table.size * smallPart;
  if (!isLasting || isSmall || table.mayHoldDeparted) return ordered;
  const by = context.callerIfAny?.identity.id ?? '';
  const find = () => builds.whenFound(by, asked.key, () => matches.find());
  return ordered === undefined ? find() : ordered.then(find);
}

/** So few known rows are gathered and ordered in less than a ms. */
const rowsUncounted = 500;

/** More of them take 1 to 2 µs each. */
const stepsPerRow = 30;

/** If an index leaves less than this share of a table, the rows are examined in one step. */
const smallPart = 1 / 16;

class Choice {
  /** The chosen method, for the log: `unique name`, `order of id`. */
  by = 'remembered';
  /** Rows that were examined. */
  looked = 0;
  readonly #env: Environment;
  readonly #context: Pick<Context, 'filterBudget'>;
  readonly #asked: ListQuery;
  readonly #table: Table;
  readonly #keys: ListKeys;
  readonly #budget: Budget;
  readonly #matches: ListMatches;

  constructor(
    context: Pick<Context, 'env' | 'filterBudget'>,
    compiled: CompiledResource,
    asked: ListQuery,
  ) {
    const { env } = context;
    const { kind } = compiled.resource;
    this.#env = env;
    this.#context = context;
    this.#asked = asked;
    this.#table = env.store.tableNamed(kind.kind);
    this.#keys = asked.filter?.query.sort ?? [];
    this.#budget = budgetOf(context, asked);
    this.#matches = new ListMatches(env, compiled, asked, this.#budget);
  }

  rows(source: RowSource): ChosenRows {
    const { offset, limit } = this.#asked.paging;
    const end = limit === -1 ? Number.POSITIVE_INFINITY : offset + limit;
    const isWhole = source.form === 'table' && this.#asked.selected === undefined;
    const { order, test } = this.#matches;
    if (isWhole && test === undefined && order !== undefined) {
      this.by = `order of ${order.by}`;
      return this.#table.page(offset, end - offset, order.by, order.isDescending);
    }
    const isLasting = isWhole && this.#matches.areLasting;
    const known = isLasting ? this.#matches.known() : undefined;
    if (known !== undefined) {
      this.looked = known.looked;
      if (known.looked > 0) this.by = 'remembered, amended';
      const page = known.slots.subarray(offset, end);
      return { rows: rowsIn(this.#table, page), total: known.slots.length };
    }
    const { rows, total } = this.#matching(source, isLasting ? Number.POSITIVE_INFINITY : end);
    if (isLasting) this.#matches.remember(rows, this.looked);
    return { rows: rows.slice(offset, end), total };
  }

  /** The rows of the list in order, at least those before `end`. */
  #matching(source: RowSource, end: number): ChosenRows {
    if (source.form === 'rows' && (source.count ?? 0) > rowsUncounted) {
      this.#context.filterBudget().spend(stepsPerRow * (source.count ?? 0));
    }
    const candidates = candidatesOf(this.#env, this.#table, source, this.#asked, this.#budget);
    this.by = candidates.by;
    this.looked = candidates.count;
    if (this.#asked.filter?.query.matches !== undefined) this.#budget.spend(candidates.count);
    const rows = this.#tested(candidates.rows);
    return { rows: this.#inOrder(rows, end), total: rows.length };
  }

  #tested(rows: readonly Row[] | Uint32Array | undefined): Row[] {
    const found: Row[] = [];
    const { test } = this.#matches;
    const take = (row: Row | undefined): void => {
      if (row !== undefined && (test === undefined || test(row))) found.push(row);
    };
    if (rows === undefined) this.#table.each(take);
    else if (rows instanceof Uint32Array) for (const slot of rows) take(this.#table.at(slot));
    else for (const row of rows) take(row);
    return found;
  }

  #inOrder(rows: Row[], end: number): readonly Row[] {
    const { order, compare } = this.#matches;
    const way = orderingOf(this.#env, this.#table, order, rows.length);
    switch (way) {
      case 'sort by keys':
        return this.#sorted(rows);
      case 'sort':
        return rows.sort(compare);
      case 'first':
        return this.#first(rows, end);
      default:
        return this.#walkedThrough(way, rows, end);
    }
  }

  #walkedThrough({ by, isDescending }: KeptOrder, rows: readonly Row[], end: number): Row[] {
    const [key] = this.#keys;
    if (!isDescending || key === undefined) return this.#walked(by, rows, end);
    const walked = this.#walked(by, rows, rows.length);
    return turnedBy(walked, (at) => key.read(walked[at] as Row, this.#env, this.#budget));
  }

  #sorted(rows: readonly Row[]): Row[] {
    return rows
      .map((row) => keyed(row, this.#keys, this.#env, this.#budget))
      .sort(compareKeyed(this.#keys, this.#budget))
      .map(({ row }) => row);
  }

  /** Building the order of a large table takes longer than finding the first rows of one list. */
  #first(rows: Row[], end: number): Row[] {
    const { compare } = this.#matches;
    if (!isSortingCheaper(end, rows.length)) return rows.sort(compare);
    const first = new FirstItems(end, compare);
    for (const row of rows) first.add(row);
    return first.takeBehind(0);
  }

  /** The first of the rows in the order of a walk through the table; sorts any number at once. */
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
}

/** A list without a filter or an order has nothing to count. */
function budgetOf(
  context: Pick<Context, 'env' | 'filterBudget'>,
  { filter }: Pick<ListQuery, 'filter'>,
): Budget {
  return filter === undefined ? new StepBudget(context.env.limits) : context.filterBudget();
}

function rowsIn(table: Table, slots: Uint32Array): Row[] {
  const rows: Row[] = [];
  for (const slot of slots) {
    const row = table.inSlot(slot);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}
