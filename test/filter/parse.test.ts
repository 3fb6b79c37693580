// Parsing: what is printed is parsed to itself, no text does harm, and every bound holds.

import t from 'tap';
import { compileQuery } from '../../src/filter/compile.ts';
import type { QueryNode } from '../../src/filter/nodes.ts';
import { parseQuery, parseSort } from '../../src/filter/parse.ts';
import { type FilterBounds, FilterError, filterBounds } from '../../src/filter/scope.ts';
import * as fc from '../properties.ts';
import { queries } from './arbitrary-queries.ts';
import { keywords, printQuery } from './print.ts';
import { scope } from './things.ts';

/** A query without the positions of its nodes, its properties in order. */
const shape = (query: QueryNode): string =>
  JSON.stringify(query, (key, value) => {
    if (key === 'position') return undefined;
    const isNode = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isNode ? Object.fromEntries(Object.entries(value).sort()) : value;
  });

t.test('a printed query parses to itself', async (t) => {
  const property = fc.property(queries, (query) => {
    const text = printQuery(query);
    fc.pre(text.length <= filterBounds.filterCharsMax);
    const parsed = parseQuery(text);
    if (shape(parsed) !== shape(query)) throw new Error(`${text} became ${printQuery(parsed)}`);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000 }));
});

t.test('names that are words of the language are printed in quotes', async (t) => {
  for (const word of keywords) {
    const query = parseQuery(`'${word}' and '${word}' = 1 sort by '${word}'`);
    t.equal(shape(parseQuery(printQuery(query))), shape(query));
    t.throws(() => parseQuery(`sort by ${word}`), FilterError);
  }
});

/** Anything may be thrown but a FilterError with a position in the text. */
function reads(text: string): void {
  let query: QueryNode;
  try {
    query = parseQuery(text);
  } catch (error) {
    if (error instanceof FilterError && error.position >= 0 && error.position <= text.length)
      return;
    throw error;
  }
  if (shape(parseQuery(printQuery(query))) !== shape(query)) {
    throw new Error(`${text} is printed as ${printQuery(query)}`);
  }
  try {
    compileQuery(query, scope);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
  }
}

const scraps = [
  ...keywords,
  'sort by',
  'not in',
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '(',
  ')',
  '[',
  ']',
  ',',
  "'",
  '"',
  'name',
  'cost',
  'isAdmin',
  'roleAttributes',
  'friends',
  'tags.x',
  "'name'",
  'nope',
  'a.b-c',
  '"x"',
  '"\\n"',
  '"\\x"',
  '"',
  '1',
  '-1.5e3',
  '007',
  '1e999',
  'datetime(',
  'datetime(x)',
  'datetime(2026-01-01T00:00:00Z)',
  'datetime(2026-02-30T00:00:00Z)',
  '§',
  '\u{1f600}',
  '\0',
];
const soup = fc
  .array(fc.tuple(fc.constantFrom(...scraps), fc.constantFrom(' ', ' ', ' ', '', '\n', '  ')))
  .map((pieces) => pieces.flat().join(''));
const damaged = fc
  .tuple(
    queries,
    fc.nat(),
    fc.nat({ max: 5 }),
    fc.oneof(fc.constantFrom('', ...scraps), fc.string()),
  )
  .map(([query, at, length, other]) => {
    const text = printQuery(query);
    const start = at % (text.length + 1);
    return text.slice(0, start) + other + text.slice(start + length);
  });

for (const [title, texts] of [
  ['random text', fc.string({ unit: 'binary', maxLength: 200 })],
  ['random ASCII', fc.string({ unit: 'binary-ascii', maxLength: 200 })],
  ['a soup of scraps', soup],
  ['damaged queries', damaged],
] as const) {
  t.test(`${title} throws nothing but a FilterError`, async (t) => {
    t.doesNotThrow(() => fc.assert(fc.property(texts, reads), { numRuns: 1500 }));
  });
}

const roomy: FilterBounds = { ...filterBounds, filterCharsMax: 10_000_000 };
const many = 100_000;

t.test('a hundred thousand of anything are refused, not recursed into', async (t) => {
  const texts = {
    'the filter is nested more than 64 deep': [
      '('.repeat(many),
      `${'('.repeat(many)}isAdmin${')'.repeat(many)}`,
      `${'not '.repeat(many)}isAdmin`,
      `isAdmin${' and isAdmin or isAdmin'.repeat(200)}`,
      `${'isEmpty(from friends where '.repeat(many)}`,
      `${'not (isAdmin and '.repeat(many)}`,
      `anyOf(${'friends.'.repeat(many)}name) = "x"`,
    ],
    'the filter has more than 500 conditions': [
      `isAdmin${' and isAdmin'.repeat(many)}`,
      `isAdmin${' or isAdmin'.repeat(many)}`,
      `(${'(isAdmin) or '.repeat(many)}isAdmin)`,
    ],
    'an array of the filter has more than 1000 values': [`cost in [1${',1'.repeat(many)}]`],
  };
  for (const [message, all] of Object.entries(texts)) {
    for (const text of all)
      t.throws(() => parseQuery(text, roomy), { name: 'FilterError', message });
  }
  for (const text of [')', '[', 'not(', '"', '"\\', "'", 'datetime(', '1', 'a ', ',', '§']) {
    t.throws(() => parseQuery(text.repeat(many), roomy), FilterError, `${text} repeated`);
  }
});

t.test('each bound lets its number pass and not one more', async (t) => {
  const small = {
    filterCharsMax: 60,
    filterDepthMax: 3,
    filterConditionsMax: 4,
    filterArrayMax: 2,
  };
  const rows: readonly [passes: string, fails: string, message: RegExp, position: number][] = [
    [`${' '.repeat(53)}isAdmin`, `${' '.repeat(54)}isAdmin`, /longer than 60 characters/, 60],
    ['(((isAdmin)))', '((((isAdmin))))', /nested more than 3/, 3],
    ['not not not isAdmin', 'not not not not isAdmin', /nested more than 3/, 12],
    ['a and b or c and d', 'a or (b and c or d and e)', /nested more than 3|more than 4/, 19],
    ['not (not isAdmin)', 'not (not (isAdmin))', /nested more than 3/, 9],
    ['a or b or c or d', 'a or b or c or d or e', /more than 4 conditions/, 17],
    ['count(from friends where (a)) = 1', '(count(from friends where (not a)) = 1)', /nested/, 27],
    ['a.b.c.d', 'a and a.b.c.d.e', /nested more than 3/, 6],
    ['((a.b))', '((a.b.c))', /nested more than 3/, 2],
    ['sort by a.b.c.d', 'sort by a.b.c.d.e', /nested more than 3/, 8],
    ['cost in [1, 2]', 'cost in [1, 2, 3]', /more than 2 values/, 13],
    ['sort by a, b, c, d, e, f', 'id in ["","",""]', /more than 2 values/, 12],
  ];
  for (const [passes, fails, message, position] of rows) {
    t.ok(parseQuery(passes, small), passes);
    t.throws(() => parseQuery(fails, small), { message, position }, fails);
  }
});

t.test('a tree from elsewhere is bounded in depth as well', async (t) => {
  const { condition } = parseQuery('isAdmin');
  const tower = (height: number): QueryNode => {
    let top = condition;
    for (let i = 0; i < height && top !== undefined; i++) {
      top = { kind: 'not', position: 7, operand: top };
    }
    return { kind: 'query', position: 0, condition: top, sort: [], skip: undefined, limit: 1 };
  };
  t.ok(compileQuery(tower(64), scope));
  const error = { message: 'the filter is nested more than 64 deep', position: 7 };
  t.throws(() => compileQuery(tower(many), scope), error);
});

t.test('what parses is printed and compiles, twice as deep as filters may be', async (t) => {
  const most = 2 * filterBounds.filterDepthMax;
  const bounds = { ...filterBounds, filterDepthMax: most };
  const texts = [
    `isAdmin${' and isAdmin or isAdmin'.repeat(most / 2)}`,
    `${'not ('.repeat(most / 2)}isAdmin and isAdmin${')'.repeat(most / 2)}`,
    `${'not isAdmin and '.repeat(most)}isAdmin`,
    `${'isEmpty(from friends where '.repeat(most)}isAdmin${')'.repeat(most)}`,
    `${'('.repeat(most)}isAdmin${')'.repeat(most)}`,
  ];
  for (const text of texts) {
    const query = parseQuery(text, bounds);
    t.ok(compileQuery(query, scope, bounds), text);
    t.ok(printQuery(query), text);
  }
});

t.test('sort parameters', async (t) => {
  const keys = (text: string): string =>
    parseSort(text)
      .map(({ name, isDescending }) => `${isDescending ? '-' : '+'}${name}`)
      .join();
  t.equal(keys('name'), '+name');
  t.equal(keys("  name DESC,'limit' asc ,createdAt "), '-name,+limit,+createdAt');
  for (const [text, position] of [
    ['', 0],
    ['name up', 5],
    ['name,', 5],
    ['name = 1', 5],
    ['sort by name', 0],
    ['name desc limit 5', 10],
  ] as const) {
    t.throws(() => parseSort(text), { name: 'FilterError', position }, text);
  }
});

t.test('nodes are frozen through and through', async (t) => {
  const check = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    t.ok(Object.isFrozen(value), JSON.stringify(value));
    Object.values(value).forEach(check);
  };
  const texts = [
    'id in ["a"] and (anyOf(ports) > 5 or not isEmpty(from friends where a)) and count(x) = 1',
    'cost not between 1 and 2 or name icontains "x" or true or a = null sort by a, b desc skip 1',
  ];
  for (const text of texts) check(parseQuery(text));
});
