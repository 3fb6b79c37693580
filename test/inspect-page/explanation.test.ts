// Explanations on the inspector's page: what is asked for, and how ways to hosts are told.

import t from 'tap';
import { parseQuery } from '../../src/filter/parse.ts';
import { explanationPath, servicesPath, wayText } from '../../src/inspect/page/explanation.ts';

t.test('a service is asked for by its name or id, whatever is typed', async (t) => {
  for (const text of ['printer', ' a"b ', 'x/y?z&w', 'line\nbreak']) {
    const query = new URLSearchParams(servicesPath(text).split('?')[1]);
    t.doesNotThrow(() => parseQuery(query.get('filter') ?? ''), text);
    t.equal(query.get('limit'), '1');
  }
  const query = new URLSearchParams(servicesPath(' printer ').split('?')[1]);
  t.equal(query.get('filter'), 'name = "printer" or id = "printer"');
});

t.test('ids are escaped in the path of an explanation', async (t) => {
  t.equal(explanationPath('a/b', 'c d'), '/identities/a%2Fb/services/c%20d/explain');
});

t.test('the way to a terminator', async (t) => {
  const router = { id: 's', name: 'south', isOnline: true };
  const terminator = { id: 't', precedence: 'default', router };
  t.equal(wayText({ ...terminator, path: null }), 'no path');
  const offline = { ...terminator, router: { ...router, isOnline: false }, path: null };
  t.equal(wayText(offline), 'router offline');
  const path = { cost: 21, routers: [{ name: 'north' }, { name: 'south' }] };
  t.equal(wayText({ ...terminator, path }), 'north → south, cost 21');
});
