// Lists of values that are not records of the store, filtered, sorted and paged like any other
// list.

import { compareBy } from '../../filter/order.ts';
import type { Scope } from '../../filter/scope.ts';
import { compiledFilter, effectivePaging, refusing } from '../lists/list-query.ts';
import type { Chunk, Context, Paging, Reply } from '../operations/operation.ts';
import { noLimit } from '../operations/paging.ts';
import { AnswerSize } from './answer-size.ts';

/** The parts of such a list. */
export interface ValueList<T> {
  /** All values, in the order of a list without sort keys. */
  readonly things: readonly T[];
  readonly scope: Scope<T, undefined>;
  /** The names in `scope`, in the order of the answer's `filterableFields`. */
  readonly filterableFields: readonly string[];
  /** The names of the parameter `sort`, if they differ; `ignored` for a list that has none. */
  readonly sortScope?: Scope<T, undefined> | 'ignored';
  /** Whether a request without `limit` gets all values, for clients that never send one. */
  readonly isWholeWithoutLimit?: boolean;
  /** JSON text of one value. */
  text(thing: T): string;
}

/**
 * The list that a request asks for as its answer (behaviour/lists).
 * @throws ApiError for a filter, an order or a page that is not valid.
 */
export function valueListReply<T>(context: Context, of: ValueList<T>): Reply {
  const { things, scope, filterableFields, sortScope = scope } = of;
  const filter = context.query.get('filter') ?? '';
  const sorting = sortScope === 'ignored' ? '' : (context.query.get('sort') ?? '');
  const sortNames = sortScope === 'ignored' ? scope : sortScope;
  const query = compiledFilter(scope, { filter, sort: sorting }, sortNames);
  const { matches, sort } = query;
  const budget = context.filterBudget();
  const found = refusing('INVALID_FILTER', 'filter', filter, () => {
    if (matches !== undefined) budget.spend(things.length);
    const matching = things.filter((thing) => matches?.(thing, undefined, budget) ?? true);
    // Values with equal keys stay in their original order.
    return sort.length > 0 ? matching.sort(compareBy(sort, () => 0, undefined, budget)) : matching;
  });
  const { limit, offset } = effectivePaging(context.env, pagingFor(context, of), query);
  const list = { limit, offset, totalCount: found.length, filterableFields };
  const size = new AnswerSize(context.env.limits);
  const data: Chunk[] = [];
  for (const thing of found.slice(offset, offset + limit)) {
    const text = `${data.length === 0 ? '[' : ','}${of.text(thing)}`;
    size.add(text);
    data.push(text);
  }
  data.push(data.length === 0 ? '[]' : ']');
  return { form: 'data', status: 200, data, list };
}

function pagingFor<T>({ paging, query }: Context, { isWholeWithoutLimit }: ValueList<T>): Paging {
  const isWhole = isWholeWithoutLimit && (query.get('limit') ?? '') === '';
  return isWhole ? { limit: noLimit, offset: paging.offset } : paging;
}
