// Circuits that carry traffic: ends, faults, idle times, other paths, restarts.

import t from 'tap';
import { fabric } from '../../../src/channel/messages/messages.ts';
import { rerouteAttempt } from '../../../src/routers/circuits/routes.ts';
import { CircuitWorld, routesOf, unroutesOf } from './world.ts';

const { INGRESS, EGRESS, LINK_FAULT, LINK_DUPLICATE, FORWARD, FORWARD_UNKNOWN_ORIGIN } =
  fabric.FaultSubject;

/** Routers r1 to r3 in a row, with a dear link from end to end, and a circuit over all three. */
async function row() {
  const world = await CircuitWorld.boot(3);
  const terminatorId = await world.terminator('r3');
  world.paths.add('l1', world.id('r1'), world.id('r2'));
  world.paths.add('l2', world.id('r2'), world.id('r3'));
  world.paths.add('dear', world.id('r1'), world.id('r3'), 99);
  const id = world.circuit('r1', ['r1', 'r2', 'r3']);
  for (const router of world.connected.all()) router.channel.sent.length = 0;
  // All of them have reported their links by then.
  await world.network.advance(10_000);
  return { world, id, terminatorId };
}

const all = ['r1', 'r2', 'r3'];

t.test('an end has closed: all routers let go of what is left', async (t) => {
  for (const [router, subject] of [
    ['r1', INGRESS],
    ['r3', EGRESS],
  ] as const) {
    const { world, id, terminatorId } = await row();
    world.fault('r2', subject, id);
    t.same(world.counts(), [1, 1], 'only the router of an end can say so');
    world.fault(router, subject, id);
    for (const name of all) t.same(unroutesOf(world.router(name)), [id]);
    t.same(world.counts(), [0, 0]);
    t.equal(world.open.get(terminatorId), 0);
    world.fault(router === 'r1' ? 'r3' : 'r1', subject, id);
    for (const name of all) t.equal(unroutesOf(world.router(name)).length, 1);
  }
});

t.test('an end closes while the circuit is created', async (t) => {
  const world = await CircuitWorld.boot(1);
  await world.terminator('r1');
  world.dial('r1');
  const id = routesOf(world.router('r1'))[0]?.circuitId ?? '';
  world.fault('r1', INGRESS, id);
  t.same(world.refusal('r1'), [1, 0]);
  t.same(unroutesOf(world.router('r1')), [id]);
  t.same(world.counts(), [0, 0]);
});

t.test('faults of links are passed on', async (t) => {
  const { world } = await row();
  world.fault('r1', LINK_FAULT, 'l1', 3);
  world.fault('r1', LINK_DUPLICATE, 'l9');
  t.same(world.linkFaults, [`${world.id('r1')} l1 3 false`, `${world.id('r1')} l9 undefined true`]);
});

t.test('faults of forwards: another path, or nothing to forward', async (t) => {
  const { world, id } = await row();
  world.fault('r2', FORWARD, `${id} unknown`);
  world.network.clock.drain();
  t.same(unroutesOf(world.router('r2')), ['unknown now']);
  t.match(routesOf(world.router('r2')), [{ circuitId: id, attempt: rerouteAttempt }]);
  t.equal(world.live(id)?.state, 'rerouting');
  world.fault('r2', FORWARD, id);
  world.network.clock.drain();
  t.equal(routesOf(world.router('r2')).length, 1, 'one reroute at a time');
  world.answerRoutes(all);
  t.match(world.live(id), { state: 'active', reroutes: 1 });
  world.fault('r1', FORWARD_UNKNOWN_ORIGIN, 'unknown');
  world.network.clock.drain();
  t.same(unroutesOf(world.router('r1')), []);
});

t.test('idle circuits', async (t) => {
  const { world, id } = await row();
  world.confirm('r1', { [id]: 60_000, unknown: 60_000 });
  t.same(unroutesOf(world.router('r1')), ['unknown now']);
  t.same(world.counts(), [1, 1], 'without a limit a circuit may be idle');
  await world.network.must('PATCH', `M:/services/${world.id('service')}`, {
    maxIdleTimeMillis: 61_000,
  });
  world.network.clock.drain();
  world.confirm('r1', { [id]: 60_999 });
  world.confirm('r2', { [id]: 61_000 });
  t.same(world.counts(), [1, 1]);
  world.confirm('r3', { [id]: 61_000 });
  t.same(world.counts(), [0, 0]);
  for (const name of all) t.same(unroutesOf(world.router(name)).at(-1), `${id} now`);
});

t.test('a circuit that is not on the router is forgotten there', async (t) => {
  const world = await CircuitWorld.boot(2);
  await world.terminator('r1');
  const id = world.circuit('r1');
  world.confirm('r2', { [id]: 60_000 });
  t.same(unroutesOf(world.router('r2')), [`${id} now`]);
  t.same(world.counts(), [1, 1]);
  world.fault('r2', FORWARD, id);
  world.network.clock.drain();
  t.equal(world.live(id)?.state, 'active');
  t.same(unroutesOf(world.router('r2')), [`${id} now`, `${id} now`]);
});

t.test('a link is lost: another path, then the old routers forget it', async (t) => {
  const { world, id } = await row();
  world.paths.remove('l2');
  world.network.clock.drain();
  const [first] = routesOf(world.router('r1'));
  t.match(first, { circuitId: id, attempt: rerouteAttempt, egress: null });
  t.equal(routesOf(world.router('r2')).length, 0);
  world.answerRoutes(['r1']);
  t.match(world.live(id), { state: 'rerouting', links: ['l1', 'l2'] });
  world.answerRoutes(['r3']);
  t.match(world.live(id), { state: 'active', links: ['dear'] });
  t.match(world.kept(id), { links: ['dear'], routers: [world.id('r1'), world.id('r3')] });
  t.same(unroutesOf(world.router('r2')), [`${id} now`]);
  t.same(unroutesOf(world.router('r1')), []);
  world.paths.remove('dear');
  world.network.clock.drain();
  t.same(world.counts(), [0, 0], 'no path is left');
  for (const name of ['r1', 'r3']) t.same(unroutesOf(world.router(name)), [`${id} now`]);
});

t.test('the new path breaks, too', async (t) => {
  const { world, id } = await row();
  world.paths.add('expensive', world.id('r1'), world.id('r3'), 200);
  world.paths.remove('l1');
  world.network.clock.drain();
  world.paths.remove('dear');
  t.equal(routesOf(world.router('r1')).length, 2);
  world.answerRoutes(['r1', 'r3']);
  t.match(world.live(id), { state: 'rerouting' }, 'they have answered the first of two routes');
  world.answerRoutes(['r1', 'r3']);
  t.match(world.live(id), { state: 'active', links: ['expensive'] });
});

t.test('routers that refuse a new path, or do not answer', async (t) => {
  const refusing = await row();
  refusing.world.paths.remove('l1');
  refusing.world.network.clock.drain();
  for (const _ of [1, 2]) refusing.world.answerRoutes(['r3'], () => ({ error: 'no' }));
  t.same(refusing.world.counts(), [0, 0]);
  const silent = await row();
  silent.world.paths.remove('l1');
  await silent.world.network.advance(10_000);
  t.equal(silent.world.live(silent.id)?.state, 'rerouting');
  await silent.world.network.advance(10_000);
  t.same(silent.world.counts(), [0, 0]);
  for (const name of all) {
    t.same(unroutesOf(silent.world.router(name)), [`${silent.id} now`]);
  }
  silent.world.result(silent.world.router('r1'), {
    circuitId: silent.id,
    attempt: rerouteAttempt,
  });
  t.equal(unroutesOf(silent.world.router('r1')).length, 1, 'late results of reroutes say nothing');
});

t.test('a router goes: circuits through it are rerouted, those inside it are kept', async (t) => {
  const { world, id } = await row();
  await world.terminator('r2');
  const inside = world.circuit('r2');
  world.disconnect('r2');
  world.network.clock.drain();
  world.answerRoutes(['r1', 'r3']);
  t.match(world.live(id), { state: 'active', links: ['dear'] });
  t.match(world.live(inside), { state: 'active' });
  const back = world.connect('r2');
  t.same(unroutesOf(back), [`${id} now`]);
  world.disconnect('r3');
  world.network.clock.drain();
  t.match(world.live(id), { state: 'active' }, 'its data may flow on without the controller');
  await world.network.advance(59_000);
  t.match(world.live(id), { state: 'active' });
  await world.network.advance(1000);
  t.equal(world.live(id), undefined, 'its end has not come back');
  t.same(unroutesOf(world.connect('r3')), [`${id} now`]);
});

t.test('a router that is back reports its links, or not', async (t) => {
  for (const link of ['dear', 'new', undefined]) {
    const { world, id } = await row();
    world.paths.remove('l1');
    world.network.clock.drain();
    world.answerRoutes(['r1', 'r3']);
    world.disconnect('r3');
    await world.network.advance(25_000);
    world.connect('r3');
    await world.network.advance(4000);
    t.match(world.live(id), { state: 'active', links: ['dear'] });
    if (link !== undefined) world.paths.add(link, world.id('r1'), world.id('r3'));
    await world.network.advance(11_000);
    if (link === 'dear') t.match(world.live(id), { state: 'active', reroutes: 1 });
    else if (link === 'new') t.equal(world.live(id)?.state, 'rerouting');
    else t.equal(world.live(id), undefined);
  }
});

t.test('what a router was told before its connection broke is told again', async (t) => {
  const world = await CircuitWorld.boot(1);
  await world.terminator('r1');
  const id = world.circuit('r1');
  await world.network.must('DELETE', `M:/sessions/${world.id('session')}`);
  world.network.clock.drain();
  t.same(unroutesOf(world.router('r1')), [`${id} now`]);
  await world.network.advance(59_000);
  world.disconnect('r1');
  t.same(unroutesOf(world.connect('r1')), [`${id} now`]);
  await world.network.advance(61_000);
  world.disconnect('r1');
  t.same(unroutesOf(world.connect('r1')), []);
});

t.test('a much cheaper path is taken at the next look, once a minute', async (t) => {
  const { world, id } = await row();
  // 30 for the routers and 2 for the links, against 20 for the routers.
  world.paths.add('slightly', world.id('r1'), world.id('r3'), -2);
  await world.network.advance(60_000);
  t.match(world.live(id), { state: 'active', links: ['l1', 'l2'] });
  world.paths.add('slightly', world.id('r1'), world.id('r3'), -3);
  await world.network.advance(60_000);
  t.match(world.live(id), { state: 'rerouting' });
  world.answerRoutes(['r1', 'r3']);
  t.match(world.live(id), { state: 'active', links: ['slightly'] });
});

t.test('one look moves four circuits at most', async (t) => {
  const { world } = await row();
  for (let at = 0; at < 300; at++) world.circuit('r1', all);
  world.paths.add('cheap', world.id('r1'), world.id('r3'), -9);
  await world.network.advance(60_000);
  t.equal(world.circuits.figures.rerouting, 4);
});

t.test('only some reroutes run at the same time', async (t) => {
  const world = await CircuitWorld.boot(2, { bounds: { reroutesRunningMax: 2 } });
  await world.terminator('r2');
  world.paths.add('l', world.id('r1'), world.id('r2'));
  const ids = [1, 2, 3, 4, 5].map(() => world.circuit('r1', ['r1', 'r2']));
  world.paths.add('other', world.id('r1'), world.id('r2'));
  world.paths.remove('l');
  world.network.clock.drain();
  const running = () => ids.filter((id) => world.live(id)?.state === 'rerouting');
  t.equal(running().length, 2);
  t.equal(world.circuits.figures.rerouting, 5);
  for (let left = 5; left > 0; left--) {
    const [circuitId = ''] = running();
    for (const name of ['r1', 'r2']) {
      world.result(world.router(name), { circuitId, attempt: rerouteAttempt });
    }
  }
  t.same(
    ids.map((id) => world.live(id)?.links),
    ids.map(() => ['other']),
  );
});

t.test('after a restart circuits are known: faults, idle times, ends, rights', async (t) => {
  const { world, id, terminatorId } = await row();
  world.dial('r1');
  const building = routesOf(world.router('r1'))[0]?.circuitId ?? '';
  await world.kill();
  t.match(world.live(id), { state: 'active', links: ['l1', 'l2'] });
  t.equal(world.live(building), undefined);
  t.equal(world.open.get(terminatorId), 1);
  for (const name of all) world.connect(name);
  world.network.clock.drain();
  world.confirm('r1', { [id]: 60_000, [building]: 60_000 });
  t.same(unroutesOf(world.router('r1')), [`${building} now`]);
  world.fault('r3', EGRESS, id);
  for (const name of all) t.same(unroutesOf(world.router(name)).at(-1), id);
  await world.kill();
  t.same(world.counts(), [0, 0]);
});

t.test('a lowered bound does not prevent a start', async (t) => {
  const { world, id } = await row();
  const { config } = world.network;
  world.network.config = { ...config, limits: { ...config.limits, circuitsMax: 1 } };
  world.circuit('r1', all);
  await world.kill();
  t.same(world.counts(), [2, 2]);
  t.equal(world.live(id)?.state, 'active');
});

t.test('while the log takes no writes, none are created, and ends are written later', async (t) => {
  const { world, id, terminatorId } = await row();
  const { journal } = world.network.core;
  const { append } = journal;
  journal.append = () => {
    throw new Error('the log is stalled');
  };
  world.dial('r1');
  world.answerRoutes(all);
  t.same(world.refusal('r1'), [1, 1]);
  world.fault('r1', INGRESS, id);
  t.ok(unroutesOf(world.router('r3')).includes(id), 'the routers are told');
  t.equal(world.open.get(terminatorId), 0);
  t.ok(world.kept(id));
  world.confirm('r2', { [id]: 60_000 });
  t.ok(unroutesOf(world.router('r2')).includes(`${id} now`), 'for routers it has ended');
  await world.network.advance(400);
  t.ok(world.kept(id));
  journal.append = append;
  await world.network.advance(200);
  t.same(world.counts(), [0, 0]);
  t.equal(world.open.get(terminatorId), 0);
});

t.test('a path that a restart has broken is replaced at the next look', async (t) => {
  const { world, id } = await row();
  await world.kill();
  for (const name of all) world.connect(name);
  world.paths.add('new', world.id('r1'), world.id('r3'));
  await world.network.advance(60_000);
  world.answerRoutes(['r1', 'r3']);
  t.match(world.live(id), { state: 'active', links: ['new'] });
});

t.test('a circuit ends when a router of its path stays away after a restart', async (t) => {
  const { world, id } = await row();
  await world.kill();
  for (const name of ['r1', 'r3']) world.connect(name);
  await world.network.advance(110_000);
  t.match(world.live(id), { state: 'active', links: ['l1', 'l2'] }, 'its data may flow on');
  await world.network.advance(20_000);
  t.same(world.counts(), [0, 0]);
  t.same(unroutesOf(world.router('r3')), [`${id} now`]);
});

t.test('a stop makes nothing of routers that go', async (t) => {
  const { world, id } = await row();
  world.circuits.stop();
  for (const name of all) world.disconnect(name);
  world.network.clock.drain();
  t.match(world.kept(id), { links: ['l1', 'l2'] });
});

t.test('the route path of a session', async (t) => {
  const { world, id } = await row();
  const path = async () =>
    (
      await world.network.must<{ routePath: string[] }>(
        'GET',
        `M:/sessions/${world.id('session')}/route-path`,
      )
    ).routePath;
  t.same(
    await path(),
    all.map((name) => world.id(name)),
  );
  world.fault('r1', INGRESS, id);
  world.dial('r1');
  t.same(await path(), [], 'a circuit that is being created has none yet');
});

t.test('the inspector counts circuits by their state', async (t) => {
  const { world, id } = await row();
  const { states } = world.network.env.inspection;
  t.equal(states.count('circuit', 'active'), 1);
  world.fault('r1', INGRESS, id);
  t.equal(states.count('circuit', 'active'), 0);
});
