// Compiles a filter to a query over the things of one scope.

import { compileCondition } from './conditions.ts';
import { filterBounds, type Query, type Scope } from './contract.ts';
import { narrowingsOf } from './narrow.ts';
import type { QueryNode } from './nodes.ts';
import { compileSort } from './sort-keys.ts';

/**
 * A query over the things of a scope. `skip` is not below 0 and `limit -1` is `none`; other limits
 * stay as written.
 * @throws FilterError naming a symbol that does not exist, has another type than the value it is
 *   compared with, or cannot be used this way; and for a tree deeper than the bounds allow
 */
export function compileQuery<T, E>(
  node: QueryNode,
  scope: Scope<T, E>,
  bounds = filterBounds,
): Query<T, E> {
  const { condition, sort, skip, limit } = node;
  return {
    matches: compileCondition(condition, { scope, bounds, depth: 0 }),
    narrowings: condition === undefined ? [] : narrowingsOf(condition, scope),
    sort: compileSort(sort, scope),
    skip: skip === undefined ? undefined : Math.max(0, skip),
    limit: limit === -1 ? 'none' : limit,
  };
}
