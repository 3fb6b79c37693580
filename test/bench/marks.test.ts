// Marks: our own homes need none; in the network of others only marked entities are selected.

import t from 'tap';
import { Marks } from '../../bench/marks.ts';

t.test('without a prefix nothing changes', async (t) => {
  const marks = new Marks('');
  t.equal(marks.name('caller'), 'caller');
  t.same(marks.attributes(['bench']), ['bench']);
  t.same(marks.roles('services', ['#all', '@id', '#made']), ['#all', '@id', '#made']);
});

t.test(
  'with a prefix, names and attributes carry it, and #all means all marked entities',
  async (t) => {
    const marks = new Marks('b-1-');
    t.equal(marks.name('caller'), 'b-1-caller');
    t.same(marks.attributes(['bench', 'site-a']), ['b-1-bench', 'b-1-site-a']);
    t.same(marks.roles('identities', ['#site-a', '@id']), ['#b-1-site-a', '@id']);
    t.same(marks.roles('routers', ['#all']), ['#b-1-bench']);
    for (const space of ['identities', 'services', 'routers'] as const) {
      const roles = marks.roles(space, ['#all']);
      t.notOk(roles.includes('#all'), space);
      t.ok(roles.every((role) => role.startsWith('#b-1-')));
    }
  },
);
