// Compiles conditions to functions that tell whether they hold for one thing.

import type {
  ChainNode,
  ComparisonNode,
  ConditionNode,
  EveryNode,
  FromNode,
  NameNode,
  SetNode,
} from './nodes.ts';
import { type Budget, type FilterBounds, FilterError, type Scalar, type Scope } from './scope.ts';
import { compileSort } from './sort-keys.ts';
import { bareSet, symbolOf, wrongUse } from './symbol-errors.ts';
import { anyTest, valueTest } from './value-tests.ts';

/** Whether a condition holds for a thing. */
export type Matcher<T, E> = (thing: T, env: E, budget: Budget) => boolean;

/** The context of a condition. */
export interface Place<T, E> {
  readonly scope: Scope<T, E>;
  readonly bounds: FilterBounds;
  /** Counted like in the parser, so that input that passes there passes here. */
  readonly depth: number;
}

/** A condition over the things of a scope; undefined if it always holds. @throws FilterError */
export function compileCondition<T, E>(
  node: ConditionNode | undefined,
  place: Place<T, E>,
): Matcher<T, E> | undefined {
  if (node === undefined || (node.kind === 'truth' && node.value)) return undefined;
  return matcher(node, place);
}

function matcher<T, E>(node: ConditionNode, place: Place<T, E>): Matcher<T, E> {
  switch (node.kind) {
    case 'and':
    case 'or':
      return chain(node, place);
    case 'not': {
      const operand = matcher(node.operand, deeper(node, place));
      return (thing, env, budget) => {
        budget.spend(1);
        return !operand(thing, env, budget);
      };
    }
    case 'truth':
      return () => node.value;
    case 'flag':
      return flag(node, place);
    case 'isEmpty': {
      const count = counter(node.set, place, 1);
      return (thing, env, budget) => count(thing, env, budget) === 0;
    }
    default:
      return comparison(node, place);
  }
}

function deeper<T, E>({ position }: ConditionNode | SetNode, place: Place<T, E>): Place<T, E> {
  const { scope, bounds } = place;
  const depth = place.depth + 1;
  if (depth <= bounds.filterDepthMax) return { scope, bounds, depth };
  throw new FilterError(`the filter is nested more than ${bounds.filterDepthMax} deep`, position);
}

/** The caller pays for the first operand. */
function chain<T, E>(node: ChainNode, place: Place<T, E>): Matcher<T, E> {
  const operands = node.operands.map((operand) => {
    const isChain = operand.kind === 'and' || operand.kind === 'or';
    return matcher(operand, isChain ? deeper(operand, place) : place);
  });
  const [first, ...others] = operands;
  const isAnd = node.kind === 'and';
  return (thing, env, budget) => {
    if (first?.(thing, env, budget) !== isAnd) return !isAnd;
    for (const operand of others) {
      budget.spend(1);
      if (operand(thing, env, budget) !== isAnd) return !isAnd;
    }
    return isAnd;
  };
}

function flag<T, E>(node: ConditionNode & { kind: 'flag' }, { scope }: Place<T, E>): Matcher<T, E> {
  const symbol = symbolOf(node, scope);
  if (symbol.form === 'set') throw bareSet(node);
  if (symbol.form === 'scalar' && symbol.type !== 'boolean') {
    throw wrongUse(node, 'is not true or false by itself', ['an operator behind it']);
  }
  return (thing, env, budget) => symbol.read(thing, env, budget) === true;
}

function comparison<T, E>(node: ComparisonNode, place: Place<T, E>): Matcher<T, E> {
  const { left } = node;
  if (left.kind === 'name') return ofSymbol(node, left, place);
  if (node.kind === 'equal' && node.right.kind === 'null') {
    const name = left.set.kind === 'from' ? left.set.set : left.set;
    throw wrongUse(name, 'is in a function, which is never null', ['a value']);
  }
  if (left.kind !== 'count') return ofElements(node, left, place);
  const name = left.set.kind === 'from' ? left.set.set : left.set;
  const test = valueTest(node, 'integer', { name: `count(${name.name})`, position: left.position });
  const count = counter(left.set, place, enoughFor(node));
  return (thing, env, budget) => test(count(thing, env, budget), budget);
}

/** A comparison has the same result for this number as for all larger ones. */
function enoughFor(node: ComparisonNode): number {
  switch (node.kind) {
    case 'contains':
      return Number.POSITIVE_INFINITY;
    case 'in':
      return Math.max(...node.right.values.map(Number)) + 1;
    case 'between':
      return Number(node.upper.value) + 1;
    default:
      return Number(node.right.value) + 1;
  }
}

function ofSymbol<T, E>(
  node: ComparisonNode,
  name: NameNode,
  { scope }: Place<T, E>,
): Matcher<T, E> {
  const symbol = symbolOf(name, scope);
  if (symbol.form === 'set') throw bareSet(name);
  if (symbol.form === 'map') {
    const test = anyTest(node, name);
    return (thing, env, budget) => test(symbol.read(thing, env, budget), budget);
  }
  if (node.kind === 'equal' && node.right.kind === 'null') {
    const { isNegated } = node;
    return (thing, env, budget) => (symbol.read(thing, env, budget) === undefined) !== isNegated;
  }
  const test = valueTest(node, symbol.type, name);
  return (thing, env, budget) => test(symbol.read(thing, env, budget), budget);
}

/**
 * `anyOf` is false and `allOf` true of an empty set. `anyOf(…) not in` is the opposite of
 * `anyOf(…) in`, so it asks every element, and `allOf(…) not in` asks for one
 * (behaviour/filters#sets).
 */
function ofElements<T, E>(
  node: ComparisonNode,
  { kind, set }: EveryNode,
  { scope }: Place<T, E>,
): Matcher<T, E> {
  const symbol = symbolOf(set, scope);
  if (symbol.form !== 'set') throw wrongUse(set, `is no set, so ${kind}(…) has nothing to go over`);
  const test = valueTest(node, symbol.type, set);
  const isNotIn = node.kind === 'in' && node.isNegated;
  const wanted = (kind === 'anyOf') !== isNotIn;
  return (thing, env, budget) => {
    const elements = symbol.read(thing, env, budget);
    if (!isHeld(elements)) {
      for (const element of elements) if (test(element, budget) === wanted) return wanted;
      return !wanted;
    }
    // The same loop, because over arrays alone it takes half the time.
    budget.spend(elements.length);
    for (const element of elements) if (test(element, budget) === wanted) return wanted;
    return !wanted;
  };
}

function isHeld(elements: Iterable<Scalar>): elements is readonly Scalar[] {
  return Array.isArray(elements);
}

/** The number of elements or linked things, or any number from `enough` on. */
type Count<T, E> = (thing: T, env: E, budget: Budget) => number;

function counter<T, E>(set: SetNode, place: Place<T, E>, enough: number): Count<T, E> {
  if (set.kind === 'from') return linkedCounter(set, place, enough);
  const symbol = symbolOf(set, place.scope);
  if (symbol.form !== 'set') throw wrongUse(set, 'is no set, so there is nothing to count');
  return (thing, env, budget) => {
    const known = symbol.count?.(thing, env, budget, enough);
    if (known !== undefined) return known;
    const elements = symbol.read(thing, env, budget);
    return isHeld(elements) ? elements.length : walked(elements, enough);
  };
}

function walked(elements: Iterable<unknown>, enough: number): number {
  let found = 0;
  if (enough > 0) for (const _ of elements) if (++found >= enough) break;
  return found;
}

function linkedCounter<T, E>(set: FromNode, place: Place<T, E>, enough: number): Count<T, E> {
  const linked = place.scope.linked(set.set.name);
  if (linked === undefined) {
    throw new FilterError(`nothing called ${set.set.name} may follow "from"`, set.set.position);
  }
  const { condition, sort, skip = 0, limit } = set.query;
  const inner = { ...deeper(set, place), scope: linked.scope };
  const matches = compileCondition(condition, inner);
  // The order has no effect here, but it must be valid.
  compileSort(sort, linked.scope);
  const skipped = Math.max(0, skip);
  const most = typeof limit === 'number' && limit >= 0 ? limit : Number.POSITIVE_INFINITY;
  const stop = skipped + Math.min(most, enough);
  const pageOf = (found: number): number => Math.max(0, Math.min(found, stop) - skipped);
  if (matches === undefined) {
    return (thing, env, budget) =>
      pageOf(
        linked.count?.(thing, env, budget, stop) ?? walked(linked.things(thing, env, budget), stop),
      );
  }
  return (thing, env, budget) => {
    let found = 0;
    if (stop <= 0) return found;
    for (const other of linked.things(thing, env, budget)) {
      budget.spend(1);
      if (matches(other, env, budget) && ++found >= stop) break;
    }
    return pageOf(found);
  };
}
