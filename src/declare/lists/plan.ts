// Chooses the cheapest way to the rows of a list, and takes it.

import type { Narrowing } from '../../filter/scope.ts';
import type { Row } from '../../store/record.ts';
import { fieldReader } from '../kinds/compiled.ts';
import type { Environment } from '../operations/environment.ts';
import { isSortingCheaper, rowCosts, smallPart, stepCosts, walkedRowsMax } from './costs.ts';
import { findMatches, knownMatches, rememberMatches } from './matches.ts';
import { ordered } from './order.ts';
import { type KeptOrder, marksOf, type RowList, type RowSource, rowsIn } from './row-list.ts';
import { atOnce, type Candidates, type ChosenRows, type Matches, matching } from './search.ts';

/** A way to the rows of a list. `by` is for the log: `unique name`, `order of id`. */
export type Plan = { readonly by: string } & (
  | { readonly way: 'page'; readonly order: KeptOrder }
  | { readonly way: 'remembered'; readonly known: Matches }
  /** The rows in id order for which `has` is true, of which there are `total`. */
  | { readonly way: 'walk'; readonly total: number; has(row: Row): boolean }
  /** If the matches are lasting, all of them are ordered and remembered. */
  | { readonly way: 'search'; readonly from: Candidates; readonly isLasting: boolean }
);

/** @throws FilterError if choosing the way takes more steps than the budget holds. */
export function planOf(list: RowList, source: RowSource): Plan {
  const { order, asked } = list;
  const isWhole = source.form === 'table' && asked.selected === undefined;
  if (isWhole && list.test === undefined && order !== undefined) {
    return { way: 'page', by: `order of ${order.by}`, order };
  }
  const isLasting = isWhole && list.isKept && (asked.filter?.isOwn ?? false);
  const known = isLasting ? knownMatches(list) : undefined;
  if (known !== undefined) {
    const by = known.looked > 0 ? 'remembered, amended' : 'remembered';
    return { way: 'remembered', by, known };
  }
  const from = candidatesOf(list, source);
  const walk = isWhole ? (walkPast(list) ?? walkOf(list, from.looks)) : undefined;
  return walk ?? { way: 'search', by: from.by, from, isLasting };
}

/** The page of a list, found at once. @throws FilterError as `planOf`. */
export function chooseRows(list: RowList, plan: Plan): ChosenRows {
  const { table, asked, end } = list;
  const { offset } = asked.paging;
  switch (plan.way) {
    case 'page': {
      const { by, isDescending } = plan.order;
      return { ...table.page(offset, end - offset, by, isDescending), looked: 0 };
    }
    case 'remembered': {
      const { slots, looked } = plan.known;
      return { rows: rowsIn(table, slots.subarray(offset, end)), total: slots.length, looked };
    }
    case 'walk':
      return { rows: firstOf(list, plan.has).slice(offset), total: plan.total, looked: 0 };
    case 'search':
      return searched(list, plan.from, plan.isLasting);
  }
}

/**
 * Prepares a list of a large table: builds the order it needs and finds all matches of its filter;
 * undefined if the list is cheap without that.
 * @param caller id of the identity that asks
 * @throws FilterError as `planOf`; the promise rejects with one too, or as `whenFound`.
 */
export function whenReady(
  list: RowList,
  source: RowSource,
  caller: string,
): Promise<void> | undefined {
  const { env, table, order, asked } = list;
  const plan = planOf(list, source);
  if (plan.way === 'page') return env.builds.whenOrdered(table, plan.order.by);
  if (plan.way !== 'search') return undefined;
  const { from, isLasting } = plan;
  const isByOrder = order !== undefined && !isSortingCheaper(from.count, table.size);
  const ordered = isByOrder ? env.builds.whenOrdered(table, order.by) : undefined;
  if (!isLasting || from.count < table.size * smallPart || table.mayHoldDeleted) return ordered;
  const find = () => env.builds.whenFound(caller, asked.key, () => findMatches(list, from));
  return ordered === undefined ? find() : ordered.then(find);
}

/**
 * The rows of a source under the role filter, or those of them that an index leaves.
 * @throws FilterError as `planOf`, also from `rows`.
 */
export function candidatesOf(list: RowList, source: RowSource): Candidates {
  const { selected } = list.asked;
  if (source.form === 'rows') {
    const count = source.count ?? 0;
    return { by: 'rows at hand', count, looks: count, rows: () => among(source.rows, selected) };
  }
  const [by, slots] =
    source.form === 'slots'
      ? ['selected by roles', shared(source.slots, selected)]
      : [selected === undefined ? 'all' : 'role filter', selected];
  const count = slots?.length ?? list.table.size;
  const few = narrowest(list, count);
  if (few !== undefined) {
    const rows = () => among(rowsBy(list, few), slots);
    return { by: few.index.name, count: few.count, looks: few.count * looksPerLookUp, rows };
  }
  return { by, count, looks: count, rows: () => slots };
}

const looksPerLookUp = rowCosts.lookUp / rowCosts.look;

/** The index look-up that leaves the fewest rows, if that is less work than examining `count`. */
function narrowest({ asked, env, budget }: RowList, count: number) {
  let best: (Narrowing<Row, Environment> & { readonly count: number }) | undefined;
  let least = count / looksPerLookUp;
  for (const narrowing of asked.filter?.query.narrowings ?? []) {
    let found = 0;
    for (const value of narrowing.values) {
      budget.spend(stepCosts.indexCount);
      found += narrowing.index.count(value, env, budget);
      if (found > least) break;
    }
    if (found > least) continue;
    best = { ...narrowing, count: found };
    least = found;
  }
  return best;
}

/** Each row once, though it may have several of the values. */
function rowsBy(
  { env, budget }: RowList,
  { index, values }: Narrowing<Row, Environment>,
): ReadonlySet<Row> {
  const rows = new Set<Row>();
  for (const value of values) for (const row of index.things(value, env, budget)) rows.add(row);
  return rows;
}

function among(rows: Iterable<Row>, slots: Uint32Array | undefined): Row[] {
  if (slots === undefined) return [...rows];
  const marks = marksOf(slots);
  const found: Row[] = [];
  for (const row of rows) if (marks[row.slot] === 1) found.push(row);
  return found;
}

function shared(left: Uint32Array, right: Uint32Array | undefined): Uint32Array {
  const marks = right && marksOf(right);
  return marks === undefined ? left : left.filter((slot) => marks[slot] === 1);
}

/** The walk past records that do not belong to the resource, for a list of all others. */
function walkPast({ leftOut, asked, env, table, keys, end }: RowList) {
  if (leftOut === undefined || asked.filter?.query.matches !== undefined) return undefined;
  if (keys.length > 0 || !table.isOrderKept('id') || table.mayHoldDeleted) return undefined;
  const { flag, count } = leftOut;
  if (end + count > walkedRowsMax && end + count < table.size) return undefined;
  env.store.fence.note(table.lastLsn);
  const isSet = fieldReader(flag);
  const has = (row: Row): boolean => isSet(row) !== true;
  const by = `order of id without ${flag}`;
  return { way: 'walk', by, total: table.size - count, has } as const;
}

/**
 * The walk to the rows with the one value that a filter asks for, if an index knows them without
 * reading records, and so many have it that the page is found soon.
 */
function walkOf({ env, asked, table, budget, keys, end }: RowList, looks: number) {
  const [only] = asked.filter?.query.narrowings ?? [];
  const [value, ...others] = only?.values ?? [];
  const { index } = only ?? {};
  if (!only?.isAll || others.length > 0) return undefined;
  if (index?.has === undefined || value === undefined) return undefined;
  if (keys.length > 0 || !table.isOrderKept('id') || table.mayHoldDeleted) return undefined;
  const total = index.count(value, env, budget);
  // The rows before the end of the page, if those with the value are spread evenly.
  const steps = Math.min(1, end / total) * table.size;
  if (steps > walkedRowsMax || steps * rowCosts.step > looks * rowCosts.look) return undefined;
  env.store.fence.note(table.lastLsn);
  const has = (row: Row): boolean => index.has?.(row, value, env) ?? false;
  return { way: 'walk', by: `order of id by ${index.name}`, total, has } as const;
}

function searched(list: RowList, from: Candidates, isLasting: boolean): ChosenRows {
  const { table, asked, end } = list;
  const found = atOnce(matching(list, from));
  const most = isLasting ? Number.POSITIVE_INFINITY : end;
  const slots = atOnce(ordered(list, found.slots, most));
  if (isLasting) rememberMatches(list, { slots, looked: found.looked });
  const page = slots.subarray(asked.paging.offset, end);
  return { rows: rowsIn(table, page), total: found.slots.length, looked: found.looked };
}

/** The rows before the end of the page in id order, of those for which `has` is true. */
function firstOf({ table, end }: RowList, has: (row: Row) => boolean): Row[] {
  const rows: Row[] = [];
  for (const row of table.rows()) {
    if (rows.length >= end) break;
    if (has(row)) rows.push(row);
  }
  return rows;
}
