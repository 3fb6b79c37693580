// Strings and moments as a filter writes them.

import t from 'tap';
import { readMoment, readNumber, readString } from '../../src/filter/literals.ts';
import { writeMoment, writeString } from './print.ts';

t.test('strings and their escapes', async (t) => {
  t.equal(readString('"a b"'), 'a b');
  t.equal(readString('"\\"\\\\\\n\\r\\t\\f"'), '"\\\n\r\t\f');
  t.equal(writeString('"\\\n\r\t\fé'), '"\\"\\\\\\n\\r\\t\\fé"');
});

t.test('numbers', async (t) => {
  t.equal(readNumber('-12.5e-1'), -1.25);
  t.ok(Object.is(readNumber('-0'), 0), 'no negative zero');
  t.equal(readNumber('9223372036854775807'), 2 ** 63);
  t.equal(readNumber('1e309'), undefined);
});

t.test('moments that there are', async (t) => {
  const rows = {
    '2026-01-02T03:04:05Z': '2026-01-02T03:04:05.000Z',
    '2026-01-02t03:04:05.1z': '2026-01-02T03:04:05.100Z',
    '2026-01-02T03:04:05.123999Z': '2026-01-02T03:04:05.123Z',
    '2026-01-02T03:04:05+05:30': '2026-01-01T21:34:05.000Z',
    '2024-02-29T23:59:59-00:01': '2024-03-01T00:00:59.000Z',
    '0000-01-01T00:00:00Z': '0000-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z': '9999-12-31T23:59:59.999Z',
  };
  for (const [text, expected] of Object.entries(rows)) {
    const value = readMoment(text);
    t.equal(value === undefined ? undefined : writeMoment(value), `datetime(${expected})`, text);
  }
});

t.test('moments that there are not', async (t) => {
  const texts = [
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00Z',
    '2026-01-01',
    '2026-01-01 00:00:00Z',
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    ' 2026-01-01T00:00:00Z',
    '',
  ];
  for (const text of texts) t.equal(readMoment(text), undefined, text);
});
