// Schemas of config types: each is independent, and none takes long.

import t from 'tap';
import { patternBounds } from '../../src/declare/resources/linear-pattern.ts';
import { userSchemaFault, userSchemaProblem } from '../../src/declare/resources/user-schema.ts';

/** A schema of its own at each call: what is compiled is kept by the object. */
const withA = (a: object) => ({ type: 'object', properties: { a } });

const fault = (schema: object, bounds = {}) =>
  userSchemaFault(schema, { ...patternBounds, ...bounds });

const problem = (schema: object, value: unknown, bounds = {}) =>
  userSchemaProblem(schema, value, { ...patternBounds, ...bounds });

t.test('one id may stand in any number of schemas, and leads to none of the others', async (t) => {
  const named = (type: string) => ({ $id: 'http://x/one', ...withA({ type }) });
  t.equal(fault(named('string')), undefined);
  t.equal(fault(named('integer')), undefined);
  t.equal(problem(named('string'), { a: 'x' }), undefined);
  t.equal(problem(named('integer'), { a: 'x' })?.field, 'a');
  for (const $ref of ['http://x/one', 'http://json-schema.org/draft-07/schema#', '#/none']) {
    t.match(fault(withA({ $ref })), /^can't resolve reference/);
  }
});

t.test('references within a schema hold', async (t) => {
  const definitions = {
    word: { $id: '#word', type: 'string' },
    list: { type: 'array', items: { $ref: '#/definitions/list' } },
  };
  for (const $ref of ['#/definitions/word', '#word']) {
    const schema = { ...withA({ $ref }), definitions };
    t.equal(problem(schema, { a: 'x' }), undefined);
    t.equal(problem(schema, { a: 1 })?.field, 'a');
  }
  const lists = { ...withA({ $ref: '#/definitions/list' }), definitions };
  t.equal(problem(lists, { a: [[], [[]]] }), undefined);
  t.equal(problem(lists, { a: [[], [1]] })?.field, 'a.1.0');
});

t.test('nothing is checked later', async (t) => {
  const asynchronous = { $async: true, type: 'string' };
  const refused = [
    { ...withA({}), $async: true },
    withA(asynchronous),
    { ...withA({ $ref: '#/definitions/x' }), definitions: { x: asynchronous } },
    { ...withA({}), definitions: { x: asynchronous } },
    { ...withA({ $ref: '#/examples/0' }), examples: [asynchronous] },
  ];
  for (const schema of refused) t.equal(fault(schema), '$async cannot be used');
});

t.test('a schema that refers to itself without end is a problem of the value', async (t) => {
  const schema = { type: 'object', allOf: [{ $ref: '#' }] };
  t.match(problem(schema, {}), { field: '', reason: /without end/ });
});

t.test('what is no schema', async (t) => {
  t.match(fault(withA({ type: 'whole' })), /type must be equal to one of/);
  t.match(fault({ $schema: 'http://elsewhere/schema#', ...withA({}) }), /no schema with key/);
  t.match(problem(withA({ type: 'whole' }), {}), {
    field: '',
    reason: /^its schema cannot be used/,
  });
});

t.test('patterns match as they do elsewhere', async (t) => {
  const cases: [pattern: string, matching: string[], others: string[]][] = [
    ['^[0-9]+(\\.[0-9]+)?(ms|µs)$', ['10ms', '1.5µs'], ['ms', '10 ms', '10ms ']],
    ['b', ['abc', 'b'], ['', 'ac']],
    ['^\\u0041\\u{1F600}\\x41\\/$', ['A😀A/'], ['A😀A']],
    ['^(?<year>\\d{4})\\b', ['2026', '2026-01'], ['20261']],
    ['^\\p{Lu}.$', ['Äb', 'A😀'], ['äb', 'A\n']],
    ['^[^]$', ['\n'], ['']],
  ];
  for (const [pattern, matching, others] of cases) {
    const schema = withA({ pattern });
    for (const a of matching) t.equal(problem(schema, { a }), undefined, `${pattern} ${a}`);
    for (const a of others) {
      const reason = `must match pattern "${pattern}"`;
      t.same(problem(schema, { a }), { field: 'a', reason, value: a });
    }
  }
});

t.test('patterns of one schema are told apart', async (t) => {
  const patternProperties = { '^a': { type: 'string' }, '^b': { type: 'integer' } };
  const schema = { type: 'object', patternProperties, additionalProperties: false };
  t.equal(problem(schema, { a1: 'x', b1: 1 }), undefined);
  t.equal(problem(schema, { a1: 1 })?.field, 'a1');
  t.equal(problem(schema, { b1: 'x' })?.field, 'b1');
  t.match(problem(schema, { c: 1 }), { reason: /additional/ });
});

t.test('patterns that cannot be matched without backtracking are refused', async (t) => {
  // One that holds anything would never be asked.
  const word = { type: 'string' };
  const cases: [string, RegExp][] = [
    ['(?=a)b', /`\(\?=`/],
    ['a(?!b)', /`\(\?!`/],
    ['(?<!a)b', /`\(\?<!/],
    ['(a)\\1', /`\\1`/],
    ['(?<n>a)\\k<n>', /refer back/],
    ['(', /Unterminated group/],
    ['a{1001}', /`\{1001\}`/],
  ];
  for (const [pattern, reason] of cases) {
    t.match(fault(withA({ pattern })), reason, pattern);
    t.match(fault({ type: 'object', patternProperties: { [pattern]: word } }), reason, pattern);
  }
  t.equal(fault(withA({ pattern: '\\\\k<n>' })), undefined, 'a backslash, and nothing back');
});

t.test('what a pattern takes follows the text, not the ways to read it', async (t) => {
  // 2 to the power of 200,000 ways; a test that hangs has failed.
  const a = `${'a'.repeat(200_000)}!`;
  t.equal(problem(withA({ pattern: '^(a+)+$' }), { a })?.field, 'a');
});

t.test('patternCharactersMax, schemaInstructionsMax, patternStepsMax', async (t) => {
  const patternCharactersMax = 100;
  t.match(fault(withA({ pattern: 'x'.repeat(101) }), { patternCharactersMax }), /more than 100 c/);
  t.equal(fault(withA({ pattern: 'x'.repeat(100) }), { patternCharactersMax }), undefined);

  const schemaInstructionsMax = 1000;
  const hundreds = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}{100}$`, { type: 'string' }]));
  const byPatterns = (count: number) => ({ type: 'object', patternProperties: hundreds(count) });
  t.equal(fault(byPatterns(9), { schemaInstructionsMax }), undefined);
  t.match(fault(byPatterns(10), { schemaInstructionsMax }), /more than 1000 instructions/);

  const schema = withA({ items: { pattern: '^x+$' } });
  const patternStepsMax = 10_000;
  const texts = (count: number) => ({ a: Array.from({ length: count }, () => 'x'.repeat(99)) });
  t.equal(problem(schema, texts(10), { patternStepsMax }), undefined);
  t.equal(problem(schema, texts(10), { patternStepsMax }), undefined, 'each check has them all');
  t.match(problem(schema, texts(100), { patternStepsMax }), {
    field: '',
    reason: /need more than 10000 steps/,
    value: undefined,
  });
});

t.test('items are unique by value', async (t) => {
  const schema = withA({ type: 'array', uniqueItems: true });
  const unique = [{ x: 1, y: 2 }, { x: 2, y: 1 }, [['x', 1]], { x: 1 }, 1, '1', null, 'null', []];
  t.equal(problem(schema, { a: unique }), undefined);
  for (const twin of [{ y: 2, x: 1 }, { x: 1 }, [['x', 1]], 1, '1', null]) {
    t.match(problem(schema, { a: [...unique, twin] }), { field: 'a', reason: /twice/ });
  }
  const repeats = withA({ type: 'array', uniqueItems: false });
  t.equal(problem(repeats, { a: [1, 1] }), undefined);
});

t.test('formats', async (t) => {
  const cases: [string, string[], string[]][] = [
    ['url', ['https://a.example/b?c', 'ftp://1.2.3.4'], ['a.example', 'file:///etc', 'http://']],
    ['idn-hostname', ['bücher.example', '*.a', '10.0.0.0/8'], ['', 'a b', 'a'.repeat(254)]],
    ['ipv4', ['10.0.0.1'], ['10.0.0.256', '::1']],
    ['of-our-own', ['anything'], []],
  ];
  for (const [format, right, wrong] of cases) {
    for (const a of right) t.equal(problem(withA({ format }), { a }), undefined, `${format} ${a}`);
    for (const a of wrong) t.equal(problem(withA({ format }), { a })?.field, 'a', `${format} ${a}`);
  }
});
