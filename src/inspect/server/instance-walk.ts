// Searches instances for the page of a query, all at once or in slices, so that a search of a
// million instances does not delay other requests.

import { Pace } from '../../actors/pace.ts';
import { boundsOf } from '../../bounds.ts';
import type { Environment } from '../../declare/environment.ts';
import type { ListQuery } from '../../declare/list-query.ts';
import { StepBudget } from '../../filter/budget.ts';
import type { Budget } from '../../filter/contract.ts';
import { compareBy } from '../../filter/order.ts';
import { FirstItems } from '../../store/first-items.ts';
import { byId } from '../../store/indexes.ts';
import type { Row } from '../../store/record.ts';
import type { Table } from '../../store/table.ts';

/** The result of a walk. */
export interface WalkedRows {
  /** The rows of the page, in order, as they were when the walk read them. */
  readonly rows: readonly Row[];
  /** How many matched. */
  readonly total: number;
}

/** Rows to search, each once; undefined is a step without a row. */
export type RowsToSee = (budget: Budget) => Iterable<Row | undefined>;

/** Every row of a table that readers can see. */
export function* allRows(table: Table): Generator<Row | undefined> {
  for (let slot = 0; slot < table.slots; slot++) yield table.at(slot);
}

/** Steps between two reads of the clock. */
const stepsASlice = 64;

/**
 * The page of a query over some rows. A row that changes during the walk is seen before or after
 * its change. The walk itself notes nothing on the read fence.
 * @throws FilterError as the rejection, for a query that takes more than `filterStepsMax` steps.
 */
export async function walk(
  env: Environment,
  rows: RowsToSee,
  asked: ListQuery,
): Promise<WalkedRows> {
  const look = new Look(env, asked);
  const pace = new Pace(env.clock, boundsOf(walkBounds, env.bounds).inspectSliceMs);
  let steps = 0;
  for (const row of rows(look.budget)) {
    if (steps++ % stepsASlice === 0 && pace.isDue) await pace.rest();
    look.see(row);
  }
  return look.found();
}

/** The same at once, for few rows. @throws FilterError as `walk`. */
export function lookAt(env: Environment, rows: RowsToSee, asked: ListQuery): WalkedRows {
  const look = new Look(env, asked);
  for (const row of rows(look.budget)) look.see(row);
  return look.found();
}

class Look {
  readonly budget: Budget;
  readonly #env: Environment;
  readonly #asked: ListQuery;
  readonly #first: FirstItems<Row>;
  #total = 0;

  constructor(env: Environment, asked: ListQuery) {
    const { offset, limit } = asked.paging;
    this.budget = new StepBudget(env.limits);
    this.#env = env;
    this.#asked = asked;
    const order = compareBy(asked.filter?.query.sort ?? [], byId, env, this.budget);
    this.#first = new FirstItems(offset + limit, order);
  }

  see(row: Row | undefined): void {
    if (row === undefined) return;
    const matches = this.#asked.filter?.query.matches;
    if (matches !== undefined) {
      this.budget.spend(1);
      if (!matches(row, this.#env, this.budget)) return;
    }
    this.#total++;
    this.#first.add(row);
  }

  found(): WalkedRows {
    return { rows: this.#first.takeBehind(this.#asked.paging.offset), total: this.#total };
  }
}

/** Bounds of searching through instances. */
export const walkBounds = {
  /** Instances that an inspector's list looks at in one go, 0.1 to 0.5 µs each. @bound */
  inspectRowsAtOnceMax: 10_000,
  /** A slice of an inspector's search: how long other requests wait for it. @bound */
  inspectSliceMs: 3,
};
