// Role lists and attributes are accepted and refused as behaviour/policies says.

import t from 'tap';
import {
  checkAttributes,
  checkRoles,
  parseAccessType,
  parseSemantic,
  storedRoles,
} from '../../src/access/roles.ts';

const known = (id: string): boolean => id === 'one' || id === 'two';

t.test('attributes are bare words', async (t) => {
  t.equal(checkAttributes(['a', 'b#c', 'all']), undefined);
  t.same(checkAttributes(['a', '#b', '@c'])?.value, ['#b', '@c']);
});

t.test('role lists', async (t) => {
  const rows: [roles: string[], bad: string[] | undefined][] = [
    [[], undefined],
    [['#all'], undefined],
    [['#a', '@one', '@two'], undefined],
    [
      ['a', '#b', ''],
      ['a', ''],
    ],
    [
      ['#all', '#b'],
      ['#all', '#b'],
    ],
    [
      ['@one', '@three', '@name'],
      ['three', 'name'],
    ],
    [['bare', '@three'], ['bare']],
    [['#all', '#all'], undefined],
  ];
  for (const [roles, bad] of rows) t.same(checkRoles(roles, known)?.value, bad, roles.join());
  t.match(checkRoles(['#all', '#b'], known)?.reason, /only role/);
});

t.test('semantic in any case, type exactly', async (t) => {
  t.equal(parseSemantic('allOf'), 'AllOf');
  t.equal(parseSemantic('ANYOF'), 'AnyOf');
  t.equal(parseSemantic('some'), undefined);
  t.equal(parseAccessType('Bind'), 'Bind');
  t.equal(parseAccessType('Dial'), 'Dial');
  t.equal(parseAccessType('Invalid'), undefined);
});

t.test('stored sorted by bytes, each once', async (t) => {
  t.same(storedRoles(['@b', '#z', '#a', '#z']), ['#a', '#z', '@b']);
  t.same(storedRoles(['#\u{1f600}', '#\uffee', '#é']), ['#é', '#\uffee', '#\u{1f600}']);
});
