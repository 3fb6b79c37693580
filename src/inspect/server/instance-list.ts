// Pages of instances: by an order that the table keeps, by an index, or by a search through all of
// them in slices. None of these delays other requests, even with a million instances.

import { Admission, PlainLine } from '../../auth/admission.ts';
import { boundsOf } from '../../bounds.ts';
import type { Environment } from '../../declare/environment.ts';
import { type ListQuery, listQueryOf, refusing } from '../../declare/list-query.ts';
import { chooseRows } from '../../declare/list-rows.ts';
import type { Context, Paging } from '../../declare/operation.ts';
import type { CompiledResource } from '../../declare/registry.ts';
import { StepBudget } from '../../filter/budget.ts';
import type { Narrowing } from '../../filter/contract.ts';
import type { QueryNode } from '../../filter/nodes.ts';
import { parseQuery } from '../../filter/parse.ts';
import type { Limits } from '../../limits.ts';
import type { Row } from '../../store/record.ts';
import type { Table } from '../../store/table.ts';
import type { Inspection } from './inspection.ts';
import { rowsByOwner } from './instance-owners.ts';
import { allRows, lookAt, type RowsToSee, walk, walkBounds } from './instance-walk.ts';

/** A page of instances. */
export interface InstancePage {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly paging: Paging;
}

/** Lists instances for all inspectors. One search through many instances runs at a time. */
export class InstanceLists {
  readonly #looks: Admission;

  constructor(bounds?: Partial<typeof listBounds>) {
    const { inspectLooksWaitingMax: waitingMax } = boundsOf(listBounds, bounds);
    this.#looks = new Admission({ runningMax: 1, line: new PlainLine(waitingMax) });
  }

  /**
   * The page that a request asks for, as a promise if many instances must be searched. A page has
   * at most `pageRowsMax` rows.
   * @throws ApiError for a filter, an order or a page that is not valid; also as the rejection,
   * where Busy is another one.
   */
  page(context: Context, compiled: CompiledResource): InstancePage | Promise<InstancePage> {
    const asked = bounded(listQueryOf(context, compiled), context.env.limits);
    const { env } = context;
    const table = env.store.tableNamed(compiled.resource.kind.kind);
    const { paging } = asked;
    return refusing('INVALID_FILTER', 'filter', asked.text, () => {
      if (isServed(context, table, asked)) {
        return { ...chooseRows(context, compiled, { form: 'table' }, asked), paging };
      }
      const most = rowsAtOnceMax(env) / lookUpCost;
      const few = narrowed(env, asked, table.size / lookUpCost);
      if (few !== undefined && few.count <= most)
        return { ...lookAt(env, few.rows, asked), paging };
      const said = asked.text === '' ? undefined : parseQuery(asked.text);
      const ofState = rowsOfState(context, table, asked, said);
      if (ofState !== undefined) return { ...ofState, paging };
      const rows = few?.rows ?? rowsByOwner(env, table.kind, asked, said) ?? (() => allRows(table));
      return this.#looks.run(() => looked(context, rows, asked));
    });
  }
}

/** The result of `InstanceLists.page`; after a search, the rows that are still valid. */
export function presentRows(
  { env }: Pick<Context, 'env'>,
  kind: string,
  { rows }: InstancePage,
): readonly Row[] {
  const table = env.store.tableNamed(kind);
  env.store.fence.note(table.lastLsn);
  return rows.filter((row) => table.find(row.id) === row);
}

function bounded(asked: ListQuery, { pageRowsMax }: Limits): ListQuery {
  const { limit, offset } = asked.paging;
  const paging = { limit: limit === -1 ? pageRowsMax : limit, offset };
  // Roles select members for policies. A list of instances is filtered by attributes instead.
  return { ...asked, selected: undefined, paging };
}

async function looked({ env }: Context, rows: RowsToSee, asked: ListQuery): Promise<InstancePage> {
  try {
    return { ...(await walk(env, rows, asked)), paging: asked.paging };
  } catch (error) {
    return refusing('INVALID_FILTER', 'filter', asked.text, () => {
      throw error;
    });
  }
}

/** Whether an ordinary list is quick: it has few records, or uses an order that exists. */
function isServed({ env }: Context, table: Table, { filter }: ListQuery): boolean {
  if (table.size <= rowsAtOnceMax(env)) return true;
  const { matches, sort = [] } = filter?.query ?? {};
  return matches === undefined && isKept(table, sort[0]?.name ?? 'id', sort.length);
}

/** Finds a row by an index in the time in which so many are looked at one after the other. */
const lookUpCost = 10;

/** The rows of the index that leaves the fewest rows, at most this number. */
function narrowed(
  env: Environment,
  { filter }: ListQuery,
  most: number,
): { readonly count: number; readonly rows: RowsToSee } | undefined {
  const budget = new StepBudget(env.limits);
  const counted = (filter?.query.narrowings ?? []).map((narrowing) => {
    let count = 0;
    for (const value of narrowing.values) count += narrowing.index.count(value, env, budget);
    return { count, rows: rowsOf(env, narrowing) };
  });
  const [fewest] = counted.sort((a, b) => a.count - b.count);
  return fewest !== undefined && fewest.count <= most ? fewest : undefined;
}

/** Each row once, though it may have several of the values or get another one during the search. */
function rowsOf(env: Environment, { index, values }: Narrowing<Row, Environment>): RowsToSee {
  return function* (budget) {
    const seen = new Set<Row>();
    for (const value of values) {
      for (const row of index.things(value, env, budget)) {
        if (seen.has(row)) continue;
        seen.add(row);
        yield row;
      }
    }
  };
}

/** Whether the table already keeps this order; building one of a million rows takes a second. */
function isKept(table: Table, by: string, keys: number): boolean {
  return keys <= 1 && table.isOrderKept(by);
}

/**
 * The page of the filter `state = "x"` in the order of ids. It is used if so many instances are in
 * that state that the first of them are found soon; their number is known.
 */
function rowsOfState(
  { env }: Context,
  table: Table,
  asked: ListQuery,
  said: QueryNode | undefined,
): { readonly rows: readonly Row[]; readonly total: number } | undefined {
  const { store, inspection } = env;
  if ((asked.filter?.query.sort.length ?? 1) > 0 || !isKept(table, 'id', 1)) return undefined;
  const state = said && stateIn(said);
  if (state === undefined || table.mayHoldDeparted) return undefined;
  const total = inspection.states.count(table.kind, state);
  const { offset, limit } = asked.paging;
  // The rows to skip, if the rows in this state are spread evenly.
  const steps = ((offset + limit) / total) * table.size;
  if (steps > rowsAtOnceMax(env) * stepsARow) return undefined;
  store.fence.note(table.lastLsn);
  return { rows: firstInState(table, inspection, state, { offset, limit }), total };
}

/** Rows that are stepped over by their slots in the time in which a record is looked at. */
const stepsARow = 4;

/** The state of a filter that has no other condition. */
function stateIn({ condition }: QueryNode): string | undefined {
  if (condition?.kind !== 'equal' || condition.isNegated) return undefined;
  const { left, right } = condition;
  const isState = left.kind === 'name' && left.name === 'state';
  return isState && right.kind === 'string' ? right.value : undefined;
}

function firstInState(
  table: Table,
  { states }: Inspection,
  state: string,
  { offset, limit }: Paging,
): Row[] {
  const rows: Row[] = [];
  let skip = offset;
  for (const run of table.runs()) {
    for (const row of run) {
      if (!states.has(table.kind, row, state)) continue;
      if (skip > 0) skip--;
      else rows.push(row);
      if (rows.length >= limit) return rows;
    }
  }
  return rows;
}

function rowsAtOnceMax({ bounds }: Environment): number {
  return boundsOf(walkBounds, bounds).inspectRowsAtOnceMax;
}

const listBounds = {
  /** Searches of inspectors that wait while one runs. @bound per controller */
  inspectLooksWaitingMax: 32,
};
