// Addresses of the page's views.

import t from 'tap';
import { hashOf, kindRoute, type Route, routeOf } from '../../src/inspect/page/route.ts';

const routes: readonly Route[] = [
  { view: 'machines' },
  { view: 'processes' },
  { view: 'figures' },
  { view: 'map', service: '', group: undefined },
  { view: 'map', service: 'a/b', group: '' },
  { view: 'map', service: '', group: 'north & "south"\n#x' },
  { view: 'transitions', filter: '' },
  { view: 'transitions', filter: 'kind = "apiSession" and to != "full"' },
  { view: 'instance', kind: 'router', id: 'a/b ?#.-%' },
  { view: 'frame', lsn: 12345 },
  kindRoute('identity'),
  { view: 'kind', kind: 'identity', filter: 'name = "ä&b=+"', sort: 'name desc', offset: 50 },
];

t.test('a view is found again by its address', async (t) => {
  for (const route of routes) t.strictSame(routeOf(hashOf(route)), route, hashOf(route));
});

t.test('what no view has leads to nothing', async (t) => {
  for (const hash of [
    '#/none',
    '#/machines/a/b/c',
    '#/processes/x',
    '#/x/y',
    '#/log',
    '#/log/0',
    '#/log/x',
    '#/log/1/2',
  ]) {
    t.strictSame(routeOf(hash), { view: 'nothing' }, hash);
  }
  t.strictSame(routeOf(''), { view: 'machines' });
  t.strictSame(routeOf('#/machines'), { view: 'machines' });
});

t.test('broken parts of an address do no harm', async (t) => {
  t.strictSame(routeOf('#/machines/%zz/1'), { view: 'instance', kind: '%zz', id: '1' });
  for (const offset of ['-1', '1.5', 'x', '1e99']) {
    t.strictSame(routeOf(`#/machines/ca?offset=${offset}`), kindRoute('ca'), offset);
  }
});
