// Compiled queries choose what the naive evaluator chooses, and their narrowings miss nothing.

import t from 'tap';
import { StepBudget } from '../../src/filter/budget.ts';
import { compileQuery } from '../../src/filter/compile.ts';
import { parseQuery } from '../../src/filter/parse.ts';
import { defaultLimits } from '../../src/settings/limits.ts';
import * as fc from '../properties.ts';
import { narrowQueries, queries } from './arbitrary-queries.ts';
import { naivelyChosen } from './naive.ts';
import { printQuery } from './print.ts';
import { chosen, scope, worldOf, worlds } from './things.ts';

t.test('random queries over random things', async (t) => {
  let matched = 0;
  const property = fc.property(
    queries,
    fc.array(worlds, { minLength: 1, maxLength: 3 }),
    (query, all) => {
      for (const world of all) {
        const found = chosen(query, world).map(({ id }) => id);
        const expected = naivelyChosen(query, [...world.values()], world).map(({ id }) => id);
        matched += found.length;
        if (found.join() !== expected.join()) {
          throw new Error(`${printQuery(query)}: ${found} instead of ${expected}`);
        }
      }
    },
  );
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2000 }));
  t.ok(matched > 1000, `${matched} things matched`);
});

t.test('every match has one of the values of each narrowing', async (t) => {
  let narrowings = 0;
  const property = fc.property(fc.oneof(queries, narrowQueries), worlds, (node, world) => {
    const query = compileQuery(node, scope);
    const budget = new StepBudget(defaultLimits);
    const matches = [...world.values()].filter((it) => query.matches?.(it, world, budget) ?? true);
    for (const { name, index, values } of query.narrowings) {
      narrowings++;
      const reached = new Set(values.flatMap((value) => [...index.things(value, world, budget)]));
      for (const thing of matches) {
        if (!reached.has(thing)) throw new Error(`${printQuery(node)}: ${name} misses ${thing.id}`);
      }
    }
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2000 }));
  t.ok(narrowings > 50, `${narrowings} narrowings`);
});

t.test('narrowings of single queries', async (t) => {
  const narrowings = (text: string): readonly string[] =>
    compileQuery(parseQuery(text), scope).narrowings.map(
      ({ index, values }) => `${index.name}: ${values.join(' ')}`,
    );
  const rows: Readonly<Record<string, readonly string[]>> = {
    'id = "a"': ['id: a'],
    'id in ["a", "b", "a"]': ['id: a b'],
    'name = "x" and id = "a" and isAdmin': ['unique name: x', 'id: a'],
    'isAdmin and (cost = 1 and id = "a")': ['id: a'],
    'id = "a" and isAdmin or id = "b"': ['id: a'],
    'anyOf(roleAttributes) = "x" sort by name': ['group roleAttributes: x'],
    'id = "a" or id = "b" or id in ["c", "a"]': ['id: a b c'],
    '(id = "a" and isAdmin or isAdmin) and id = "b"': ['id: a', 'id: b'],
    '(id = "a" and isAdmin) or (name = "x" and id = "b")': ['id: a b'],
    'id = "a" or name = "x"': [],
    'id = "a" or isAdmin': [],
    'isAdmin or id = "a"': [],
    'not id = "a"': [],
    'id != "a"': [],
    'id not in ["a"]': [],
    'anyOf(roleAttributes) not in ["x"]': [],
    'allOf(roleAttributes) not in ["x"]': [],
    'not (id not in ["a"])': [],
    'id = 5': ['id: 5'],
    'name in [12345678901234567890, 1.50]': ['unique name: 12345678901234567890 1.50'],
    'name = null': [],
    'id contains "a"': [],
    'cost = 1': [],
    'tags.x = "a"': [],
    'allOf(roleAttributes) = "x"': [],
    'count(roleAttributes) = 1': [],
    'not isEmpty(from friends where id = "a")': [],
    'limit 5': [],
  };
  for (const [text, expected] of Object.entries(rows)) t.same(narrowings(text), expected, text);
});

/** Twenty things, each a friend of all of them. */
const friendly = worldOf(
  Array.from({ length: 20 }, (_, at) => ({
    id: String(at),
    name: `name ${at}`,
    cost: undefined,
    isAdmin: true,
    createdAt: at,
    roleAttributes: ['a', 'b'],
    ports: [],
    flags: [],
    visits: [],
    tags: { long: 'x'.repeat(6400), moment: '2026-01-01T00:00:00Z' },
    friends: Array.from({ length: 20 }, (_, friend) => String(friend)),
  })),
);

/** The steps that a filter takes for one thing, whatever it says of it. */
function stepsOf(text: string): number {
  const { matches } = compileQuery(parseQuery(text), scope);
  let steps = 0;
  const budget = {
    spend(more: number) {
      steps += more;
    },
  };
  const [thing] = friendly.values();
  if (thing !== undefined) matches?.(thing, friendly, budget);
  return steps;
}

t.test('steps of one thing: what is worked out is spent, and no more is worked out', async (t) => {
  const expected: Readonly<Record<string, number>> = {
    'name = "x"': 0,
    [`name = "x"${' or name = "x"'.repeat(499)}`]: 499,
    [`name contains "x"${' and name contains "x"'.repeat(499)}`]: 0,
    'not not isAdmin': 2,
    'anyOf(roleAttributes) = "a"': 2,
    'isEmpty(roleAttributes)': 0,
    'anyOf(friends.name) = "x"': 20,
    'anyOf(friends.name) = "name 4"': 5,
    'allOf(friends.name) = "name 0"': 2,
    'isEmpty(friends.name)': 1,
    'count(friends.name) > 5': 6,
    'count(friends.name) = 5': 6,
    'count(friends.name) <= 2.5': 4,
    'count(friends.name) between 3 and 7': 8,
    'count(friends.name) in [1, 9, 4]': 10,
    'count(friends.name) < 0': 1,
    'count(friends.name) > -1': 0,
    'count(friends.name) contains 2': 20,
    'isEmpty(from friends where true)': 1,
    'isEmpty(from friends where isAdmin)': 2,
    'isEmpty(from friends where isAdmin limit 0)': 0,
    'isEmpty(from friends where isAdmin skip 5 limit 3)': 12,
    'isEmpty(from friends where not isAdmin)': 60,
    'count(from friends where isAdmin) = 20': 40,
    'count(from friends where isAdmin) >= 7': 16,
    'isEmpty(from friends where anyOf(friends.name) = "x")': 440,
    'tags.long = "x"': 0,
    'tags.long contains "y"': 100,
    'tags.long > "y"': 400,
    'tags.long icontains "y"': 800,
    'tags.moment > datetime(2026-01-01T00:00:00Z)': 20,
    'tags.none > datetime(2026-01-01T00:00:00Z)': 0,
  };
  for (const [text, steps] of Object.entries(expected)) t.equal(stepsOf(text), steps, text);
});

t.test('no filter takes more steps than the budget allows', async (t) => {
  const limits = { ...defaultLimits, filterStepsMax: 50 };
  const match = (text: string, things: number): number => {
    const { matches } = compileQuery(parseQuery(text), scope);
    const budget = new StepBudget(limits);
    const all = [...friendly.values()].slice(0, things);
    return all.filter((it) => matches?.(it, friendly, budget)).length;
  };
  t.equal(match('count(from friends where isAdmin) = 20', 1), 1);
  t.equal(match('isEmpty(from friends where isAdmin)', 20), 0, 'one look a thing is enough');
  const error = { name: 'FilterError', message: /more than 50 steps/ };
  t.throws(() => match('count(from friends where isAdmin) = 20', 2), error);
  t.throws(() => match('isEmpty(from friends where not isAdmin)', 2), error);
  t.throws(() => match('anyOf(friends.name) = "x"', 3), error);
  t.throws(() => match(`name = "x"${' or name = "x"'.repeat(60)}`, 1), error);
  const budget = new StepBudget(limits);
  budget.spend(50);
  t.throws(() => budget.spend(1), error);
});

t.test('skip and limit as a list is given them', async (t) => {
  const page = (text: string): unknown => {
    const node = parseQuery(text);
    const { skip, limit, matches, sort } = compileQuery(node, scope);
    return { skip, limit, matches, sort: sort.length };
  };
  const none = { skip: undefined, limit: undefined, matches: undefined, sort: 0 };
  t.same(page('true'), none, 'what always holds is no condition');
  t.same(page('true limit none'), { ...none, limit: 'none' });
  t.same(page('skip -5 limit -1'), { ...none, skip: 0, limit: 'none' });
  t.same(page('skip 5 limit 700'), { ...none, skip: 5, limit: 700 });
  t.same(page('sort by id, id, id, id, id, id, id'), { ...none, sort: 5 });
});
