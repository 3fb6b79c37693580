// Compiles a filter to a query over the things of one scope, and finds the conditions that an index
// serves, so that not all things must be examined.

import { comparedAs } from './compared-as.ts';
import { compileCondition } from './conditions.ts';
import type { ComparisonNode, ConditionNode, QueryNode } from './nodes.ts';
import { filterBounds, type Narrowing, type Query, type Scalar, type Scope } from './scope.ts';
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

/**
 * Conditions that every match satisfies: those joined by `and` at the top, and for an `or` there
 * whose operands all compare one symbol, its values together. For a condition that compiles.
 */
function narrowingsOf<T, E>(node: ConditionNode, scope: Scope<T, E>): readonly Narrowing<T, E>[] {
  switch (node.kind) {
    case 'and':
      return node.operands
        .flatMap((operand) => narrowingsOf(operand, scope))
        .map((narrowing) => ({ ...narrowing, isAll: false }));
    case 'or':
      return united(node.operands.map((operand) => narrowingsOf(operand, scope)));
    case 'equal':
    case 'in': {
      const { left } = node;
      if (node.isNegated || left.kind === 'allOf' || left.kind === 'count') return [];
      const { name } = left.kind === 'name' ? left : left.set;
      const symbol = scope.symbol(name);
      if (symbol === undefined || symbol.form === 'map') return [];
      const values = wantedValues(comparedAs(node, symbol.type));
      if (values === undefined) return [];
      return symbol.index === undefined ? [] : [{ name, index: symbol.index, values, isAll: true }];
    }
    default:
      return [];
  }
}

function wantedValues(node: ComparisonNode): Scalar[] | undefined {
  if (node.kind === 'in') return [...new Set<Scalar>(node.right.values)];
  if (node.kind !== 'equal') return undefined;
  // `= null` matches the things that no index holds.
  return node.right.value === null ? undefined : [node.right.value];
}

function united<T, E>(
  operands: readonly (readonly Narrowing<T, E>[])[],
): readonly Narrowing<T, E>[] {
  const [first = []] = operands;
  return first.flatMap(({ name, index }) => {
    const alike = operands.map((narrowings) => narrowings.find((other) => other.name === name));
    if (alike.includes(undefined)) return [];
    const values = new Set(alike.flatMap((narrowing) => narrowing?.values ?? []));
    return [{ name, index, values: [...values], isAll: false }];
  });
}
