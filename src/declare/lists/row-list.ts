// One list of rows of a table, as a request asks for it: which rows belong to it, in which order,
// and the page.

import { type Comparator, compareBy } from '../../filter/order.ts';
import type { Budget, SortKey } from '../../filter/scope.ts';
import { byId } from '../../store/indexes.ts';
import type { Row } from '../../store/record.ts';
import type { Table } from '../../store/table.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Environment } from '../operations/environment.ts';
import type { CompiledResource } from '../resources/registry.ts';
import type { ListQuery } from './list-query.ts';
import type { ListMemory } from './memory.ts';

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

/** An order that a table keeps. */
export interface KeptOrder {
  readonly by: string;
  readonly isDescending: boolean;
}

/** A list with everything that follows from what is asked for. */
export class RowList {
  readonly env: Environment;
  readonly table: Table;
  readonly asked: ListQuery;
  readonly memory: ListMemory;
  readonly budget: Budget;
  /** Whether its order and its matches may be kept for later lists. */
  readonly isKept: boolean;
  /** The position after the last row of the page. */
  readonly end: number;
  readonly keys: readonly SortKey<Row, Environment>[];
  /** Undefined if every row belongs to the list. */
  readonly test: ((row: Row) => boolean) | undefined;
  readonly compare: Comparator<Row>;
  /** The flag whose records do not belong to the list, and how many there are, if there are any. */
  readonly leftOut: { readonly flag: string; readonly count: number } | undefined;
  /** The order that the table keeps for it, or will keep if the list is kept. */
  readonly order: KeptOrder | undefined;

  constructor(
    env: Environment,
    { resource, memory }: CompiledResource,
    asked: ListQuery,
    { budget, isKept = true }: { readonly budget: Budget; readonly isKept?: boolean },
  ) {
    const { kind, without } = resource;
    const { offset, limit } = asked.paging;
    this.env = env;
    this.table = env.store.tableNamed(kind.kind);
    const leftOut = without === undefined ? 0 : this.table.group(without).count('true');
    this.leftOut =
      without !== undefined && leftOut > 0 ? { flag: without, count: leftOut } : undefined;
    const where = without === undefined || leftOut > 0 ? resource.where : undefined;
    this.asked = asked;
    this.memory = memory;
    this.budget = budget;
    this.isKept = isKept;
    this.end = offset + limit;
    this.keys = asked.filter?.query.sort ?? [];
    this.compare = compareBy(this.keys, byId, env, budget);
    this.order = this.#keptOrder(kind);
    const matches = asked.filter?.query.matches;
    if (where === undefined) this.test = matches && ((row) => matches(row, env, budget));
    else if (matches === undefined) this.test = ({ record }) => where(record);
    else this.test = (row) => where(row.record) && matches(row, env, budget);
  }

  /** The order that a table keeps for these keys, if any (behaviour/lists#order). */
  #keptOrder({ fields }: Kind): KeptOrder | undefined {
    const [first = idAscending, ...others] = this.keys;
    const { name, isOrdered, isDescending } = first;
    // Keys after a unique one have no effect.
    const isAlone = others.length === 0 || name === 'id' || fields[name]?.unique;
    if (!isOrdered || !isAlone) return undefined;
    // The symbol may be another name of a field, which the table does not know.
    const isThere = this.isKept ? this.table.isOrderedBy(name) : this.table.isOrderKept(name);
    return isThere ? { by: name, isDescending } : undefined;
  }
}

const idAscending = { name: 'id', isOrdered: true, isDescending: false };

/** The rows in some slots. */
export function rowsIn(table: Table, slots: Uint32Array): Row[] {
  const rows: Row[] = [];
  for (const slot of slots) {
    const row = table.inSlot(slot);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** By slot: 1 for each of the slots. */
export function marksOf(slots: Uint32Array): Uint8Array {
  let last = -1;
  for (const slot of slots) if (slot > last) last = slot;
  const marks = new Uint8Array(last + 1);
  for (const slot of slots) marks[slot] = 1;
  return marks;
}
