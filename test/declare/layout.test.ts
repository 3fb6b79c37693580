// The layout of records on disk: a field says which version appended it, and the rest follows.

import t from 'tap';
import Type from 'typebox';
import { type Fields, field, name, optional } from '../../src/declare/kinds/field.ts';
import { defineKind } from '../../src/declare/kinds/kind.ts';

const box = (version: number, fields: Fields, more: object = {}) =>
  defineKind({ kind: 'box', version, fields: { name: name(), ...fields }, many: [], ...more });

t.test('values lie in the order of versions, then as fields are declared', (t) => {
  const kind = box(2, {
    colour: optional(Type.String(), { since: 2 }),
    weight: field(Type.Integer(), { fallback: 0 }),
    size: field(Type.Integer(), { fallback: 1, since: 2 }),
  });
  t.strictSame(kind.fieldNames, ['name', 'colour', 'weight', 'size']);
  t.strictSame(kind.storedNames, ['name', 'weight', 'colour', 'size']);
  const older = kind.codec.decode('b', 1, [1, 1, null, null, 'b', 5]);
  t.match(older, { name: 'b', weight: 5, colour: undefined, size: 1 });
  t.strictSame(kind.codec.encode(older), [1, 1, null, null, 'b', 5, null, 1]);
  t.strictSame(kind.codec.encode(older, 1), [1, 1, null, null, 'b', 5]);
  t.match(kind.codec.decode('b', 1, [1, 1, null, null, 'b']), { weight: undefined, size: 1 });
  t.end();
});

t.test('what is written by hand wins', (t) => {
  const size = { size: field(Type.Integer(), { fallback: 1, since: 2 }) };
  const kind = box(2, size, { migrations: { 1: (values: unknown[]) => [...values, 7] } });
  t.match(kind.codec.decode('b', 1, [1, 1, null, null, 'b']), { size: 7 });
  t.equal(kind.codec.oldestWritten, 2, 'the migration does more than append the fallback');
  const coarser = box(2, size, { downgrades: { 2: (values: unknown[]) => values.slice(0, -1) } });
  const record = { ...coarser.codec.decode('b', 2, [1, 1, null, null, 'b', 9]) };
  t.strictSame(coarser.codec.encode(record, 1), [1, 1, null, null, 'b']);
  t.end();
});

t.test('what callers do not set is not dropped unless somebody says how', (t) => {
  const kind = box(2, { seenAt: optional(Type.Integer(), { write: 'never', since: 2 }) });
  t.equal(kind.codec.oldestWritten, 2);
  t.match(kind.codec.decode('b', 1, [1, 1, null, null, 'b']), { seenAt: undefined });
  t.end();
});

t.test('a field and its version go together', (t) => {
  const note = (since: number) => ({ note: field(Type.String(), { fallback: '', since }) });
  t.throws(() => box(1, note(2)), { message: 'box: note is since 2, but version is 1' });
  const needed = { note: field(Type.String(), { required: true, since: 2 }) };
  t.throws(() => box(2, needed), {
    message: 'box: note is required: give it a fallback, or write migrations[1]',
  });
  box(2, needed, { migrations: { 1: (values: unknown[]) => [...values, 'none'] } });
  t.end();
});
