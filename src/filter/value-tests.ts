// Compiles an operator and its right side to a test of one value, so that testing a row allocates
// nothing.

import { comparedAs } from './compared-as.ts';
import { readMoment } from './literals.ts';
import type {
  BetweenNode,
  ComparisonNode,
  ContainsNode,
  EqualNode,
  InNode,
  LiteralNode,
  OrderNode,
} from './nodes.ts';
import { compareBytes } from './order.ts';
import type { Budget, Scalar, ValueType } from './scope.ts';
import { type PlacedName, typeWords, wrongUse } from './symbol-errors.ts';

/**
 * Whether a value passes; undefined is a missing one (behaviour/filters#missing-values). Tests that
 * read a whole text charge its length.
 */
export type ValueTest = (value: Scalar | undefined, budget: Budget) => boolean;

/** Characters of a text that one step searches, compares, or case-folds (Cyrillic ones). */
const charactersAStep = { found: 64, compared: 16, folded: 8 } as const;

/** The cost of reading a text as a moment, in steps. */
const momentSteps = 20;

/**
 * The test for values of one type.
 * @throws FilterError naming `place` when the right side has another type, or the operator does not
 *   support this one
 */
export function valueTest(written: ComparisonNode, type: ValueType, place: PlacedName): ValueTest {
  const node = comparedAs(written, type);
  switch (node.kind) {
    case 'equal':
      checkType(node.right.kind, type, place);
      return equalTest(node);
    case 'order':
      if (type === 'hashed') throw wrongUse(place, 'is secret and comes before or after nothing');
      checkType(node.right.kind, type, place);
      return orderTest(node);
    case 'in':
      checkType(node.right.type, type, place);
      return inTest(node);
    case 'between':
      checkType(node.lower.kind, type, place);
      return betweenTest(node);
    case 'contains':
      return containsTest(node, type, place);
  }
}

/**
 * The test for a value of any type, which is read as the type of the right side
 * (behaviour/filters#types).
 */
export function anyTest(
  node: ComparisonNode,
  place: PlacedName,
): (value: unknown, budget: Budget) => boolean {
  const kind = rightKind(node);
  if (kind === 'null') {
    const isNegated = node.kind === 'equal' && node.isNegated;
    return (value) => (value === undefined || value === null) !== isNegated;
  }
  if (node.kind === 'contains') {
    const test = valueTest(node, 'string', place);
    return (value, budget) =>
      test(typeof value === 'number' && !node.isFolded ? `${value}` : textIn(value), budget);
  }
  const test = valueTest(node, kind === 'number' ? 'integer' : kind, place);
  const read: (value: unknown, budget: Budget) => Scalar | undefined = readers[kind];
  return (value, budget) => test(read(value, budget), budget);
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Values of another type than the required one count as missing. */
const readers = {
  string: textIn,
  number: (value: unknown) => (typeof value === 'number' ? value : undefined),
  boolean: (value: unknown) => (typeof value === 'boolean' ? value : undefined),
  // JSON has no moments, so they are strings there.
  datetime(value: unknown, budget: Budget) {
    if (typeof value !== 'string') return undefined;
    budget.spend(momentSteps);
    return readMoment(value);
  },
} as const;

function rightKind(node: ComparisonNode): LiteralNode['kind'] {
  if (node.kind === 'in') return node.right.type;
  return node.kind === 'between' ? node.lower.kind : node.right.kind;
}

function checkType(kind: LiteralNode['kind'], type: ValueType, place: PlacedName): void {
  if (kind === literalKinds[type]) return;
  const words = kind === 'null' ? 'null' : typeWords[kind === 'number' ? 'integer' : kind];
  throw wrongUse(place, `cannot be compared with ${words}`, [typeWords[type]]);
}

/** The literals that are compared with each type. */
const literalKinds: Readonly<Record<ValueType, LiteralNode['kind']>> = {
  string: 'string',
  integer: 'number',
  boolean: 'boolean',
  datetime: 'datetime',
  hashed: 'string',
};

function equalTest({ isNegated, right: { value: wanted } }: EqualNode): ValueTest {
  return isNegated ? (value) => value !== wanted : (value) => value === wanted;
}

function orderTest({ operator, right }: OrderNode): ValueTest {
  if (right.kind === 'string') {
    const bound = right.value;
    const holds = orders[operator];
    return (value, budget) => {
      if (value === undefined) return false;
      spendText(value as string, charactersAStep.compared, budget);
      return holds(compareBytes(value as string, bound), 0);
    };
  }
  const bound = right.value as number;
  // A missing value becomes NaN, for which no comparison holds.
  switch (operator) {
    case '<':
      return (value) => (value as number) < bound;
    case '<=':
      return (value) => (value as number) <= bound;
    case '>':
      return (value) => (value as number) > bound;
    case '>=':
      return (value) => (value as number) >= bound;
  }
}

const orders = {
  '<': (left: number, right: number) => left < right,
  '<=': (left: number, right: number) => left <= right,
  '>': (left: number, right: number) => left > right,
  '>=': (left: number, right: number) => left >= right,
} as const;

function inTest({ isNegated, right }: InNode): ValueTest {
  const wanted: ReadonlySet<Scalar> = new Set<Scalar>(right.values);
  // A missing value is in no list.
  if (isNegated) return (value) => value === undefined || !wanted.has(value);
  return (value) => value !== undefined && wanted.has(value);
}

/** The lower bound is included, the upper one is excluded. */
function betweenTest(node: BetweenNode): ValueTest {
  const lower = node.lower.value as number;
  const upper = node.upper.value as number;
  if (node.isNegated) {
    return (value) =>
      value !== undefined && !((value as number) >= lower && (value as number) < upper);
  }
  return (value) => (value as number) >= lower && (value as number) < upper;
}

function containsTest(node: ContainsNode, type: ValueType, place: PlacedName): ValueTest {
  const { isNegated, isFolded } = node;
  if (type === 'integer' && !isFolded) {
    const part = String(node.right.value);
    return (value) => (value !== undefined && String(value).includes(part)) !== isNegated;
  }
  if (type !== 'string') {
    throw wrongUse(place, 'is no text that could contain something', ['a symbol with strings']);
  }
  if (isFolded) {
    const part = String(node.right.value).toLowerCase();
    return (value, budget) => {
      if (value === undefined) return isNegated;
      spendText(value as string, charactersAStep.folded, budget);
      return (value as string).toLowerCase().includes(part) !== isNegated;
    };
  }
  const part = String(node.right.value);
  return (value, budget) => {
    if (value === undefined) return isNegated;
    spendText(value as string, charactersAStep.found, budget);
    return (value as string).includes(part) !== isNegated;
  };
}

/** The steps beyond the one that each test takes anyway. */
function spendText({ length }: string, characters: number, budget: Budget): void {
  if (length > characters) budget.spend(Math.floor(length / characters));
}
