// Lists of values that are not records of the store, filtered, sorted and paged like any other
// list.

import type { Scope } from '../filter/contract.ts';
import { compareBy } from '../filter/order.ts';
import { compiledFilter, effectivePaging, refusing } from './list-query.ts';
import type { Context, Reply } from './operation.ts';

/** The parts of such a list. */
export interface ValueList<T> {
  /** All values, in the order of a list without sort keys. */
  readonly things: readonly T[];
  readonly scope: Scope<T, undefined>;
  /** The names in `scope`, in the order of the answer's `filterableFields`. */
  readonly filterableFields: readonly string[];
  /** JSON text of one value. */
  text(thing: T): string;
}

/**
 * The list that a request asks for as its answer (behaviour/lists).
 * @throws ApiError for a filter, an order or a page that is not valid.
 */
export function valueListReply<T>(context: Context, of: ValueList<T>): Reply {
  const { things, scope, filterableFields } = of;
  const filter = context.query.get('filter') ?? '';
  const query = compiledFilter(scope, { filter, sort: context.query.get('sort') ?? '' });
  const { matches, sort } = query;
  const budget = context.filterBudget();
  const found = refusing('INVALID_FILTER', 'filter', filter, () => {
    if (matches !== undefined) budget.spend(things.length);
    const matching = things.filter((thing) => matches?.(thing, undefined, budget) ?? true);
    // Values with equal keys stay in their original order.
    return sort.length > 0 ? matching.sort(compareBy(sort, () => 0, undefined, budget)) : matching;
  });
  const { limit, offset } = effectivePaging(context, query);
  const page = found.slice(offset, limit === -1 ? found.length : offset + limit);
  const list = { limit, offset, totalCount: found.length, filterableFields };
  return { form: 'data', status: 200, data: [`[${page.map(of.text).join(',')}]`], list };
}
