// Pages of instances: at once if the rows are found quickly, else by a search in slices, so that
// other requests are not delayed. Large tables keep neither an order nor matches for these lists.

import type { KindRelation } from '../../../declare/kinds/kind.ts';
import { telling } from '../../../declare/lists/list.ts';
import {
  compiledFilter,
  type ListQuery,
  listQueryOf,
  refusing,
} from '../../../declare/lists/list-query.ts';
import { candidatesOf, chooseRows, planOf } from '../../../declare/lists/plan.ts';
import { RowList } from '../../../declare/lists/row-list.ts';
import {
  type Candidates,
  type ChosenRows,
  examined,
  firstRows,
  type Steps,
} from '../../../declare/lists/search.ts';
import type { Paging } from '../../../declare/operations/operation.ts';
import type { CompiledResource } from '../../../declare/resources/registry.ts';
import { StepBudget } from '../../../filter/budget.ts';
import type { QueryNode } from '../../../filter/nodes.ts';
import { parseQuery } from '../../../filter/parse.ts';
import { boundsOf } from '../../../settings/bounds.ts';
import type { Limits } from '../../../settings/limits.ts';
import type { Row } from '../../../store/record.ts';
import { Admission, FifoQueue } from '../../../turns/admission.ts';
import { inSlices } from '../../../turns/slices.ts';
import type { Context, InspectEnvironment } from '../context.ts';

/** A page of instances. */
export interface InstancePage extends Pick<ChosenRows, 'rows' | 'total'> {
  readonly paging: Paging;
}

/** Lists instances for all inspectors. One search through many instances runs at a time. */
export class InstanceLists {
  readonly #bounds: typeof instanceBounds;
  readonly #searches: Admission;

  constructor(bounds?: Partial<typeof instanceBounds>) {
    this.#bounds = boundsOf(instanceBounds, bounds);
    const { inspectLooksWaitingMax } = this.#bounds;
    this.#searches = new Admission({ runningMax: 1, queue: new FifoQueue(inspectLooksWaitingMax) });
  }

  /**
   * The page that a request asks for, at most `pageRowsMax` rows.
   * @throws ApiError for a filter, an order or a page that is not valid; Busy.
   */
  async page(context: Context, compiled: CompiledResource): Promise<InstancePage> {
    const asked = bounded(listQueryOf(context, compiled), context.env.limits);
    try {
      return { ...(await this.#chosen(context, compiled, asked)), paging: asked.paging };
    } catch (error) {
      return refusing('INVALID_FILTER', 'filter', asked.text, () => {
        throw error;
      });
    }
  }

  #chosen(
    context: Context,
    compiled: CompiledResource,
    asked: ListQuery,
  ): ChosenRows | Promise<ChosenRows> {
    const { env } = context;
    const { inspectRowsAtOnceMax } = this.#bounds;
    const isKept = env.store.tableNamed(compiled.resource.kind.kind).size <= inspectRowsAtOnceMax;
    const budget = isKept && asked.filter ? context.filterBudget() : new StepBudget(env.limits);
    const list = new RowList(env, compiled, asked, { budget, isKept });
    const plan = planOf(list, { form: 'table' });
    if (isKept || plan.way !== 'search' || plan.from.looks <= inspectRowsAtOnceMax) {
      return telling(context, compiled, () => ({ plan, chosen: chooseRows(list, plan) }));
    }
    const steps =
      plan.from.by === 'all' ? rowsByName(env, list, plan.from) : firstRows(list, plan.from);
    return this.inTurn(env, steps);
  }

  /** Runs a search in slices once no other one runs. @throws Busy */
  inTurn<T>({ clock }: Pick<InspectEnvironment, 'clock'>, steps: Steps<T>): Promise<T> {
    return this.#searches.run(() => inSlices(steps, clock, this.#bounds.inspectSliceMs));
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
  const paging = { limit: Math.min(limit, pageRowsMax), offset };
  // Roles select members for policies. A list of instances is filtered by attributes instead.
  return { ...asked, selected: undefined, paging };
}

/** Bounds of lists of instances. */
export const instanceBounds = {
  /** Instances that an inspector's list looks at in one go, 0.1 to 0.5 µs each. @bound */
  inspectRowsAtOnceMax: 10_000,
  /** A slice of an inspector's search: how long other requests wait for it. @bound */
  inspectSliceMs: 3,
  /** Searches of inspectors that wait while one runs. @bound per controller */
  inspectLooksWaitingMax: 32,
};

/**
 * The page of a list of all instances, as `firstRows` finds it; by the names of other records if
 * the filter asks for a name, and each instance has the name of one other record.
 * @throws FilterError if the search takes more steps than the budget of the list holds.
 */
function* rowsByName(env: InspectEnvironment, list: RowList, all: Candidates): Steps<ChosenRows> {
  const { table, asked, budget } = list;
  const owner = ownerOf(list);
  const resource = owner && env.inspection.resourceOf(owner.relation.kind);
  if (owner === undefined || resource === undefined || !('name' in resource.kind.fields)) {
    return yield* firstRows(list, all);
  }
  const compiled = env.registry.of(resource);
  const query = compiledFilter(compiled.scope, { filter: asked.text, sort: '' });
  const filter = { query, isOwn: false };
  const owners = new RowList(env, compiled, { ...asked, filter }, { budget, isKept: false });
  const owned: Row[] = [];
  const from = candidatesOf(owners, { form: 'table' });
  yield* examined(owners, from.rows(), ({ id }) => {
    for (const row of table.members(owner.index, id)) owned.push(row);
  });
  return yield* firstRows(list, { ...all, rows: () => owned });
}

/** The relation to the one record that gives a name, if the filter asks for names alone. */
function ownerOf({ env, table, asked }: RowList): KindRelation | undefined {
  if (asked.text === '' || !isByName(parseQuery(asked.text))) return undefined;
  const { calledBy = [], relations = [] } = env.registry.kinds.get(table.kind) ?? {};
  const [only, ...others] = calledBy;
  return others.length > 0 ? undefined : relations.find(({ field }) => field === only);
}

/** A condition on the name, and no order that owners might not have. */
function isByName({ condition, sort }: QueryNode): boolean {
  if (condition?.kind !== 'equal' && condition?.kind !== 'contains') return false;
  const { left, right, isNegated } = condition;
  const isName = left.kind === 'name' && left.name === 'name';
  return isName && !isNegated && right.kind === 'string' && sort.length === 0;
}
