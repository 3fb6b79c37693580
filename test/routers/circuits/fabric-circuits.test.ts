// Circuits over the fabric API (behaviour/fabric#circuits).

import t from 'tap';
import { CircuitWorld, unroutesOf } from './world.ts';

/** A circuit from r1 over l1 to r2, and one within r1. */
async function twoCircuits() {
  const world = await CircuitWorld.boot(2);
  await world.terminator('r2');
  world.paths.add('l1', world.id('r1'), world.id('r2'));
  const far = world.circuit('r1', ['r1', 'r2']);
  const { network } = world;
  for (const router of world.connected.all()) router.channel.sent.length = 0;
  return { world, network, far };
}

interface ShownCircuit {
  readonly id: string;
  readonly clientId: string;
  readonly service: { readonly id: string; readonly name: string };
  readonly terminator: { readonly id: string };
}

t.test('a circuit as it is shown', async (t) => {
  const { world, network, far } = await twoCircuits();
  const { data } = await network.call('GET', `F:/circuits/${far}`);
  const shown = data as ShownCircuit;
  const { terminatorId = '' } = world.live(far) ?? {};
  const router = (name: string) => ({ entity: 'routers', id: world.id(name), name });
  t.match(data, {
    id: far,
    _links: { self: { href: `./circuits/${far}` } },
    clientId: world.id('client'),
    tags: { clientId: world.id('client'), hostId: '', serviceId: world.id('service') },
    service: { entity: 'services', id: world.id('service'), name: 'service' },
    terminator: {
      _links: { self: { href: `./terminators/${terminatorId}` } },
      entity: 'terminators',
      id: terminatorId,
      name: terminatorId,
    },
    path: {
      nodes: [router('r1'), router('r2')],
      links: [{ entity: 'links', id: 'l1', name: 'l1' }],
    },
  });
  const names = '_links clientId createdAt id path service tags terminator updatedAt';
  t.equal(Object.keys(shown).sort().join(' '), names);
  await network.stop();
});

t.test('lists filter and sort by what a circuit rests on', async (t) => {
  const { world, network, far } = await twoCircuits();
  const found = async (query: string) =>
    (await network.must<ShownCircuit[]>('GET', `F:/circuits?${query}`)).map(({ id }) => id);
  const { terminatorId = '' } = world.live(far) ?? {};
  t.same(await found(`filter=service="${world.id('service')}"`), [far]);
  t.same(await found(`filter=clientId="${world.id('client')}"`), [far]);
  t.same(await found(`filter=terminator="${terminatorId}"`), [far]);
  t.same(await found('filter=service="none"'), []);
  t.same(await found('filter=service=""'), []);
  t.same(await found('sort=createdAt%20desc'), [far]);
  for (const name of ['path', 'tags.clientId', 'isSystem', 'state']) {
    const answer = await network.call('GET', `F:/circuits?filter=${name}="x"`);
    t.match(answer, { status: 400, code: 'INVALID_FILTER' }, name);
  }
  await network.stop();
});

for (const [body, unroute] of [
  [undefined, ''],
  [{}, ''],
  [{ immediate: false }, ''],
  [{ immediate: true }, ' now'],
] as const) {
  t.test(`its deletion with ${JSON.stringify(body)}`, async (t) => {
    const { world, network, far } = await twoCircuits();
    const options = body === undefined ? {} : { body };
    t.match(await network.call('DELETE', `F:/circuits/${far}`, options), { status: 200 });
    for (const name of ['r1', 'r2']) t.same(unroutesOf(world.router(name)), [`${far}${unroute}`]);
    t.same(world.counts(), [0, 0]);
    const again = await network.call('DELETE', `F:/circuits/${far}`);
    t.match(again, { status: 404, code: 'NOT_FOUND' });
    t.match(await network.call('GET', `F:/circuits/${far}`), { status: 404 });
    await network.stop();
  });
}

t.test('a body that is not one ends nothing', async (t) => {
  const { world, network, far } = await twoCircuits();
  const answer = await network.call('DELETE', `F:/circuits/${far}`, { body: { immediate: 'now' } });
  t.match(answer, { status: 400, cause: { field: 'immediate' } });
  t.same(world.counts(), [1, 1]);
  await network.stop();
});
