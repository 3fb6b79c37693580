// Finds the conditions of a filter that an index serves, so that not all things must be examined.

import type { Narrowing, Scalar, Scope } from './contract.ts';
import type { ConditionNode } from './nodes.ts';

/**
 * Conditions that every match satisfies: those joined by `and` at the top, and for an `or` there
 * whose operands all compare one symbol, its values together. For a condition that compiles.
 */
export function narrowingsOf<T, E>(
  node: ConditionNode,
  scope: Scope<T, E>,
): readonly Narrowing<T, E>[] {
  switch (node.kind) {
    case 'and':
      return node.operands.flatMap((operand) => narrowingsOf(operand, scope));
    case 'or':
      return united(node.operands.map((operand) => narrowingsOf(operand, scope)));
    case 'equal':
    case 'in': {
      const { left } = node;
      if (node.isNegated || left.kind === 'allOf' || left.kind === 'count') return [];
      const values = wantedValues(node);
      const { name } = left.kind === 'name' ? left : left.set;
      const symbol = scope.symbol(name);
      if (symbol === undefined || symbol.form === 'map' || values === undefined) return [];
      return symbol.index === undefined ? [] : [{ name, index: symbol.index, values }];
    }
    default:
      return [];
  }
}

function wantedValues(node: ConditionNode & { kind: 'equal' | 'in' }): Scalar[] | undefined {
  if (node.kind === 'in') return [...new Set<Scalar>(node.right.values)];
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
    return [{ name, index, values: [...values] }];
  });
}
