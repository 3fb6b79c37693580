// Lists of instances: the same whether they are scanned at once or in slices, also while others
// write.

import t, { type Test } from 'tap';
import type { InstanceRow } from '../../src/inspect/messages.ts';
import { presentRows } from '../../src/inspect/server/instances/instance-list.ts';
import { identityKind } from '../../src/records/identity.ts';
import { bootNetwork, type Network, type NetworkOptions } from '../simulated/network.ts';

/** Identities beside the administrator, and the API sessions of some of them. */
const names = ['ada', 'bea', 'cai', 'dan', 'eve', 'fay', 'gus'];

async function furnished(options: NetworkOptions = {}): Promise<Network> {
  const network = await bootNetwork(options);
  for (const [i, name] of names.entries()) {
    const id = await network.createUser(name.padEnd(4, '_'), `${name}-password`, {
      roleAttributes: i % 2 === 0 ? ['even'] : ['odd'],
    });
    await network.advance(1000);
    if (i % 3 !== 0) await network.login(name.padEnd(4, '_'), `${name}-password`);
    if (i % 3 === 0)
      await network.must('POST', `M:/identities/${id}/disable`, { durationMinutes: 9 });
  }
  return network;
}

const sliced = { bounds: { inspectRowsAtOnceMax: 1 } };

const queries: readonly (readonly [kind: string, filter: string, more?: string])[] = [
  ['identity', ''],
  ['identity', '', '&limit=3&offset=2'],
  ['identity', '', '&offset=100'],
  ['identity', '', '&sort=name'],
  ['identity', '', '&sort=name%20desc&limit=2&offset=1'],
  ['identity', '', '&sort=state,createdAt%20desc'],
  ['identity', 'state = "enabled"'],
  ['identity', 'state = "enabled"', '&limit=2&offset=1'],
  ['identity', 'state = "enabled" sort by name desc skip 1 limit 2'],
  ['identity', 'state = "disabled"', '&sort=name'],
  ['identity', 'state != "disabled"'],
  ['identity', 'state = "unknown"'],
  ['identity', 'state in ["enabled", "disabled"]', '&limit=4'],
  ['identity', 'name contains "a"'],
  ['identity', 'name icontains "A" and state = "enabled"'],
  ['identity', 'anyOf(roleAttributes) = "even"', '&sort=id%20desc'],
  ['identity', 'name = "bea_"'],
  ['identity', 'id >= "a"'],
  ['identity', 'anyOf(roleAttributes) in ["even", "odd"]'],
  ['apiSession', 'state = "partial" or state = "none"'],
  ['apiSession', ''],
  ['apiSession', 'name contains "a"', '&sort=name'],
  ['apiSession', 'name = "bea_"'],
  ['apiSession', 'not name icontains "A"'],
  ['apiSession', 'identity.name contains "a" or state = "partial"'],
  ['apiSession', '', '&sort=name%20desc'],
  ['authenticator', 'name contains "updb c"'],
  ['authenticator', 'state contains "pending" or method = "updb"', '&limit=5'],
  ['router', 'name contains "a"'],
];

const pathOf = (kind: string, filter: string, more = '') =>
  `M:/inspect/machines/${kind}/instances?filter=${encodeURIComponent(filter)}${more}`;

t.test('a scan in slices finds the same as a scan at once', async (t) => {
  const whole = await furnished();
  const parts = await furnished(sliced);
  await compare(t, queries, whole, parts);
  await parts.stop();
  await whole.stop();
});

/** Twice in a hundred identities are disabled, and as many are rare. */
async function crowded(inspectRowsAtOnceMax: number): Promise<Network> {
  const network = await bootNetwork({ bounds: { inspectRowsAtOnceMax } });
  const { store } = network.env;
  const table = store.table(identityKind);
  const [first] = [...table.all()];
  store.transact({ actor: 'test', requestId: '', operation: 'crowd' }, (tx) => {
    for (let i = 0; i < 200; i++) {
      const state = i % 50 === 7 ? 'disabled' : 'enabled';
      const roleAttributes = i % 50 === 9 ? ['rare', 'odd'] : i % 50 === 7 ? ['rare'] : [];
      const own = { id: `id-${(i * 37) % 200}`, name: `name ${i}`, state, roleAttributes };
      tx.put(table, { ...first?.record, ...own, isDefaultAdmin: false } as never);
    }
  });
  return network;
}

t.test('the rows that an index leaves are scanned, at once or in slices', async (t) => {
  const whole = await crowded(1000);
  for (const most of [20, 150]) {
    const parts = await crowded(most);
    await compare(
      t,
      [
        ['identity', 'state = "disabled"'],
        ['identity', 'state = "disabled"', '&sort=name%20desc&limit=2&offset=1'],
        ['identity', 'state = "disabled" and name contains "7"'],
        ['identity', 'state in ["disabled", "unknown", "disabled"]'],
        ['identity', 'anyOf(roleAttributes) in ["rare", "odd"]', '&limit=5'],
        ['identity', 'anyOf(roleAttributes) = "rare" and state = "disabled"'],
        ['identity', 'id = "id-3"'],
        ['identity', 'name = "name 4"'],
        ['identity', 'name contains "name 19"', '&sort=name'],
        ['identity', 'state = "enabled"', '&limit=4'],
      ],
      whole,
      parts,
    );
    await parts.stop();
  }
  await whole.stop();
});

async function compare(t: Test, asked: typeof queries, whole: Network, parts: Network) {
  for (const [kind, filter, more] of asked) {
    const path = pathOf(kind, filter, more);
    const [one, other] = [await whole.call('GET', path), await parts.call('GET', path)];
    t.equal(one.status, 200, path);
    t.same(other.data, one.data, path);
    t.same(other.pagination, one.pagination, path);
  }
}

t.test('the order of a table serves where it is kept', async (t) => {
  const network = await furnished(sliced);
  const path = pathOf('identity', 'state = "enabled"', '&limit=2&offset=1');
  const before = await network.call('GET', path);
  await network.call('GET', 'M:/identities');
  const after = await network.call('GET', path);
  t.same(after.data, before.data);
  t.same(after.pagination, before.pagination);
  const past = await network.call('GET', pathOf('identity', 'state = "enabled"', '&offset=50'));
  t.same(past.data, []);
  await network.stop();
});

t.test(
  'a page of a common state is a walk in id order, if the state is all that is asked',
  async (t) => {
    const network = await crowded(150);
    const plans: { by?: unknown }[] = [];
    Object.defineProperty(network.env, 'logPlan', { value: (plan: object) => plans.push(plan) });
    const planOf = async (filter: string, more: string) => {
      plans.length = 0;
      await network.must('GET', pathOf('identity', filter, more));
      return plans.map(({ by }) => by);
    };
    t.same(
      await planOf('state = "enabled"', '&limit=4'),
      [],
      'searched in slices without an order',
    );
    await network.must('GET', 'M:/identities');
    const walk = 'order of id by state';
    t.same(await planOf('state = "enabled"', '&limit=4'), [walk]);
    t.same(await planOf('state = "disabled"', '&limit=4'), ['state']);
    t.same(await planOf('state = "enabled"', '&limit=4&sort=name'), []);
    t.same(await planOf('state = "enabled" and name contains "7"', '&limit=4'), []);
    t.same(await planOf('state in ["enabled", "disabled"]', '&limit=4'), []);
    await network.stop();
  },
);

t.test('nobody is shown all of them at once', async (t) => {
  const network = await furnished({ limits: { pageRowsMax: 3, pageRowsDefault: 2 } });
  const all = await network.call('GET', pathOf('identity', '', '&limit=-1'));
  t.equal((all.data as InstanceRow[]).length, 3);
  t.match(all.pagination, { limit: 3, totalCount: names.length + 1 });
  const none = await network.call('GET', pathOf('identity', 'true limit none'));
  t.equal((none.data as InstanceRow[]).length, 3);
  await network.stop();
});

t.test('records that are deleted before a scan ends are not shown', async (t) => {
  const network = await furnished();
  const { env } = network;
  const rows = [...env.store.table(identityKind).all()];
  const [bea] = await network.must<{ id: string }[]>('GET', 'M:/identities?filter=name="bea_"');
  await network.must('DELETE', `M:/identities/${bea?.id}`);
  const page = { rows, total: rows.length, paging: { limit: 10, offset: 0 } };
  const left = presentRows({ env }, 'identity', page);
  t.same(
    left.map(({ record }) => record.id),
    rows.map(({ record }) => record.id).filter((id) => id !== bea?.id),
  );
  await network.stop();
});

t.test('a filter that asks for too much is refused, in slices too', async (t) => {
  const options = { ...sliced, limits: { filterStepsMax: 1000 } };
  const network = await furnished(options);
  const conditions = Array.from({ length: 60 }, (_, i) => `name contains "no ${i}"`).join(' or ');
  const long = `(${conditions}) or (${conditions}) or (${conditions})`;
  const answer = await network.call('GET', pathOf('identity', long));
  t.match(answer, { status: 400, code: 'INVALID_FILTER', cause: { field: 'filter' } });
  await network.stop();
});

t.test('scans wait in a queue, which is bounded', async (t) => {
  const network = await furnished({ bounds: { ...sliced.bounds, inspectLooksWaitingMax: 2 } });
  const path = pathOf('identity', 'name contains "_"');
  const answers = await Promise.all(Array.from({ length: 5 }, () => network.call('GET', path)));
  const statuses = answers.map(({ status }) => status).sort();
  t.same(statuses, [200, 200, 200, 429, 429]);
  await network.stop();
});

t.test('slices end in time, and others have their turn between them', async (t) => {
  const network = await furnished({ bounds: { ...sliced.bounds, inspectSliceMs: 1 } });
  const { clock } = network;
  let reads = 0;
  const monotonic = clock.monotonic.bind(clock);
  t.intercept(clock, 'monotonic', { value: () => monotonic() + 10 * reads++ });
  const answer = await network.call('GET', pathOf('identity', 'name contains "_"'));
  t.equal(answer.pagination?.totalCount, names.length);
  await network.stop();
});
