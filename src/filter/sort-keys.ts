// Compiles the sort keys of a filter or a sort parameter.

import type { SortKeyNode } from './nodes.ts';
import type { Scope, SortKey } from './scope.ts';
import { symbolOf, wrongUse } from './symbol-errors.ts';

/**
 * Keys of a sort order (behaviour/lists#order); further ones are checked and not used.
 * @bound per request
 */
const sortKeysMax = 5;

/**
 * The keys of an order.
 * @throws FilterError for an unknown symbol, and for sets and maps (behaviour/lists#sort-keys)
 */
export function compileSort<T, E>(
  nodes: readonly SortKeyNode[],
  scope: Scope<T, E>,
): readonly SortKey<T, E>[] {
  return nodes.map((node) => sortKey(node, scope)).slice(0, sortKeysMax);
}

function sortKey<T, E>(node: SortKeyNode, scope: Scope<T, E>): SortKey<T, E> {
  const { name, isDescending } = node;
  const symbol = symbolOf(node, scope);
  if (symbol.form === 'set') throw wrongUse(node, 'is a set and orders nothing');
  if (symbol.form === 'map') throw wrongUse(node, 'has no type of its own and orders nothing');
  if (symbol.type === 'hashed') throw wrongUse(node, 'is secret and orders nothing');
  const isOrdered = symbol.isOrdered ?? false;
  const read: SortKey<T, E>['read'] = (thing, env, budget) => symbol.read(thing, env, budget);
  return { name, isDescending, isOrdered, read };
}
