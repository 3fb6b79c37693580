// The cost of the filter language: of compiling a query, and of testing a row.

import { StepBudget } from '../../src/filter/budget.ts';
import { compileQuery } from '../../src/filter/compile.ts';
import { parseQuery } from '../../src/filter/parse.ts';
import type { FilterSymbol, Query, Scope } from '../../src/filter/scope.ts';
import { defaultLimits } from '../../src/settings/limits.ts';
import type { Micro } from './micro.ts';

interface Person {
  readonly name: string;
  readonly isAdmin: boolean;
  readonly createdAt: number;
  readonly roleAttributes: readonly string[];
}

const symbols: Readonly<Record<string, FilterSymbol<Person, undefined>>> = {
  name: { form: 'scalar', type: 'string', read: ({ name }) => name },
  isAdmin: { form: 'scalar', type: 'boolean', read: ({ isAdmin }) => isAdmin },
  createdAt: { form: 'scalar', type: 'datetime', read: ({ createdAt }) => createdAt },
  roleAttributes: { form: 'set', type: 'string', read: ({ roleAttributes }) => roleAttributes },
};

const scope: Scope<Person, undefined> = {
  symbol: (name) => symbols[name],
  linked: () => undefined,
};

const compile = (text: string): Query<Person, undefined> => compileQuery(parseQuery(text), scope);

const people: readonly Person[] = Array.from({ length: 100_000 }, (_, n) => ({
  name: `user-${String(n).padStart(8, '0')}`,
  isAdmin: n % 1000 === 0,
  createdAt: n,
  roleAttributes: ['bench', n % 2 === 0 ? 'site-a' : 'site-b'],
}));

/** A query as the console sends it while a user types into its search field. */
const typed =
  'name contains "er-00" or anyOf(roleAttributes) = "site-a" sort by name skip 0 limit 100';

const compiling: Micro = {
  name: 'filter-compile',
  title: 'filter compile, a query of a console',
  unit: 'query',
  prepare: () => () => {
    compile(typed);
    return 1;
  },
};

const scanning = (name: string, title: string, text: string): Micro => ({
  name: `filter-scan-${name}`,
  title: `filter over 100,000 rows, ${title}`,
  unit: 'row',
  prepare() {
    const { matches } = compile(text);
    return () => {
      const budget = new StepBudget(defaultLimits);
      let found = 0;
      for (const person of people) if (matches?.(person, undefined, budget)) found++;
      if (found === 0) throw new Error(`nothing matches ${text}`);
      return people.length;
    };
  },
});

/** The micro-benches of the filter language. */
export const filterMicros: readonly Micro[] = [
  compiling,
  scanning('contains', '`name contains "er-00"`', 'name contains "er-00"'),
  scanning('any', '`anyOf(roleAttributes) = "site-a"`', 'anyOf(roleAttributes) = "site-a"'),
  scanning(
    'and',
    'three conditions',
    'isAdmin and createdAt > datetime(1970-01-01T00:00:05Z) and name icontains "USER"',
  ),
];
