// The order of texts, values and sort keys.

import t from 'tap';
import { compareBy, compareBytes } from '../../src/filter/order.ts';
import type { Scalar, SortKey } from '../../src/filter/scope.ts';
import * as fc from '../properties.ts';

t.test('byte order is that of the encoded texts', async (t) => {
  const text = fc.string({ unit: 'grapheme' });
  const property = fc.property(text, text, (left, right) => {
    const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
    return Math.sign(compareBytes(left, right)) === expected;
  });
  t.doesNotThrow(() => fc.assert(property));
});

interface Pair {
  readonly id: string;
  readonly one?: Scalar;
  readonly two?: Scalar;
}

const key = (name: 'one' | 'two', isDescending: boolean): SortKey<Pair, undefined> => ({
  name,
  isDescending,
  isOrdered: false,
  read: (pair) => pair[name],
});
const byId = (left: Pair, right: Pair): number => (left.id < right.id ? -1 : 1);
const sorted = (pairs: readonly Pair[], ...keys: SortKey<Pair, undefined>[]): string =>
  [...pairs]
    .sort(compareBy(keys, byId, undefined, { spend() {} }))
    .map(({ id }) => id)
    .join('');

t.test('missing values first ascending and last descending, id as the last key', async (t) => {
  const pairs: Pair[] = [
    { id: 'd', one: 'b', two: 1 },
    { id: 'c', two: 5 },
    { id: 'b', one: 'a', two: 10 },
    { id: 'a', one: 'b', two: 9 },
    { id: 'e', one: 'b', two: 9 },
    { id: 'f' },
  ];
  t.equal(sorted(pairs), 'abcdef');
  t.equal(sorted(pairs, key('one', false)), 'cfbade');
  t.equal(sorted(pairs, key('one', true)), 'adebcf');
  t.equal(sorted(pairs, key('one', false), key('two', true)), 'cfbaed');
  t.equal(sorted(pairs, key('two', false), key('one', true)), 'fdcaeb');
});

t.test('false before true, strings by bytes', async (t) => {
  const booleans: Pair[] = [{ id: 'a', one: true }, { id: 'b', one: false }, { id: 'c' }];
  t.equal(sorted(booleans, key('one', false)), 'cba');
  const texts: Pair[] = [
    { id: 'a', one: '\u{1f600}' },
    { id: 'b', one: '\uffee' },
    { id: 'c', one: 'a' },
    { id: 'd', one: 'B' },
  ];
  t.equal(sorted(texts, key('one', false)), 'dcba');
});
