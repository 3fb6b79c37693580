// What a terminal is never shown.

import t from 'tap';
import { isPrintable, printable, printableLines } from '../../src/platform/printable.ts';
import fc from '../properties.ts';

const ranges = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x61c, 0x61c],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2066, 0x2069],
] as const;
const steering = ranges.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index),
);

t.test('each character that steers a terminal or a direction is escaped', async (t) => {
  for (const code of steering) {
    const shown = `\\u${code.toString(16).padStart(4, '0')}`;
    t.equal(printable(`a${String.fromCharCode(code)}b`), `a${shown}b`, shown);
  }
  const plain = 'Zoë 日本語 שלום 👩‍🚀 \\u202e';
  t.equal(printable(plain), plain);
});

t.test('several lines stay several lines', async (t) => {
  t.equal(printable('one\ntwo\r'), 'one\\u000atwo\\u000d');
  t.equal(printableLines('one\ntwo\r'), 'one\ntwo\\u000d');
  t.ok(isPrintable('one\ntwo'));
  t.notOk(isPrintable('one\ttwo'));
});

t.test('JSON says the same afterwards', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...steering), (value, code) => {
      const given = { value, text: String.fromCharCode(code) };
      const shown = printable(JSON.stringify(given));
      t.same(JSON.parse(shown), JSON.parse(JSON.stringify(given)));
    }),
  );
});
