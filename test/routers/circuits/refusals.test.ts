// Paths that a router refuses: the next attempt of the same circuit takes another one.

import t from 'tap';
import { fabric } from '../../../src/channel/messages/messages.ts';
import { linkKind, unmeasuredLatencyNs } from '../../../src/records/link.ts';
import { CircuitWorld, type RouteOutcome, routesOf } from './world.ts';

const unknownLink: RouteOutcome = { error: 'link not found', code: 8 };

/** Routers r1 and r3 with two ways between them: over r2, which is cheaper, and over r4. */
async function diamond() {
  const world = await CircuitWorld.boot(4);
  await world.terminator('r3');
  const link = (id: string, from: string, to: string, cost: number) =>
    world.paths.add(id, world.id(from), world.id(to), cost);
  link('l12', 'r1', 'r2', 1);
  link('l23', 'r2', 'r3', 1);
  link('again12', 'r1', 'r2', 2);
  link('l14', 'r1', 'r4', 9);
  link('l43', 'r4', 'r3', 9);
  return { world, link };
}

/** The routers that are told of the newest path. */
function lastPath(world: CircuitWorld, id: string): string[] | undefined {
  return world.live(id)?.links.slice();
}

t.test('an end does not know the link: the router behind it is left out', async (t) => {
  for (const refuser of ['r1', 'r3']) {
    const { world } = await diamond();
    world.dial('r1');
    const [route] = routesOf(world.router('r1'));
    if (route === undefined) throw new Error('no route');
    t.same(lastPath(world, route.circuitId), ['l12', 'l23']);
    world.result(world.router(refuser), route, unknownLink);
    t.same(lastPath(world, route.circuitId), ['l14', 'l43']);
    const link = refuser === 'r1' ? 'l12' : 'l23';
    const fault = `${world.id(refuser)} ${link} undefined false`;
    t.same(world.linkFaults, [fault], 'the link is left out for everybody');
    world.answerRoutes(['r1', 'r4', 'r3']);
    t.equal(world.live(route.circuitId)?.state, 'active');
  }
});

t.test('a router in the middle refuses, whatever it says', async (t) => {
  for (const outcome of [unknownLink, { error: 'no', code: 0 }]) {
    const { world } = await diamond();
    world.dial('r1');
    const [route] = routesOf(world.router('r1'));
    if (route === undefined) throw new Error('no route');
    world.result(world.router('r2'), route, outcome);
    t.same(lastPath(world, route.circuitId), ['l14', 'l43']);
    t.same(world.linkFaults, [], 'it names the link in a fault');
  }
});

t.test('without another path, what was refused is tried again', async (t) => {
  const { world } = await diamond();
  world.paths.remove('l14');
  world.dial('r1');
  const [route] = routesOf(world.router('r1'));
  if (route === undefined) throw new Error('no route');
  world.result(world.router('r1'), route, unknownLink);
  t.same(lastPath(world, route.circuitId), ['l12', 'l23']);
});

t.test('both ends of a link are those of the circuit: only the link is left out', async (t) => {
  const { world, link } = await diamond();
  link('l13', 'r1', 'r3', 1);
  link('again13', 'r1', 'r3', 2);
  world.dial('r1');
  const [route] = routesOf(world.router('r1'));
  if (route === undefined) throw new Error('no route');
  t.same(lastPath(world, route.circuitId), ['l13']);
  world.result(world.router('r3'), route, unknownLink);
  t.same(lastPath(world, route.circuitId), ['again13']);
});

t.test('a reroute, too', async (t) => {
  const { world, link } = await diamond();
  link('l13', 'r1', 'r3', 1);
  const id = world.circuit('r1', ['r1', 'r3']);
  world.paths.remove('l13');
  world.network.clock.drain();
  world.answerRoutes(['r1'], () => unknownLink);
  t.match(world.linkFaults, [/ l12 undefined false/]);
  world.result(world.router('r3'), {
    circuitId: id,
    attempt: routesOf(world.router('r3')).at(-1)?.attempt ?? 0,
  });
  world.answerRoutes(['r1', 'r4']);
  t.match(world.live(id), { state: 'rerouting' }, 'the first answer of r3 was to the first path');
  world.answerRoutes(['r3']);
  t.match(world.live(id), { state: 'active', links: ['l14', 'l43'] });
});

t.test('a refusal that comes as a fault first counts once', async (t) => {
  const { world, link } = await diamond();
  link('l13', 'r1', 'r3', 1);
  const id = world.circuit('r1', ['r1', 'r3']);
  world.paths.remove('l13');
  world.network.clock.drain();
  // The fault makes the link a refused one, which no path uses any more.
  const { store } = world.network.env;
  store.transact({ actor: 'test', requestId: '', operation: 'test' }, (tx) => {
    const times = { createdAt: 1, updatedAt: 1, tags: {} };
    const ends = { sourceRouter: world.id('r2'), destRouter: world.id('r1') };
    const described = { protocol: 'tls', dialAddress: '', iteration: 1, staticCost: 1 };
    const latencies = { sourceLatency: unmeasuredLatencyNs, destLatency: unmeasuredLatencyNs };
    tx.put(store.table(linkKind), {
      id: 'l12',
      ...times,
      ...ends,
      ...described,
      ...latencies,
      connections: [],
      state: 'refused',
      failedAt: tx.now,
      sharedId: undefined,
      isNamed: false,
      down: false,
      refusal: `${world.id('r1')} ${world.id('r2')}`,
    });
  });
  world.fault('r1', fabric.FaultSubject.LINK_FAULT, 'l12');
  world.paths.remove('l12');
  t.match(world.live(id), { state: 'rerouting' });
  const late = { circuitId: id, attempt: routesOf(world.router('r1')).at(-1)?.attempt ?? 0 };
  world.result(world.router('r1'), late, unknownLink);
  world.result(world.router('r3'), late);
  t.match(world.live(id), { state: 'rerouting' }, 'these answer the first path');
  world.answerRoutes(['r1', 'r4', 'r3']);
  t.match(world.live(id), { state: 'active', links: ['l14', 'l43'] });
});
