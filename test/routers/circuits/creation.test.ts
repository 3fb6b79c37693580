// Circuits are created over one router or several, with two attempts and one deadline.

import t from 'tap';
import { contentTypes } from '../../../src/channel/content-types.ts';
import {
  bytesMapHeader,
  bytesMapValue,
  encodeHeaders,
  textValue,
} from '../../../src/channel/headers.ts';
import {
  decodeMessage,
  edge,
  encodeMessage,
  fabric,
} from '../../../src/channel/messages/messages.ts';
import { terminatorKind } from '../../../src/records/terminator.ts';
import { CircuitWorld, routesOf, unroutesOf } from './world.ts';

const { START, END, LINK } = fabric.DestType;

/** A forward as a text, e.g. `I > E end`. */
function forwardsOf(route: ReturnType<typeof routesOf>[number]): string[] {
  const names = { [START]: 'start', [END]: 'end', [LINK]: 'link' };
  return route.forwards
    .map(({ srcAddress, dstAddress, dstType }) => {
      return `${srcAddress} > ${dstAddress} ${names[dstType ?? START]}`;
    })
    .sort();
}

const peerData = (entries: Record<number, string>) =>
  bytesMapValue(new Map(Object.entries(entries).map(([k, v]) => [Number(k), Buffer.from(v)])));

t.test('over one router: told, confirmed, answered, kept', async (t) => {
  const world = await CircuitWorld.boot(1);
  const terminatorId = await world.terminator('r1');
  const request = world.dial('r1', [[10, peerData({ 1011: 'app', 1112: 'address' })]]);
  const router = world.router('r1');
  const [route] = routesOf(router);
  if (route === undefined) throw new Error('no route');
  t.match(route, {
    attempt: 0,
    timeout: 10_000_000_000,
    tags: { serviceId: world.id('service'), clientId: world.id('client'), hostId: '' },
    egress: { binding: 'edge', destination: 'at r1' },
  });
  const [ingressId, egressId] = [route.forwards[0]?.srcAddress, route.egress?.address];
  t.match(route.circuitId, /^[0-9A-Za-z]{22}$/);
  t.same(
    forwardsOf(route),
    [`${ingressId} > ${egressId} end`, `${egressId} > ${ingressId} start`].sort(),
  );
  t.same(Object.keys(route.egress?.peerData ?? {}), ['1011'], 'addresses are not passed on');
  t.equal(world.answer('r1'), undefined, 'nothing is answered before the router has confirmed');
  t.match(world.live(route.circuitId), { state: 'routing', routers: [router.id], links: [] });
  t.same(world.counts(), [1, 0]);

  const told: [number, Buffer][] = [
    [1003, Buffer.from('key')],
    [1110, Buffer.from('local')],
  ];
  world.result(router, route, { peerData: told });
  const answer = world.answer('r1');
  t.equal(answer?.to, request);
  t.equal(answer?.contentType, contentTypes.createCircuitV2Response);
  t.equal(answer?.headers.get(11)?.toString(), route.circuitId);
  t.equal(answer?.headers.get(12)?.toString(), ingressId);
  t.same([...bytesMapHeader(answer?.headers ?? new Map(), 10)], [[1003, Buffer.from('key')]]);
  t.match(answer?.headers.get(13)?.toString(), /serviceId.*clientId.*hostId/s);
  t.match(world.live(route.circuitId), { state: 'active', terminatorId });
  t.match(world.kept(route.circuitId), { routers: [router.id], sessionId: world.id('session') });
  t.equal(world.open.get(terminatorId), 1);
});

t.test('over three routers: each gets its part at once, and all must confirm', async (t) => {
  const world = await CircuitWorld.boot(3);
  await world.terminator('r3');
  world.paths.add('l1', world.id('r1'), world.id('r2'));
  world.paths.add('l2', world.id('r2'), world.id('r3'));
  world.dial('r1');
  const routes = ['r1', 'r2', 'r3'].map((name) => routesOf(world.router(name))[0]);
  const [first, middle, last] = routes;
  if (!first || !middle || !last) throw new Error('not all were told');
  const I = first.forwards[0]?.srcAddress;
  const E = last.egress?.address;
  t.same(forwardsOf(first), [`${I} > l1 link`, `l1 > ${I} start`].sort());
  t.same(forwardsOf(middle), ['l1 > l2 link', 'l2 > l1 link']);
  t.same(forwardsOf(last), [`${E} > l2 link`, `l2 > ${E} end`].sort());
  t.same([first.egress, middle.egress], [null, null]);
  world.answerRoutes(['r3', 'r1']);
  t.equal(world.answer('r1'), undefined);
  world.answerRoutes(['r2']);
  t.equal(world.answer('r1')?.contentType, contentTypes.createCircuitV2Response);
  t.match(world.kept(first.circuitId), { links: ['l1', 'l2'] });
});

t.test('a failure is tried again elsewhere; the routers of before are unrouted', async (t) => {
  const world = await CircuitWorld.boot(3);
  const first = await world.terminator('r2');
  const second = await world.terminator('r3', { address: 'other' });
  world.paths.add('l2', world.id('r1'), world.id('r2'));
  world.paths.add('l3', world.id('r1'), world.id('r3'), 5);
  world.dial('r1');
  const [tried] = routesOf(world.router('r2'));
  if (tried === undefined) throw new Error('r2 was not told');
  world.answerRoutes(['r1']);
  world.result(world.router('r2'), tried, { error: 'refused', code: 4 });
  t.equal(world.failures.get(first), 1);
  const again = routesOf(world.router('r3'))[0];
  t.match(again, { circuitId: tried.circuitId, attempt: 1, egress: { destination: 'other' } });
  const [one, two] = routesOf(world.router('r1'));
  t.not(one?.forwards[0]?.srcAddress, two?.forwards[0]?.srcAddress, 'addresses are new');
  t.match(world.live(tried.circuitId), { state: 'routing', attempt: 1, terminatorId: second });
  world.result(world.router('r1'), { circuitId: tried.circuitId, attempt: 0 });
  world.answerRoutes(['r3']);
  t.equal(world.answer('r1'), undefined, 'a late result does not count');
  world.answerRoutes(['r1']);
  t.equal(world.answer('r1')?.contentType, contentTypes.createCircuitV2Response);
  t.same(unroutesOf(world.router('r2')), [`${tried.circuitId} now`]);
  t.same(unroutesOf(world.router('r1')), []);
  t.equal(world.open.get(second), 1);
  t.equal(world.open.get(first), undefined);
});

t.test('after two attempts the circuit is given up', async (t) => {
  const world = await CircuitWorld.boot(1);
  await world.terminator('r1');
  world.dial('r1');
  for (const _ of [1, 2]) world.answerRoutes(['r1'], () => ({ error: 'no answer', code: 3 }));
  t.same(world.refusal('r1'), [1, 0]);
  t.match(world.answer('r1')?.text, /could not be created in 2 attempts: .*no answer/);
  const id = routesOf(world.router('r1'))[0]?.circuitId;
  t.equal(world.answer('r1')?.headers.get(1026)?.toString(), id);
  t.same(unroutesOf(world.router('r1')), [`${id} now`]);
  t.same(world.counts(), [0, 0]);
  t.equal(world.network.clock.nextTimerMs === 10_000, false);
});

t.test('one deadline holds for both attempts', async (t) => {
  const world = await CircuitWorld.boot(1);
  const terminatorId = await world.terminator('r1');
  world.dial('r1');
  await world.network.advance(6000);
  world.answerRoutes(['r1'], () => ({ error: 'no' }));
  t.equal(routesOf(world.router('r1'))[1]?.timeout, 4_000_000_000);
  await world.network.advance(4000);
  t.same(world.refusal('r1'), [1, 0]);
  t.match(world.answer('r1')?.text, /no answer within 10000 ms/);
  t.equal(world.failures.get(terminatorId), 2);
  const id = routesOf(world.router('r1'))[0]?.circuitId ?? '';
  world.result(world.router('r1'), { circuitId: id, attempt: 1 });
  t.same(unroutesOf(world.router('r1')), [`${id} now`, `${id} now`], 'it comes too late');
});

t.test('a terminator that its router does not know is removed', async (t) => {
  const world = await CircuitWorld.boot(1);
  const edgeOne = await world.terminator('r1');
  world.dial('r1');
  world.answerRoutes(['r1'], () => ({ error: 'invalid terminator', code: 1 }));
  const table = world.network.env.store.table(terminatorKind);
  t.equal(table.peek(edgeOne), undefined);
  t.match(world.answer('r1')?.text, /the service has no terminators/);
  const other = await world.terminator('r1', { binding: 'transport' });
  world.dial('r1');
  world.answerRoutes(['r1'], () => ({ error: 'invalid terminator', code: 1 }));
  t.match(table.peek(other)?.record, { precedence: 'failed', state: 'failed' });
});

t.test('only the router of the terminator raises its cost', async (t) => {
  const world = await CircuitWorld.boot(2);
  const terminatorId = await world.terminator('r2');
  world.paths.add('l', world.id('r1'), world.id('r2'));
  world.dial('r1');
  world.answerRoutes(['r1'], () => ({ error: 'link unknown', code: 1 }));
  t.equal(world.failures.get(terminatorId), undefined);
  t.ok(world.network.env.store.table(terminatorKind).peek(terminatorId));
});

t.test('why there is no route', async (t) => {
  const world = await CircuitWorld.boot(2);
  const reason = (more: [number, Buffer][] = []) => {
    world.dial('r1', more);
    t.same(world.refusal('r1'), [1, 0]);
    return world.answer('r1')?.text;
  };
  t.equal(reason(), 'the service has no terminators');
  await world.terminator('r2', { identity: 'printer' });
  t.equal(reason(), 'the service has no such terminator that may be used');
  t.equal(reason([[13, textValue('printer')]]), 'no path leads to a terminator of the service');
  world.disconnect('r2');
  t.equal(
    reason([[13, textValue('printer')]]),
    'no terminator of the service is on a connected router',
  );
  t.same(world.counts(), [0, 0]);
});

t.test('encryption: both ends must give a key', async (t) => {
  const world = await CircuitWorld.boot(1);
  const secret = { name: 'secret', encryptionRequired: true };
  world.ids.set('service', await world.network.create('services', secret));
  world.ids.set('session', await world.session());
  await world.terminator('r1');
  world.dial('r1');
  t.same(world.refusal('r1'), [11, 0]);
  t.equal(routesOf(world.router('r1')).length, 0);
  const key = peerData({ 1003: 'key of the client' });
  world.dial('r1', [[10, key]]);
  world.answerRoutes(['r1']);
  t.same(world.refusal('r1'), [11, 0]);
  t.equal(unroutesOf(world.router('r1')).length, 1);
  world.dial('r1', [[10, key]]);
  world.answerRoutes(['r1'], () => ({ peerData: [[1003, Buffer.from('key of the host')]] }));
  t.equal(world.refusal('r1'), undefined);
});

t.test('a strategy adds its token for the client', async (t) => {
  const world = await CircuitWorld.boot(1);
  await world.terminator('r1');
  world.stickinessToken = 'token';
  world.circuit('r1');
  const data = bytesMapHeader(world.answer('r1')?.headers ?? new Map(), 10);
  t.equal(data.get(1114)?.toString(), 'token');
  t.same(world.strategies, ['smartrouting']);
});

t.test('refusals of the check are passed on', async (t) => {
  const world = await CircuitWorld.boot(1);
  world.ids.set('session', 'unknown');
  world.dial('r1');
  t.same(world.refusal('r1'), [3, 2]);
  t.equal(world.answer('r1')?.text, 'the session is not valid');
});

t.test('the form of older routers', async (t) => {
  const world = await CircuitWorld.boot(1);
  await world.terminator('r1');
  const body = encodeMessage(edge.CreateCircuitRequest, {
    sessionToken: world.id('session'),
    apiSessionToken: world.id('token'),
    peerData: { 1011: Buffer.from('app') },
  });
  world.receive(world.router('r1'), { contentType: contentTypes.createCircuit, body });
  world.answerRoutes(['r1'], () => ({ peerData: [[1003, Buffer.from('key')]] }));
  const answer = world.answer('r1');
  t.equal(answer?.contentType, contentTypes.createCircuitResponse);
  const response = decodeMessage(edge.CreateCircuitResponse, answer?.body ?? Buffer.alloc(0));
  t.equal(response.circuitId, routesOf(world.router('r1'))[0]?.circuitId);
  t.equal(Buffer.from(response.peerData[1003] ?? []).toString(), 'key');
  t.equal(response.tags['clientId'], world.id('client'));
});

t.test('a tunneler router dials as itself, if a policy lets it', async (t) => {
  const world = await CircuitWorld.boot(1);
  await world.terminator('r1');
  const ask = (serviceName: string) => {
    const body = encodeMessage(edge.CreateTunnelCircuitV2Request, { serviceName });
    world.receive(world.router('r1'), { contentType: contentTypes.createTunnelCircuitV2, body });
  };
  ask('none');
  t.same(world.refusal('r1'), [6, 3]);
  ask('service');
  world.answerRoutes(['r1']);
  t.equal(world.answer('r1')?.contentType, contentTypes.createTunnelCircuitV2Response);
  const id = routesOf(world.router('r1'))[0]?.circuitId ?? '';
  t.match(world.live(id), { identityId: world.id('r1'), sessionId: undefined });
  await world.network.must('DELETE', `M:/service-policies/${world.id('dial policy')}`);
  world.network.clock.drain();
  t.same(unroutesOf(world.router('r1')), [`${id} now`]);
  ask('service');
  t.same(world.refusal('r1'), [6, 3]);
});

t.test('a router asks for a circuit of its own', async (t) => {
  const world = await CircuitWorld.boot(1);
  await world.terminator('r1', { identity: 'inst' });
  const ask = (service: string) => {
    const body = encodeMessage(fabric.CircuitRequest, { ingressId: 'mine', service });
    world.receive(world.router('r1'), { contentType: contentTypes.circuitRequest, body });
    return world.answer('r1');
  };
  t.match(ask('service'), { contentType: contentTypes.circuitFailed });
  t.match(ask('inst@nothing')?.text, /unknown, or not permitted/);
  ask(`inst@${world.id('service')}`);
  world.answerRoutes(['r1']);
  const answer = world.answer('r1');
  t.equal(answer?.contentType, contentTypes.circuitSuccess);
  t.equal(answer?.text, routesOf(world.router('r1'))[0]?.circuitId);
  t.equal(answer?.headers.get(1100)?.toString(), 'mine');
});

t.test('malformed requests close the channel', async (t) => {
  const world = await CircuitWorld.boot(1);
  const v2 = (headers: [number, Buffer][]) => () =>
    world.receive(world.router('r1'), {
      contentType: contentTypes.createCircuitV2,
      headers: encodeHeaders(headers),
    });
  t.throws(v2([[10, Buffer.from([1, 0, 0, 0])]]), /cut off/);
  t.throws(v2([[11, Buffer.alloc(9000)]]), /too long/);
  const withoutAddress = encodeMessage(fabric.CircuitRequest, { service: 'service' });
  t.throws(
    () =>
      world.receive(world.router('r1'), {
        contentType: contentTypes.circuitRequest,
        body: withoutAddress,
      }),
    /address/,
  );
  t.throws(
    () => world.receive(world.router('r1'), { contentType: contentTypes.routeResult }),
    /without the id/,
  );
});

t.test('bounds: the router is told to try later', async (t) => {
  const world = await CircuitWorld.boot(1, {
    limits: { circuitsPerSessionMax: 1 },
    bounds: { circuitBuildsPerRouterMax: 2 },
  });
  await world.terminator('r1');
  world.circuit('r1');
  world.dial('r1');
  t.same(world.refusal('r1'), [1, 1]);
  t.match(world.answer('r1')?.text, /the session has too many/);
  const cases = [
    ['circuitsMax', /there are too many/],
    ['circuitsPerRouterMax', /the router has too many/],
    ['circuitsPerIdentityMax', /the identity has too many/],
  ] as const;
  for (const [limit, text] of cases) {
    const small = await CircuitWorld.boot(1, { limits: { [limit]: 1 } });
    await small.terminator('r1');
    small.circuit('r1');
    small.dial('r1');
    t.same(small.refusal('r1'), [1, 1], limit);
    t.match(small.answer('r1')?.text, text);
  }
  const many = await CircuitWorld.boot(1, { bounds: { circuitBuildsPerRouterMax: 2 } });
  await many.terminator('r1');
  for (const _ of [1, 2, 3]) many.dial('r1');
  t.same(many.refusal('r1'), [1, 1]);
  t.match(many.answer('r1')?.text, /creates too many/);
});

t.test('the router of the client goes while its circuit is created', async (t) => {
  const world = await CircuitWorld.boot(2);
  await world.terminator('r2');
  world.paths.add('l', world.id('r1'), world.id('r2'));
  world.dial('r1');
  const id = routesOf(world.router('r2'))[0]?.circuitId ?? '';
  world.disconnect('r1');
  t.same(unroutesOf(world.router('r2')), [`${id} now`]);
  t.same(world.counts(), [0, 0]);
  t.same(unroutesOf(world.connect('r1')), [`${id} now`]);
});

t.test('a router of the path goes while its circuit is created', async (t) => {
  const world = await CircuitWorld.boot(3);
  await world.terminator('r3');
  world.paths.add('l1', world.id('r1'), world.id('r2'));
  world.paths.add('l2', world.id('r2'), world.id('r3'));
  world.paths.add('dear', world.id('r1'), world.id('r3'), 99);
  world.dial('r1');
  world.disconnect('r2');
  t.match(routesOf(world.router('r1')), [{ attempt: 0 }, { attempt: 1 }]);
  world.answerRoutes(['r1', 'r3']);
  t.equal(world.answer('r1')?.contentType, contentTypes.createCircuitV2Response);
});
