// Things to filter: records with symbols of every form and type, and links among each other.

import { StepBudget } from '../../src/filter/budget.ts';
import { compileQuery } from '../../src/filter/compile.ts';
import type { QueryNode } from '../../src/filter/nodes.ts';
import { compareBy } from '../../src/filter/order.ts';
import type {
  Budget,
  FilterSymbol,
  IndexPath,
  Query,
  Scalar,
  Scope,
} from '../../src/filter/scope.ts';
import { defaultLimits } from '../../src/settings/limits.ts';
import * as fc from '../properties.ts';

export interface Thing {
  readonly id: string;
  readonly name: string | undefined;
  readonly cost: number | undefined;
  readonly isAdmin: boolean | undefined;
  readonly createdAt: number | undefined;
  readonly roleAttributes: readonly string[];
  readonly ports: readonly number[];
  readonly flags: readonly boolean[];
  readonly visits: readonly number[];
  readonly tags: Readonly<Record<string, unknown>>;
  /** Ids of other things. */
  readonly friends: readonly string[];
}

/** All things of a test by id; what reading needs besides a thing. */
export type World = ReadonlyMap<string, Thing>;

export type ThingSymbol = FilterSymbol<Thing, World>;

const indexed = (
  name: string,
  valuesOf: (thing: Thing) => readonly Scalar[],
): { index: IndexPath<Thing, World> } => {
  const things = (value: Scalar, world: World): Thing[] =>
    [...world.values()].filter((thing) => valuesOf(thing).includes(value));
  return { index: { name, things, count: (value, world) => things(value, world).length } };
};

/** Every symbol but those of the map `tags`. */
export const symbols: Readonly<Record<string, ThingSymbol>> = {
  id: {
    form: 'scalar',
    type: 'string',
    read: ({ id }) => id,
    isOrdered: true,
    ...indexed('id', ({ id }) => [id]),
  },
  name: {
    form: 'scalar',
    type: 'string',
    read: ({ name }) => name,
    ...indexed('unique name', ({ name }) => (name === undefined ? [] : [name])),
  },
  cost: { form: 'scalar', type: 'integer', read: ({ cost }) => cost },
  isAdmin: { form: 'scalar', type: 'boolean', read: ({ isAdmin }) => isAdmin },
  createdAt: { form: 'scalar', type: 'datetime', read: ({ createdAt }) => createdAt },
  roleAttributes: {
    form: 'set',
    type: 'string',
    read: ({ roleAttributes }) => roleAttributes,
    ...indexed('group roleAttributes', ({ roleAttributes }) => roleAttributes),
  },
  ports: { form: 'set', type: 'integer', read: ({ ports }) => ports },
  flags: { form: 'set', type: 'boolean', read: ({ flags }) => flags },
  visits: { form: 'set', type: 'datetime', read: ({ visits }) => visits },
  'friends.name': {
    form: 'set',
    type: 'string',
    *read(thing, world, budget) {
      for (const { name } of things(thing, world, budget)) if (name !== undefined) yield name;
    },
  },
};

export const scope: Scope<Thing, World> = {
  symbol(name) {
    if (Object.hasOwn(symbols, name)) return symbols[name];
    if (!name.startsWith('tags.')) return undefined;
    return { form: 'map', read: ({ tags }) => tags[name.slice('tags.'.length)] };
  },
  linked(name) {
    if (name !== 'friends') return undefined;
    return { scope: scope as Scope<unknown, World>, things, count };
  },
};

function* things({ friends }: Thing, world: World, budget: Budget): Generator<Thing> {
  for (const id of friends) {
    budget.spend(1);
    const friend = world.get(id);
    if (friend !== undefined) yield friend;
  }
}

/** Some things know it, of the others some know only whether there are enough. */
function count(
  { cost, friends }: Thing,
  world: World,
  _: Budget,
  enough: number,
): number | undefined {
  if (cost === undefined) return undefined;
  const number = friends.filter((id) => world.has(id)).length;
  return number >= enough ? enough + Math.abs(Math.trunc(cost)) : number;
}

export function worldOf(all: readonly Thing[]): World {
  return new Map(all.map((thing) => [thing.id, thing]));
}

export const byId = (left: Thing, right: Thing): number => (left.id < right.id ? -1 : 1);

/** What a query chooses, as a list does it without any index. */
export function chosen(node: QueryNode, world: World): Thing[] {
  return run(compileQuery(node, scope), world);
}

function run({ matches, sort, skip = 0, limit }: Query<Thing, World>, world: World): Thing[] {
  const budget = new StepBudget(defaultLimits);
  const end = typeof limit === 'number' ? skip + limit : undefined;
  return [...world.values()]
    .filter((thing) => matches?.(thing, world, budget) ?? true)
    .sort(compareBy(sort, byId, world, budget))
    .slice(skip, end);
}

/** Few values, so that they often meet; some differ only in case, some sort unlike UTF-16. */
export const someStrings = ['', 'a', 'A', 'ab', 'Ba', 'é', '5', '\uffee', '\u{1f600}', '"\\\n'];
export const someNumbers = [-1, 0, 1, 2.5, 5, 15, 1e300];
export const someMoments = [
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T00:00:00.001Z',
  '1969-12-31T23:00:00Z',
].map((text) => Date.parse(text));
const ids = ['a', 'b', 'c', 'ab', 'A', '5'];

const string = fc.constantFrom(...someStrings);
const number = fc.constantFrom(...someNumbers);
const moment = fc.constantFrom(...someMoments);
const maybe = <V>(value: fc.Arbitrary<V>): fc.Arbitrary<V | undefined> =>
  fc.option(value, { nil: undefined, freq: 3 });
const few = <V>(value: fc.Arbitrary<V>): fc.Arbitrary<V[]> =>
  fc.uniqueArray(value, { maxLength: 3 });
const tag = fc.oneof(
  string,
  number,
  fc.boolean(),
  fc.constant(null),
  moment.map((ms) => new Date(ms).toISOString()),
);

const thing = (id: string): fc.Arbitrary<Thing> =>
  fc.record({
    id: fc.constant(id),
    name: maybe(string),
    cost: maybe(number),
    isAdmin: maybe(fc.boolean()),
    createdAt: maybe(moment),
    roleAttributes: few(string),
    ports: few(number),
    flags: few(fc.boolean()),
    visits: few(moment),
    tags: fc.dictionary(fc.constantFrom('x', 'y-z'), tag),
    friends: few(fc.constantFrom(...ids)),
  });

/** Random things, linked at random. */
export const worlds: fc.Arbitrary<World> = fc.tuple(...ids.map(thing)).map(worldOf);
