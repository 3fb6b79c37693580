// The rows that a list has to examine: all rows of its source, or fewer if an index serves.

import type { Budget, Narrowing } from '../filter/contract.ts';
import type { Row } from '../store/record.ts';
import type { Table } from '../store/table.ts';
import type { Environment } from './environment.ts';
import type { ListQuery } from './list-query.ts';

/** The rows that a list chooses from, before filter, order and page. */
export type RowSource =
  /** Every record of the resource. */
  | { readonly form: 'table' }
  /**
   * Known rows in any order, each once, such as the rows of an index. `count` is given if they may
   * be many: gathering and ordering them is then counted like filters.
   */
  | { readonly form: 'rows'; readonly rows: Iterable<Row>; readonly count?: number }
  /** Slots of the resource's table that access selects, each once. */
  | { readonly form: 'slots'; readonly slots: Uint32Array };

/** Rows that belong to a list unless its filter excludes them. */
export interface Candidates {
  /** How they were found, for the log. */
  readonly by: string;
  readonly count: number;
  /** Undefined: every row of the table. */
  readonly rows: readonly Row[] | Uint32Array | undefined;
}

/** Rows that can be examined one after the other in the time of one index look-up. */
const lookUpCost = 4;

/**
 * The candidates of a source under role filter and filter.
 * @throws FilterError if finding them takes more than the budget holds.
 */
export function candidatesOf(
  env: Environment,
  table: Table,
  source: RowSource,
  asked: ListQuery,
  budget: Budget,
): Candidates {
  const given = givenBy(table, source, asked.selected);
  if (source.form === 'rows') return given;
  const few = narrowed(env, asked.filter, given.count, budget);
  if (few === undefined) return given;
  const found = new Set(few.rows());
  const rows = given.rows === undefined ? [...found] : among(marksOf(given.rows), found);
  return { by: few.by, count: rows.length, rows };
}

function givenBy(table: Table, source: RowSource, selected: Uint32Array | undefined): Candidates {
  switch (source.form) {
    case 'table':
      return selected === undefined
        ? { by: 'all', count: table.size, rows: undefined }
        : { by: 'role filter', count: selected.length, rows: selected };
    case 'slots': {
      const { slots } = source;
      const rows = selected === undefined ? slots : shared(slots, selected);
      return { by: 'selected by roles', count: rows.length, rows };
    }
    case 'rows': {
      const rows =
        selected === undefined ? [...source.rows] : among(marksOf(selected), source.rows);
      return { by: 'rows at hand', count: rows.length, rows };
    }
  }
}

/** The rows that an index leaves of many. */
export interface NarrowedRows {
  /** The index. */
  readonly by: string;
  /** Their number, as far as it is known before they are read. */
  readonly count: number;
  /** Some rows may occur twice. */
  rows(): Iterable<Row>;
}

/**
 * The fewest rows that an index leaves of `count`; undefined if examining all rows is less work.
 * @throws FilterError as `candidatesOf`, also while they are read.
 */
export function narrowed(
  env: Environment,
  filter: ListQuery['filter'],
  count: number,
  budget: Budget,
): NarrowedRows | undefined {
  const narrowings = filter?.query.narrowings ?? [];
  const best = narrowest(env, narrowings, count / lookUpCost, budget);
  if (best === undefined) return undefined;
  const { index, values } = best;
  return {
    by: index.name,
    count: best.count,
    *rows() {
      for (const value of values) yield* index.things(value, env, budget);
    },
  };
}

/** The narrowing that leaves the fewest rows, at most `most`. */
function narrowest(
  env: Environment,
  narrowings: readonly Narrowing<Row, Environment>[],
  most: number,
  budget: Budget,
): (Narrowing<Row, Environment> & { readonly count: number }) | undefined {
  let best: Narrowing<Row, Environment> | undefined;
  let least = most;
  for (const narrowing of narrowings) {
    let count = 0;
    for (const value of narrowing.values) {
      budget.spend(lookUpCost);
      count += narrowing.index.count(value, env, budget);
      if (count > least) break;
    }
    if (count > least) continue;
    best = narrowing;
    least = count;
  }
  return best && { ...best, count: least };
}

/** By slot: 1 for each of the rows. */
export function marksOf(rows: readonly Row[] | Uint32Array): Uint8Array {
  let last = -1;
  if (rows instanceof Uint32Array) {
    for (const slot of rows) if (slot > last) last = slot;
  } else {
    for (const { slot } of rows) if (slot > last) last = slot;
  }
  const marks = new Uint8Array(last + 1);
  if (rows instanceof Uint32Array) for (const slot of rows) marks[slot] = 1;
  else for (const { slot } of rows) marks[slot] = 1;
  return marks;
}

function among(marks: Uint8Array, rows: Iterable<Row>): Row[] {
  const found: Row[] = [];
  for (const row of rows) if (marks[row.slot] === 1) found.push(row);
  return found;
}

function shared(left: Uint32Array, right: Uint32Array): Uint32Array {
  const marks = marksOf(right);
  return left.filter((slot) => marks[slot] === 1);
}
