// A key map agrees with a plain Map, and spreads what it holds over its parts.

import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { KeyMap } from '../../src/store/key-map.ts';
import * as fc from '../properties.ts';

/** Few, so that they meet: plain ones, an empty one, some beyond what is hashed, and odd ones. */
const keys: readonly string[] = [
  ...Array.from({ length: 500 }, (_, at) => String(at)),
  ...Array.from({ length: 100 }, (_, at) => 'x'.repeat(200 + at)),
  ...['', '\0', '\0\0', '\ud800', '𝄞', 'é', 'e\u0301'],
];

t.test('agrees with a Map under random writes', async (t) => {
  // Each number stands for a write: its low bits for the key, a high one for what is done.
  const agree = fc.property(fc.array(fc.nat(), { maxLength: 1500, size: 'max' }), (numbers) => {
    const map = new KeyMap<number>();
    const model = new Map<string, number>();
    for (const value of numbers) {
      const key = keys[value % keys.length] ?? '';
      if ((value >>> 16) % 2 === 0) {
        map.set(key, value);
        model.set(key, value);
      } else if (map.delete(key) !== model.delete(key)) return false;
      if (map.size !== model.size || map.get(key) !== model.get(key)) return false;
      if (map.has(key) !== model.has(key)) return false;
    }
    const met = [...map];
    return (
      met.length === model.size &&
      met.every(([key, value]) => model.get(key) === value) &&
      isDeepStrictEqual(
        [...map.keys()],
        met.map(([key]) => key),
      ) &&
      isDeepStrictEqual(
        [...map.values()],
        met.map(([, value]) => value),
      )
    );
  });
  t.doesNotThrow(() => fc.assert(agree));
});

t.test('the usual keys are spread over all parts and found within a few steps', async (t) => {
  const forms: readonly ((at: number) => string)[] = [
    (at) => String(at),
    (at) => `identity-${at}`,
    (at) => `device-${String(at).padStart(7, '0')}.branch.example.com`,
    (at) => `00000000-0000-4000-8000-${at.toString(16).padStart(12, '0')}`,
    (at) => `${'long '.repeat(20)}${at}${' name'.repeat(20)}`,
  ];
  const count = 100_000;
  for (const form of forms) {
    const map = new KeyMap<number>();
    for (let at = 0; at < count; at++) map.set(form(at), at);
    t.ok(map.largestPart < (1.2 * count) / 64, `${form(1)}: ${map.largestPart}`);
    t.ok(map.longestSearch < 64, `${form(1)}: ${map.longestSearch}`);
  }
});

t.test('what stays is met once while others come and go', async (t) => {
  const map = new KeyMap<number>();
  for (let at = 0; at < 1000; at++) map.set(`stays ${at}`, at);
  for (let at = 0; at < 1000; at++) map.set(`goes ${at}`, at);
  const met: string[] = [];
  let steps = 0;
  for (const key of map.keys()) {
    if (key.startsWith('stays')) met.push(key);
    map.delete(`goes ${steps}`);
    if (steps++ < 1500) map.set(`comes ${steps}`, steps);
  }
  t.equal(met.length, 1000);
  t.equal(new Set(met).size, 1000);
});
