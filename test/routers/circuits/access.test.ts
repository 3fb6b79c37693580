// Whatever takes a right away ends the circuits that rest on it, on every router of their paths.

import t from 'tap';
import { rowOf, run, slip } from '../../integrity/scene.ts';
import { CircuitWorld, routesOf, unroutesOf } from './world.ts';

/** The ways to take a right away, and whether circuits of others go on. */
const ways: Readonly<Record<string, (world: CircuitWorld) => Promise<unknown>>> = {
  'the session is deleted': (world) =>
    world.network.must('DELETE', `M:/sessions/${world.id('session')}`),
  'the API session is deleted': async (world) => {
    const { network } = world;
    const session = await network.must<{ apiSessionId: string }>(
      'GET',
      `M:/sessions/${world.id('session')}`,
    );
    await network.must('DELETE', `M:/api-sessions/${session.apiSessionId}`);
  },
  'the client logs out': ({ network, ids }) =>
    network.must('DELETE', 'C:/current-api-session', undefined, ids.get('token')),
  'the identity is disabled': (world) =>
    world.network.must('POST', `M:/identities/${world.id('client')}/disable`, {
      durationMinutes: 0,
    }),
  'the identity is deleted': (world) =>
    world.network.must('DELETE', `M:/identities/${world.id('client')}`),
  'the service is deleted': (world) =>
    world.network.must('DELETE', `M:/services/${world.id('service')}`),
  'the terminator is deleted': (world) =>
    world.network.must('DELETE', `M:/terminators/${world.id('terminator')}`),
  'the dial policy is deleted': (world) =>
    world.network.must('DELETE', `M:/service-policies/${world.id('dial policy')}`),
  'the dial policy leaves the identity out': (world) =>
    world.network.must('PATCH', `M:/service-policies/${world.id('dial policy')}`, {
      identityRoles: [`@${world.id('r1')}`],
    }),
  'the edge router policy leaves the router of the client out': (world) =>
    world.network.must('PATCH', `M:/edge-router-policies/${world.id('edge router policy')}`, {
      edgeRouterRoles: [`@${world.id('r2')}`],
    }),
  'the service edge router policy leaves it out': (world) =>
    world.network.must(
      'PATCH',
      `M:/service-edge-router-policies/${world.id('service edge router policy')}`,
      { edgeRouterRoles: [`@${world.id('r2')}`] },
    ),
  'the edge router policy is deleted': (world) =>
    world.network.must('DELETE', `M:/edge-router-policies/${world.id('edge router policy')}`),
  'the router of the client is disabled': (world) =>
    world.network.must('PATCH', `M:/edge-routers/${world.id('r1')}`, { disabled: true }),
  'the router of the host is disabled': (world) =>
    world.network.must('PATCH', `M:/edge-routers/${world.id('r2')}`, { disabled: true }),
  'the router of the host is deleted': (world) =>
    world.network.must('DELETE', `M:/edge-routers/${world.id('r2')}`),
  'the router of the client is deleted': (world) =>
    world.network.must('DELETE', `M:/edge-routers/${world.id('r1')}`),
};

/** A circuit from r1 to r2. */
async function boot() {
  const world = await CircuitWorld.boot(2);
  world.ids.set('terminator', await world.terminator('r2'));
  world.paths.add('l', world.id('r1'), world.id('r2'));
  return { world, id: world.circuit('r1', ['r1', 'r2']) };
}

for (const [way, take] of Object.entries(ways)) {
  t.test(way, async (t) => {
    const { world, id } = await boot();
    const routers = [world.router('r1'), world.router('r2')];
    const startedMs = world.network.clock.now();
    await take(world);
    world.network.clock.drain();
    for (const router of routers) t.same(unroutesOf(router), [`${id} now`]);
    t.same(world.counts(), [0, 0]);
    t.ok(world.network.clock.now() - startedMs < 100);
  });

  t.test(`${way} while the circuit is created`, async (t) => {
    const { world } = await boot();
    const router = world.router('r1');
    world.dial('r1');
    const id = routesOf(router).at(-1)?.circuitId ?? '';
    await take(world);
    world.network.clock.drain();
    t.ok(unroutesOf(router).includes(`${id} now`));
    t.same(world.refusal('r1'), [1, 0]);
    t.same(world.counts(), [0, 0]);
  });

  t.test(`${way} while the routers are away`, async (t) => {
    const { world, id } = await boot();
    world.circuits.stop();
    await world.kill();
    await take(world);
    world.network.clock.drain();
    t.same(world.counts(), [0, 0]);
    for (const name of ['r1', 'r2']) {
      if (way.endsWith('is deleted') && way.startsWith('the router')) continue;
      t.same(unroutesOf(world.connect(name)), [`${id} now`]);
    }
  });
}

t.test('other circuits go on', async (t) => {
  const { world, id } = await boot();
  const user = await world.network.createUser('other', 'other-password');
  const token = await world.network.login('other', 'other-password');
  const own = world.id('session');
  world.ids.set('session', await world.session('Dial', token));
  world.ids.set('token', token);
  const other = world.circuit('r1', ['r1', 'r2']);
  await world.network.must('DELETE', `M:/sessions/${own}`);
  world.network.clock.drain();
  t.equal(world.live(id), undefined);
  t.match(world.live(other), { state: 'active', identityId: user });
  t.same(unroutesOf(world.router('r1')), [`${id} now`]);
});

t.test('changes that take nothing away end nothing', async (t) => {
  const { world, id } = await boot();
  const { network } = world;
  await network.must('PATCH', `M:/services/${world.id('service')}`, { tags: { a: 'b' } });
  await network.must('PATCH', `M:/identities/${world.id('client')}`, { tags: { a: 'b' } });
  await network.must('PATCH', `M:/edge-routers/${world.id('r1')}`, { tags: { a: 'b' } });
  await network.must('PATCH', `M:/service-policies/${world.id('dial policy')}`, {
    tags: { a: 'b' },
  });
  network.clock.drain();
  t.equal(world.live(id)?.state, 'active');
  t.same(unroutesOf(world.router('r1')), []);
});

t.test('a thousand circuits end in slices', async (t) => {
  const { world } = await boot();
  for (let at = 1; at < 1000; at++) world.circuit('r1', ['r1', 'r2']);
  t.same(world.counts(), [1000, 1000]);
  await world.network.must('DELETE', `M:/sessions/${world.id('session')}`);
  world.network.clock.drain();
  t.same(world.counts(), [0, 0]);
  for (const name of ['r1', 'r2']) {
    t.equal(new Set(unroutesOf(world.router(name))).size, 1000);
  }
});

t.test('the circuits of many sessions end in few frames', async (t) => {
  const { world } = await boot();
  const { network } = world;
  for (let at = 1; at < 20; at++) {
    const token = await network.login('client', 'client-password');
    world.ids.set('token', token);
    world.ids.set('session', await world.session('Dial', token));
    world.circuit('r1', ['r1', 'r2']);
  }
  t.same(world.counts(), [20, 20]);
  const { lsn } = network.env.store.fence;
  await network.must('DELETE', `M:/service-policies/${world.id('dial policy')}`);
  network.clock.drain();
  t.same(world.counts(), [0, 0]);
  t.ok(network.env.store.fence.lsn - lsn <= 4, 'not one per session');
});

t.test('routers that are away have bounded room', async (t) => {
  const world = await CircuitWorld.boot(2, { bounds: { unroutesPerRouterMax: 3 } });
  world.ids.set('terminator', await world.terminator('r2'));
  world.paths.add('l', world.id('r1'), world.id('r2'));
  const ids = [1, 2, 3, 4, 5].map(() => world.circuit('r1', ['r1', 'r2']));
  await world.kill();
  await world.network.must('DELETE', `M:/sessions/${world.id('session')}`);
  world.network.clock.drain();
  t.equal(world.circuits.figures.unroutesWaiting, 6);
  t.equal(unroutesOf(world.connect('r1')).length, 3);
  const idle = Object.fromEntries(ids.map((id) => [id, 60_000]));
  world.confirm('r1', idle);
  t.equal(new Set(unroutesOf(world.router('r1'))).size, 5, 'the others when they are idle');
  await world.network.must('DELETE', `M:/edge-routers/${world.id('r2')}`);
  t.equal(world.circuits.figures.unroutesWaiting, 0);
});

t.test(
  'circuits that access allowed by mistake end when an integrity run rebuilds it',
  async (t) => {
    const { world, id } = await boot();
    const { network } = world;
    const policy = rowOf(network, 'edgeRouterPolicy', world.id('edge router policy'));
    slip(policy, { edgeRouterRoles: [`@${world.id('r2')}`] });
    await run(network, true);
    for (const name of ['r1', 'r2']) t.same(unroutesOf(world.router(name)), [`${id} now`]);
    t.same(world.counts(), [0, 0]);
    network.logged.length = 0;
  },
);
