// The page of layouts: it only grows, and a layout that others read does not change unnoticed.

import t from 'tap';
import Type from 'typebox';
import { layoutProblems, pageOf } from '../../.ci/generate/layouts.ts';
import { type Fields, field, name, optional } from '../../src/declare/kinds/field.ts';
import { defineKind } from '../../src/declare/kinds/kind.ts';

const box = (version: number, fields: Fields, more: object = {}) =>
  defineKind({ kind: 'box', version, fields: { name: name(), ...fields }, many: [], ...more });

const note = (since: number) => ({
  note: field(Type.String(), { fallback: '', symbol: 'string', since }),
});

const first = pageOf([box(1, {})], '');

t.test('a new version adds its line', (t) => {
  const next = box(2, note(2));
  t.same(layoutProblems([next], first), []);
  const page = pageOf([next], first);
  t.match(page, /^box 1 · name · [0-9a-f]{8}\nbox 2 · name note · [0-9a-f]{8}$/m);
  t.equal(pageOf([next], page), page);
  t.same(layoutProblems([next], page), []);
  t.equal(
    pageOf(
      [box(3, { size: optional(Type.Integer(), { write: 'never', since: 3 }) })],
      page,
    ).includes('box 2'),
    true,
    'older lines stay',
  );
  t.end();
});

t.test('a field without a version', (t) => {
  t.same(layoutProblems([box(1, note(1))], first), [
    `box: the layout of version 1 has changed (added: note).
Nodes of the last release read version 1. Give the field \`since: 2\`, set \`version: 2\`; if it does not only append what callers may set, write migrations[1] and downgrades[2].`,
  ]);
  t.match(layoutProblems([box(2, note(1))], first), [
    /^box: the layout of version 1 has changed \(added: note\)[\s\S]* Give the field `since: 2`/,
  ]);
  t.end();
});

t.test('another change of a field', (t) => {
  const page = pageOf([box(1, note(1))], '');
  const removed = `box: the layout of version 1 has changed (removed: note).
Nodes of the last release read version 1. Set \`version: 2\`, and write migrations[1] and downgrades[2].`;
  t.same(layoutProblems([box(1, {})], page), [removed]);
  const other = /\(another order, type or secrecy\)/;
  const count = { note: field(Type.Integer(), { fallback: 0 }) };
  t.match(layoutProblems([box(1, count)], page), [other]);
  const secret = { note: field(Type.String(), { fallback: '', secret: true }) };
  t.match(layoutProblems([box(1, secret)], page), [other]);
  const longer = { note: field(Type.String({ maxLength: 9 }), { fallback: '' }) };
  t.same(layoutProblems([box(1, longer)], page), [], 'a bound is no layout');
  const migrations = { 1: (values: unknown[]) => values.slice(0, -1) };
  t.same(layoutProblems([box(2, {}, { migrations })], page), [], 'a migration says what it does');
  t.end();
});
