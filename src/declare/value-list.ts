// Lists of things that are no records of the store: filtered, sorted and paged like any other list.

import type { Scope } from '../filter/contract.ts';
import { compareBy } from '../filter/order.ts';
import { compiledFilter, effectivePaging, refusing } from './list-query.ts';
import type { Context, Reply } from './operation.ts';

/** What such a list is made of. */
export interface ValueList<T> {
  /** All there are, in the order of a list that asks for none. */
  readonly things: readonly T[];
  readonly scope: Scope<T, undefined>;
  /** What `scope` knows, in the order of the answer's `filterableFields`. */
  readonly filterableFields: readonly string[];
  /** JSON text of one. */
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
    // What the keys leave open stays in the order that the things came in.
    return sort.length > 0 ? matching.sort(compareBy(sort, () => 0, undefined, budget)) : matching;
  });
  const { limit, offset } = effectivePaging(context, query);
  const page = found.slice(offset, limit === -1 ? found.length : offset + limit);
  const list = { limit, offset, totalCount: found.length, filterableFields };
  return { form: 'data', status: 200, data: [`[${page.map(of.text).join(',')}]`], list };
}
