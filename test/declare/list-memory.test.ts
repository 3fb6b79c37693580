// The memory of lists stays within its bounds and gives present answers.

import t from 'tap';
import { ListMemory } from '../../src/declare/lists/memory.ts';
import { identityKind } from '../../src/records/identity.ts';
import { bootNetwork } from '../simulated/network.ts';

const query = {
  matches: undefined,
  narrowings: [],
  sort: [],
  skip: undefined,
  limit: undefined,
};

t.test('compiled filters and matching rows are kept up to their bounds', async (t) => {
  const memory = new ListMemory({ filterCacheCharactersMax: 100, matchedRowsKeptMax: 100 });
  for (let n = 0; n < 50; n++) {
    memory.filters.set(`f${n}`, { query, isOwn: true, characters: 10 });
    memory.matches.set(`m${n}`, { revision: 1, slots: new Uint32Array(2), weight: 2, looked: 2 });
  }
  const keptOf = (get: (key: string) => unknown, prefix: string) =>
    Array.from({ length: 50 }, (_, n) => `${prefix}${n}`).filter((key) => get(key) !== undefined);
  const filters = keptOf((key) => memory.filters.get(key), 'f');
  const matches = keptOf((key) => memory.matches.get(key), 'm');
  t.ok(filters.includes('f49') && filters.length <= 10, `${filters.length} filters`);
  t.ok(matches.includes('m49') && matches.length <= 10, `${matches.length} matches`);
});

t.test('with no room to remember, lists are the same', async (t) => {
  const bounds = { filterCacheCharactersMax: 4096, matchedRowsKeptMax: 1000 };
  const network = await bootNetwork({ bounds });
  for (let n = 0; n < 20; n++) {
    const filter = `name = "admin" and name != "x${n}" and not (name = "y${'y'.repeat(200)}")`;
    const path = `M:/identities?filter=${encodeURIComponent(filter)}`;
    for (let round = 0; round < 2; round++) {
      const { pagination } = await network.call('GET', path);
      t.equal(pagination?.totalCount, 1);
    }
  }
  await network.stop();
});

for (const orderRowsAtOnceMax of [5000, 1]) {
  const how = orderRowsAtOnceMax === 1 ? 'step by step' : 'at once';
  t.test(`a list takes no more steps than it may, ${how}`, async (t) => {
    const network = await bootNetwork({
      limits: { filterStepsMax: 1000 },
      bounds: { orderRowsAtOnceMax },
    });
    const table = network.env.store.table(identityKind);
    const [admin] = [...table.all()];
    network.env.store.transact({ actor: 't', requestId: 'r', operation: 'o' }, (tx) => {
      for (let n = 0; n < 1001; n++) {
        tx.put(table, {
          ...admin?.record,
          id: `i${n}`,
          name: `n${n}`,
          externalId: undefined,
          roleAttributes: n % 10 === 0 ? ['tenth'] : [],
        } as never);
      }
    });
    const asked = 'M:/identities?filter=name+contains+"n1"';
    // Those who wait for one look are refused each.
    for (const all of await Promise.all([network.call('GET', asked), network.call('GET', asked)])) {
      t.match(all, { status: 400, code: 'INVALID_FILTER', cause: { field: 'filter' } });
    }
    const one = await network.call('GET', 'M:/identities?filter=name="n1"');
    t.equal(one.pagination?.totalCount, 1, 'an index leads to one of them');
    const tenth = 'M:/identities?filter=anyOf(roleAttributes)="tenth"';
    t.equal((await network.call('GET', tenth)).pagination?.totalCount, 101, 'or to a tenth');
    const page = await network.call('GET', 'M:/identities?sort=name+desc&limit=1');
    t.equal(page.pagination?.totalCount, 1002, 'and a page is no look at all of them');
    t.same(network.logged, []);
    await network.stop();
  });
}

t.test(
  'after a restart, lists by index and by looking at every row answer as before',
  async (t) => {
    const network = await bootNetwork({ bounds: { orderRowsAtOnceMax: 2 } });
    for (const name of ['one', 'two', 'three']) {
      const body = { name, type: 'Device', isAdmin: false };
      t.equal((await network.call('POST', 'M:/identities', { body })).status, 201);
    }
    await network.restart();
    await network.logInAdmin();
    const namesOf = async (filter: string) => {
      const { data } = await network.call(
        'GET',
        `M:/identities?filter=${encodeURIComponent(filter)}`,
      );
      return (data as { name: string }[]).map(({ name }) => name);
    };
    t.strictSame(await namesOf('name = "two"'), ['two']);
    const all = await namesOf('authPolicy.name = "Default" sort by name');
    t.strictSame(all, ['admin', 'one', 'three', 'two']);
    await network.stop();
  },
);
