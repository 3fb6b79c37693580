// Conditions as functions: whether they hold for one thing.

import type { Budget, FilterLimits, Scope } from './contract.ts';
import { FilterError } from './contract.ts';
import type {
  ChainNode,
  ComparisonNode,
  ConditionNode,
  EveryNode,
  NameNode,
  SetNode,
} from './nodes.ts';
import { compileSort } from './sort-keys.ts';
import { bareSet, symbolOf, wrongUse } from './symbol-errors.ts';
import { anyTest, valueTest } from './value-tests.ts';

/** Whether a condition holds for a thing. */
export type Matcher<T, E> = (thing: T, env: E, budget: Budget) => boolean;

/** Where a condition stands. */
export interface Place<T, E> {
  readonly scope: Scope<T, E>;
  readonly limits: FilterLimits;
  /** Counted as the parser counts it, so that what it lets pass passes here. */
  readonly depth: number;
}

/** A condition over the things of a scope; undefined where it always holds. @throws FilterError */
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
      return (thing, env, budget) => !operand(thing, env, budget);
    }
    case 'truth':
      return () => node.value;
    case 'flag':
      return flag(node, place);
    case 'isEmpty': {
      const count = counter(node.set, place);
      return (thing, env, budget) => count(thing, env, budget, 1) === 0;
    }
    default:
      return comparison(node, place);
  }
}

function deeper<T, E>({ position }: ConditionNode | SetNode, place: Place<T, E>): Place<T, E> {
  const { scope, limits } = place;
  const depth = place.depth + 1;
  if (depth <= limits.filterDepthMax) return { scope, limits, depth };
  throw new FilterError(`the filter is nested more than ${limits.filterDepthMax} deep`, position);
}

function chain<T, E>(node: ChainNode, place: Place<T, E>): Matcher<T, E> {
  const operands = node.operands.map((operand) => {
    const isChain = operand.kind === 'and' || operand.kind === 'or';
    return matcher(operand, isChain ? deeper(operand, place) : place);
  });
  const [first, second] = operands;
  const isAnd = node.kind === 'and';
  if (first !== undefined && second !== undefined && operands.length === 2) {
    return isAnd
      ? (thing, env, budget) => first(thing, env, budget) && second(thing, env, budget)
      : (thing, env, budget) => first(thing, env, budget) || second(thing, env, budget);
  }
  return (thing, env, budget) => {
    for (const operand of operands) if (operand(thing, env, budget) !== isAnd) return !isAnd;
    return isAnd;
  };
}

function flag<T, E>(node: ConditionNode & { kind: 'flag' }, { scope }: Place<T, E>): Matcher<T, E> {
  const symbol = symbolOf(node, scope);
  if (symbol.form === 'set') throw bareSet(node);
  if (symbol.form === 'scalar' && symbol.type !== 'boolean') {
    throw wrongUse(node, 'is not true or false by itself', ['an operator behind it']);
  }
  return (thing, env) => symbol.read(thing, env) === true;
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
  const count = counter(left.set, place);
  return (thing, env, budget) => test(count(thing, env, budget, Number.POSITIVE_INFINITY));
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
    return (thing, env) => test(symbol.read(thing, env));
  }
  if (node.kind === 'equal' && node.right.kind === 'null') {
    const { isNegated } = node;
    return (thing, env) => (symbol.read(thing, env) === undefined) !== isNegated;
  }
  const test = valueTest(node, symbol.type, name);
  return (thing, env) => test(symbol.read(thing, env));
}

/** `anyOf` is false and `allOf` true of an empty set (behaviour §2.5.3). */
function ofElements<T, E>(
  node: ComparisonNode,
  { kind, set }: EveryNode,
  { scope }: Place<T, E>,
): Matcher<T, E> {
  const symbol = symbolOf(set, scope);
  if (symbol.form !== 'set') throw wrongUse(set, `is no set, so ${kind}(…) has nothing to go over`);
  const test = valueTest(node, symbol.type, set);
  const wanted = kind === 'anyOf';
  return (thing, env) => {
    for (const element of symbol.read(thing, env)) if (test(element) === wanted) return wanted;
    return !wanted;
  };
}

/** How many elements or linked things there are; may stop at `enough`. */
type Counter<T, E> = (thing: T, env: E, budget: Budget, enough: number) => number;

function counter<T, E>(set: SetNode, place: Place<T, E>): Counter<T, E> {
  if (set.kind === 'name') {
    const symbol = symbolOf(set, place.scope);
    if (symbol.form !== 'set') throw wrongUse(set, 'is no set, so there is nothing to count');
    return (thing, env) => symbol.read(thing, env).length;
  }
  const linked = place.scope.linked(set.set.name);
  if (linked === undefined) {
    throw new FilterError(`nothing called ${set.set.name} may follow "from"`, set.set.position);
  }
  const { condition, sort, skip = 0, limit } = set.query;
  const inner = { ...deeper(set, place), scope: linked.scope };
  const matches = compileCondition(condition, inner);
  // What order they would come in is of no consequence, but it must make sense.
  compileSort(sort, linked.scope);
  const skipped = Math.max(0, skip);
  const most = typeof limit === 'number' && limit >= 0 ? limit : Number.POSITIVE_INFINITY;
  return (thing, env, budget, enough) => {
    const stop = skipped + Math.min(most, enough);
    let found = 0;
    for (const other of linked.things(thing, env)) {
      if (found >= stop) break;
      budget.spend(1);
      if (matches === undefined || matches(other, env, budget)) found++;
    }
    return Math.max(0, found - skipped);
  };
}
