// The order of the rows of a list, and how rows are sorted into it.

import type { Budget, Scalar, SortKey } from '../filter/contract.ts';
import { type Comparator, compareBy } from '../filter/order.ts';
import { byId } from '../store/indexes.ts';
import type { Row } from '../store/record.ts';
import type { Table } from '../store/table.ts';
import type { Environment } from './environment.ts';
import type { Kind } from './kind.ts';

/** The sort keys of a list. */
export type ListKeys = readonly SortKey<Row, Environment>[];

/** An order that a table keeps. */
export interface KeptOrder {
  readonly by: string;
  readonly isDescending: boolean;
}

/** The order that a table keeps for these keys, if any (behaviour/lists#order). */
export function keptOrder(
  [first, ...others]: ListKeys,
  table: Table,
  { fields }: Kind,
): KeptOrder | undefined {
  if (first === undefined) return { by: 'id', isDescending: false };
  const { name, isOrdered, isDescending } = first;
  // Keys after a unique one have no effect.
  const isAlone = others.length === 0 || name === 'id' || fields[name]?.unique;
  // The symbol may be another name of a field, which the table does not know.
  return isOrdered && isAlone && table.isOrderedBy(name) ? { by: name, isDescending } : undefined;
}

/** The cost of comparing two rows, in rows of a walk. */
const sortCost = 15;

/** Whether sorting some rows of a table is less work than a walk over all in a kept order. */
export function isSortingCheaper(count: number, ofRows: number): boolean {
  return sortCost * count * Math.log2(count + 1) <= ofRows;
}

/**
 * How rows of a table are ordered: by a sort, by a walk through the returned order, or by selecting
 * the first ones if the table is too large to build that order.
 */
export function orderingOf(
  { builds }: Environment,
  table: Table,
  order: KeptOrder | undefined,
  count: number,
): 'sort by keys' | 'sort' | 'first' | KeptOrder {
  if (order === undefined) return 'sort by keys';
  if (isSortingCheaper(count, table.size)) return 'sort';
  return builds.isReady(table, order.by) ? order : 'first';
}

/**
 * A row and the values of its keys. Each value is read once, because a record is seldom near the
 * last one in memory.
 */
export interface KeyedRow {
  readonly row: Row;
  readonly values: readonly (Scalar | undefined)[];
}

/** A row with its sort values. */
export function keyed(row: Row, keys: ListKeys, env: Environment, budget: Budget): KeyedRow {
  return { row, values: keys.map((key) => key.read(row, env, budget)) };
}

/** The order of rows whose keys were read. */
export function compareKeyed(keys: ListKeys, budget: Budget): Comparator<KeyedRow> {
  const known = keys.map((key, at) => ({ ...key, read: ({ values }: KeyedRow) => values[at] }));
  return compareBy<KeyedRow, undefined>(
    known,
    (left, right) => byId(left.row, right.row),
    undefined,
    budget,
  );
}
