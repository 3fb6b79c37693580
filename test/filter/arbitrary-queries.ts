// Random queries: all of them make sense for the things of things.ts, so that they can be run.

import type {
  ArrayNode,
  ComparisonNode,
  ConditionNode,
  LeftNode,
  LiteralNode,
  NameNode,
  QueryNode,
  SetNode,
  SortKeyNode,
} from '../../src/filter/nodes.ts';
import * as fc from '../properties.ts';
import { someMoments, someNumbers, someStrings } from './things.ts';

const position = 0;

const string = fc
  .oneof(fc.constantFrom(...someStrings), fc.string({ unit: 'grapheme' }))
  // The language cannot spell other control characters.
  .map((text) => text.replaceAll(/\p{Cc}/gu, (sign) => ('\n\r\t\f'.includes(sign) ? sign : '')));
const number = fc
  .oneof(
    fc.constantFrom(...someNumbers),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  )
  .map((value) => value + 0);
const moment = fc.oneof(
  fc.constantFrom(...someMoments),
  fc
    .date({ min: new Date('0000-01-01Z'), max: new Date('9999-12-31Z'), noInvalidDate: true })
    .map((date) => date.getTime()),
);

const literals = {
  string: string.map((value): LiteralNode => ({ kind: 'string', position, value })),
  number: number.map((value): LiteralNode => {
    return { kind: 'number', position, value, text: String(value) };
  }),
  datetime: moment.map((value): LiteralNode => ({ kind: 'datetime', position, value })),
  boolean: fc.boolean().map((value): LiteralNode => ({ kind: 'boolean', position, value })),
} as const;

const array = <V>(
  values: fc.Arbitrary<V>,
  node: (values: readonly V[]) => ArrayNode,
): fc.Arbitrary<ArrayNode> => fc.array(values, { minLength: 1, maxLength: 4 }).map(node);
const arrays = {
  string: array(string, (values) => ({ kind: 'array', position, type: 'string', values })),
  number: array(number, (values) => {
    return { kind: 'array', position, type: 'number', values, texts: values.map(String) };
  }),
  datetime: array(moment, (values) => ({ kind: 'array', position, type: 'datetime', values })),
} as const;

type Left = fc.Arbitrary<LeftNode>;
type Comparison = fc.Arbitrary<ComparisonNode>;
const isNegated = fc.boolean();

const equal = (left: Left, right: fc.Arbitrary<LiteralNode>): Comparison =>
  fc
    .tuple(left, isNegated, right)
    .map(([left, isNegated, right]) => ({ kind: 'equal', position, left, isNegated, right }));

const order = (left: Left, right: fc.Arbitrary<LiteralNode>): Comparison =>
  fc
    .tuple(left, fc.constantFrom('<', '<=', '>', '>='), right)
    .map(([left, operator, right]) => ({ kind: 'order', position, left, operator, right }));

const among = (left: Left, right: fc.Arbitrary<ArrayNode>): Comparison =>
  fc
    .tuple(left, isNegated, right)
    .map(([left, isNegated, right]) => ({ kind: 'in', position, left, isNegated, right }));

const between = (left: Left, bound: fc.Arbitrary<LiteralNode>): Comparison =>
  fc.tuple(left, isNegated, bound, bound).map(([left, isNegated, lower, upper]) => ({
    kind: 'between',
    position,
    left,
    isNegated,
    lower,
    upper,
  }));

const contains = (left: Left, isFolded: boolean, right: fc.Arbitrary<LiteralNode>): Comparison =>
  fc.tuple(left, isNegated, right).map(([left, isNegated, right]) => ({
    kind: 'contains',
    position,
    left,
    isNegated,
    isFolded,
    right,
  }));

const part = fc.oneof(literals.string, literals.number);

/** Everything that may be asked of something of one type. */
const comparisons = {
  string: (left: Left): Comparison =>
    fc.oneof(
      equal(left, part),
      order(left, part),
      among(left, fc.oneof(arrays.string, arrays.number)),
      contains(left, false, part),
      contains(left, true, literals.string),
    ),
  number: (left: Left): Comparison =>
    fc.oneof(
      equal(left, literals.number),
      order(left, literals.number),
      among(left, arrays.number),
      between(left, literals.number),
      contains(left, false, part),
    ),
  datetime: (left: Left): Comparison =>
    fc.oneof(
      equal(left, literals.datetime),
      order(left, literals.datetime),
      among(left, arrays.datetime),
      between(left, literals.datetime),
    ),
  boolean: (left: Left): Comparison => equal(left, literals.boolean),
} as const;

const name = (text: string): NameNode => ({ kind: 'name', position, name: text });
const named = (...names: string[]): fc.Arbitrary<NameNode> => fc.constantFrom(...names).map(name);
const every = (set: string): Left =>
  fc.constantFrom('anyOf', 'allOf').map((kind) => ({ kind, position, set: name(set) }));

const nothing = fc.constant<LiteralNode>({ kind: 'null', position, value: null });

const simple: fc.Arbitrary<ConditionNode> = fc.oneof(
  comparisons.string(
    fc.oneof(
      named('id', 'name', 'tags.x', 'tags.y-z'),
      ...['roleAttributes', 'friends.name'].map(every),
    ),
  ),
  comparisons.number(fc.oneof(named('cost', 'tags.x'), every('ports'))),
  comparisons.datetime(fc.oneof(named('createdAt', 'tags.x'), every('visits'))),
  comparisons.boolean(fc.oneof(named('isAdmin', 'tags.x'), every('flags'))),
  equal(named('id', 'name', 'cost', 'isAdmin', 'createdAt', 'tags.x'), nothing),
  fc.boolean().map((value): ConditionNode => ({ kind: 'truth', position, value })),
  fc
    .constantFrom('isAdmin', 'tags.x')
    .map((text): ConditionNode => ({ kind: 'flag', position, name: text })),
);

const sortKey = fc
  .tuple(fc.constantFrom('id', 'name', 'cost', 'isAdmin', 'createdAt'), fc.boolean())
  .map(([key, isDescending]): SortKeyNode => {
    return { kind: 'sortKey', position, name: key, isDescending };
  });

const optional = <V>(value: fc.Arbitrary<V>, freq = 2): fc.Arbitrary<V | undefined> =>
  fc.option(value, { nil: undefined, freq });
const limit = fc.oneof(fc.constant('none' as const), fc.integer({ min: -1, max: 4 }));

const query = (condition: fc.Arbitrary<ConditionNode>): fc.Arbitrary<QueryNode> =>
  fc
    .record({
      condition: optional(condition, 9),
      sort: fc.array(sortKey, { maxLength: 7 }),
      skip: optional(fc.integer({ min: -2, max: 4 })),
      limit: optional(limit),
    })
    .filter((parts) => {
      const { condition, sort, skip, limit } = parts;
      return sort.length > 0 || (condition ?? skip ?? limit) !== undefined;
    })
    .map((parts): QueryNode => ({ kind: 'query', position, ...parts }));

const chain = (
  kind: 'and' | 'or',
  operand: fc.Arbitrary<ConditionNode>,
): fc.Arbitrary<ConditionNode> =>
  fc
    .array(operand, { minLength: 2, maxLength: 3 })
    .map((operands) => ({ kind, position, operands }));

/** Queries of every shape the grammar has. */
export const queries: fc.Arbitrary<QueryNode> = fc.letrec<{
  condition: ConditionNode;
  set: SetNode;
  query: QueryNode;
}>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    simple,
    chain('and', tie('condition')),
    chain('or', tie('condition')),
    tie('condition').map((operand): ConditionNode => ({ kind: 'not', position, operand })),
    tie('set').map((set): ConditionNode => ({ kind: 'isEmpty', position, set })),
    comparisons.number(tie('set').map((set): LeftNode => ({ kind: 'count', position, set }))),
  ),
  set: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    named('roleAttributes', 'ports', 'friends.name'),
    tie('query').map((query): SetNode => {
      return { kind: 'from', position, set: name('friends'), query };
    }),
  ),
  query: query(tie('condition')),
})).query;

const indexed = fc.oneof(named('id', 'name'), every('roleAttributes'));
const few = fc.constantFrom(...someStrings);
const five: LiteralNode = { kind: 'number', position, value: 5, text: '5' };
const served = fc.oneof(
  equal(
    indexed,
    fc.oneof(
      few.map((value): LiteralNode => ({ kind: 'string', position, value })),
      fc.constant(five),
    ),
  ),
  among(
    indexed,
    array(few, (values) => ({ kind: 'array', position, type: 'string', values })),
  ),
);

/** Queries of which an index often serves a part. */
export const narrowQueries: fc.Arbitrary<QueryNode> = query(
  fc.oneof(
    served,
    chain('or', served),
    chain('and', fc.oneof(served, chain('or', served), chain('and', served), simple)),
  ),
);
