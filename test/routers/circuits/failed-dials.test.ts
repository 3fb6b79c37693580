// Dials that failed, as administrators find them (behaviour/fabric#failed-dials).

import t from 'tap';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { textValue } from '../../../src/channel/headers.ts';
import { edge, encodeMessage } from '../../../src/channel/messages/messages.ts';
import type { Explanation } from '../../../src/explain/schema.ts';
import type { ShownFailedDial } from '../../../src/resources/services/failed-dials.ts';
import type { FailedDial } from '../../../src/routers/failed-dials.ts';
import type { NetworkOptions } from '../../simulated/network.ts';
import { CircuitWorld, routesOf } from './world.ts';

function failuresOf(world: CircuitWorld): Promise<ShownFailedDial[]> {
  return world.network.must('GET', `M:/services/${world.id('service')}/failures`);
}

async function causesOf(world: CircuitWorld): Promise<string[]> {
  return (await failuresOf(world)).map(({ cause }) => cause);
}

function boot(routers = 2, options: NetworkOptions = {}): Promise<CircuitWorld> {
  return CircuitWorld.boot(routers, options);
}

/** Circuits that wait for the answers of r1 and r2. */
async function dialing() {
  const world = await boot();
  const terminator = await world.terminator('r2');
  world.paths.add('l1', world.id('r1'), world.id('r2'));
  world.dial('r1');
  const [route] = routesOf(world.router('r1'));
  if (route === undefined) throw new Error('no route');
  return { world, route, terminator };
}

t.test('what was wanted, when, where, and why it failed', async (t) => {
  const world = await boot();
  t.same(await failuresOf(world), []);
  world.dial('r1');
  t.same(await failuresOf(world), [
    {
      when: '2026-01-01T00:00:00.000Z',
      identity: { id: world.id('client'), name: 'client' },
      router: { id: world.id('r1'), name: 'r1' },
      instanceId: '',
      circuitId: null,
      terminatorId: null,
      cause: 'NO_TERMINATORS',
      inWords: 'the service has no terminators',
    },
  ]);
  await world.network.stop();
});

t.test('nothing leads to a host: the newest first', async (t) => {
  const world = await boot();
  world.dial('r1');
  await world.terminator('r2');
  world.dial('r1');
  world.disconnect('r2');
  world.dial('r1');
  t.same(await causesOf(world), ['NO_ONLINE_TERMINATORS', 'NO_PATH', 'NO_TERMINATORS']);
  await world.network.stop();
});

for (const [code, cause] of [
  [4, 'CONNECTION_REFUSED'],
  [3, 'DIAL_TIMED_OUT'],
  [9, 'NO_RESOURCES'],
  [0, 'ROUTER_REFUSED'],
  [200, 'ROUTER_REFUSED'],
] as const) {
  t.test(`a router refuses twice with code ${code}`, async (t) => {
    const { world, route, terminator } = await dialing();
    world.answerRoutes(['r2'], () => ({ error: 'first', code }));
    t.same(await failuresOf(world), [], 'there is one more attempt');
    world.answerRoutes(['r2'], () => ({ error: 'no luck', code }));
    t.match(await failuresOf(world), [
      {
        cause,
        circuitId: route.circuitId,
        terminatorId: terminator,
        inWords: `the circuit could not be created in 2 attempts: router ${world.id('r2')}: no luck`,
      },
    ]);
    await world.network.stop();
  });
}

t.test('silence, a router that leaves, and an end by request', async (t) => {
  const silent = await dialing();
  silent.world.network.clock.advance(10_000);
  t.same(await causesOf(silent.world), ['ROUTER_TIMED_OUT']);
  await silent.world.network.stop();

  const ended = await dialing();
  await ended.world.network.must('DELETE', `F:/circuits/${ended.route.circuitId}`);
  t.match(await failuresOf(ended.world), [
    { cause: 'CIRCUIT_ENDED', circuitId: ended.route.circuitId },
  ]);
  await ended.world.network.stop();

  const left = await dialing();
  left.world.disconnect('r2');
  t.same(await causesOf(left.world), ['NO_ONLINE_TERMINATORS'], 'there is no second choice');
  await left.world.network.stop();
});

t.test('the right is missing', async (t) => {
  const world = await boot();
  await world.network.must('DELETE', `M:/edge-router-policies/${world.id('edge router policy')}`);
  world.dial('r1');
  t.match(await failuresOf(world), [
    { cause: 'ROUTER_NOT_USABLE', identity: { name: 'client' }, circuitId: null },
  ]);
  world.ids.set('session', 'none');
  world.dial('r1');
  t.equal((await failuresOf(world)).length, 1, 'nobody knows which service it was for');
  await world.network.stop();
});

t.test('a tunneler dials in its own name', async (t) => {
  const world = await boot();
  const dial = (serviceName: string) => {
    const body = encodeMessage(edge.CreateTunnelCircuitV2Request, { serviceName });
    world.receive(world.router('r2'), { contentType: contentTypes.createTunnelCircuitV2, body });
  };
  dial('service');
  dial('none');
  t.match(await failuresOf(world), [
    { cause: 'TUNNELING_NOT_ENABLED', identity: { id: world.id('r2') }, router: { name: 'r2' } },
  ]);
  await world.network.stop();
});

t.test('bounds: per service, in all, and of a text', async (t) => {
  const bounds = { failedDialsPerServiceMax: 2, failedDialTextCharactersMax: 11 };
  const world = await boot(1, { bounds });
  for (let at = 0; at < 3; at++) {
    world.dial('r1');
    world.network.clock.advance(1000);
  }
  t.match(await failuresOf(world), [
    { when: '2026-01-01T00:00:02.000Z', inWords: 'the service' },
    { when: '2026-01-01T00:00:01.000Z' },
  ]);
  t.equal((await failuresOf(world)).length, 2);
  await world.network.stop();

  const full = await boot(1, { bounds: { failedDialsCharactersMax: 800 } });
  full.dial('r1');
  full.dial('r1', [[13, textValue('i'.repeat(300))]]);
  t.match(await failuresOf(full), [{ instanceId: 'i'.repeat(200) }]);
  t.equal((await failuresOf(full)).length, 1);
  await full.network.stop();
});

t.test('a text of a router shows no secrets', async (t) => {
  const { world } = await dialing();
  const error = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl is wrong';
  for (let attempt = 0; attempt < 2; attempt++) {
    world.answerRoutes(['r2'], () => ({ error, code: 5 }));
  }
  const [failure] = await failuresOf(world);
  t.match(failure?.inWords, /: \*{6} is wrong$/);
  await world.network.stop();
});

t.test('they go with the service, and with the process', async (t) => {
  const world = await boot();
  world.dial('r1');
  const { failedDials } = world.network.env;
  const id = world.id('service');
  t.equal(failedDials.of(id).length, 1);
  await world.network.must('DELETE', `M:/services/${id}`);
  t.equal(failedDials.of(id).length, 0);
  const answer = await world.network.call('GET', `M:/services/${id}/failures`);
  t.match(answer, { status: 404, code: 'NOT_FOUND' });
  await world.network.stop();
});

t.test('listeners are told of each, with the circuit as it was', async (t) => {
  const { world, route } = await dialing();
  const told: [FailedDial['cause'], readonly string[] | undefined][] = [];
  world.network.env.failedDials.onFailure(({ cause }, circuit) => {
    told.push([cause, circuit?.links]);
  });
  world.network.clock.advance(10_000);
  world.paths.remove('l1');
  world.dial('r1');
  t.same(told, [
    ['ROUTER_TIMED_OUT', ['l1']],
    ['NO_PATH', undefined],
  ]);
  t.equal(world.live(route.circuitId), undefined);
  await world.network.stop();
});

t.test('an explanation names the newest, one of the identity first', async (t) => {
  const world = await boot();
  const { network } = world;
  await network.createUser('other', 'other-password');
  const token = await network.login('other', 'other-password');
  const path = `M:/identities/${world.id('client')}/services/${world.id('service')}/explain`;
  const explain = () => network.must<Explanation>('GET', path);
  const told = async () =>
    (await explain()).summary.filter((sentence) => sentence.includes('failed'));
  t.same(await told(), []);
  world.ids.set('token', token);
  world.ids.set('session', await world.session());
  world.dial('r2');
  t.same(await told(), [
    "A dial of identity 'other' to service 'service' failed at 2026-01-01T00:00:00.000Z at " +
      "router 'r2': the service has no terminators (NO_TERMINATORS).",
  ]);
  world.ids.set('token', await network.login('client', 'client-password'));
  world.ids.set('session', await world.session());
  world.dial('r1');
  network.clock.advance(1000);
  world.ids.set('token', token);
  world.ids.set('session', await world.session());
  for (let at = 0; at < 2; at++) world.dial('r2');
  t.match(await told(), [
    /^A dial of identity 'client' .* at 2026-01-01T00:00:00.000Z .* 3 more dials to it failed/,
  ]);
  t.equal((await explain()).failures.length, 4);
  await network.stop();
});
