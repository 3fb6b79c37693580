// The text of the peer's configuration, within bounds.

import t from 'tap';
import { readControllerFile } from '../../../src/migrate/configuration/controller-file.ts';
import { SourceRefused } from '../../../src/migrate/source-problem.ts';
import fc from '../../properties.ts';

const read = (text: string) => readControllerFile(text, 'ctrl.yaml');

t.test('anchors, aliases and merged keys are followed', async (t) => {
  const text = `
base: &base {ca: ca.pem, key: a.key}
identity: *base
other: {<<: *base, key: b.key}
`;
  t.same(read(text), {
    base: { ca: 'ca.pem', key: 'a.key' },
    identity: { ca: 'ca.pem', key: 'a.key' },
    other: { ca: 'ca.pem', key: 'b.key' },
  });
});

t.test('what is refused', async (t) => {
  const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let at = 1; at < 9; at++) {
    const aliases = Array.from({ length: 10 }, () => `*a${at - 1}`).join(', ');
    bomb.push(`a${at}: &a${at} [${aliases}]`);
  }
  const deep = (levels: number) => `a: ${'['.repeat(levels)}${']'.repeat(levels)}`;
  const many = (values: number) => `a: &a [${'1,'.repeat(values)}]\nb: *a\nc: *a`;
  const cases: readonly (readonly [string, RegExp])[] = [
    ['a: 1\nb: 2\na: 3\n', /^ctrl\.yaml, line 3: Map keys must be unique\.$/],
    ['a: [1\nb: 2', /^ctrl\.yaml, line \d+: /],
    ['a: *gone', /^ctrl\.yaml cannot be read: Unresolved alias .*gone/],
    ['a: 1\n---\nb: 2\n', /^ctrl\.yaml, line \d+: .*multiple documents/],
    [bomb.join('\n'), /^ctrl\.yaml (cannot be read: Excessive alias|has more than 10000 values)/],
    ['a: &a [*a]', /^ctrl\.yaml/],
    [deep(40), /^ctrl\.yaml: it is nested deeper than 32 levels/],
    [deep(4900), /^ctrl\.yaml, line 1: it is nested deeper than 32 levels/],
    ['', /^ctrl\.yaml must hold sections/],
    ['- a', /^ctrl\.yaml must hold sections/],
    ['text', /^ctrl\.yaml must hold sections/],
    [`a: ${'x'.repeat(1024 * 1024)}`, /^ctrl\.yaml has more than 1048576 bytes\.$/],
    [many(4900), /^ctrl\.yaml has more than 10000 values, with those that its aliases repeat/],
    [`a: [${'1,'.repeat(5001)}]`, /^ctrl\.yaml has more than 5000 values\.$/],
  ];
  for (const [text, message] of cases) {
    t.throws(() => read(text), { name: 'SourceRefused', message }, text.slice(0, 40));
  }
});

t.test('names of the language are names', async (t) => {
  const read1 = read('__proto__: {polluted: 1}\nconstructor: 2');
  t.same(Object.keys(read1), ['__proto__', 'constructor']);
  t.notOk('polluted' in {});
});

t.test('any text is read or refused', async (t) => {
  const pieces = [
    'a',
    ':',
    ' ',
    '\n',
    '-',
    '[',
    ']',
    '{',
    '}',
    '&x',
    '*x',
    '"',
    '|',
    '#',
    '!',
    '?',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (parts) => {
      try {
        read(parts.join(''));
      } catch (error) {
        if (!(error instanceof SourceRefused)) throw error;
      }
    }),
  );
  t.pass();
});
