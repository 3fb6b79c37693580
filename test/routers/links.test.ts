// Links as routers report them: who may say what, and what becomes of links as routers come and go.

import t from 'tap';
import { MalformedMessage } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { bootLinks } from './links-world.ts';

const ms = 1_000_000;

t.test('reported, listed again, and gone with a list that lacks them', async (t) => {
  const world = await bootLinks();
  const [a = '', b = '', c = ''] = await world.routers('a', 'b', 'c');
  const [from, to] = [world.listen(a), world.listen(b)];
  const conns = [{ type: 'link.default', localAddr: 'tcp:1.2.3.4:5', remoteAddr: 'tcp:1.2.3.5:6' }];
  const first = {
    id: 'one',
    destRouterId: b,
    linkProtocol: 'tls',
    dialAddress: 'tls:b.example:6000',
    iteration: 1,
    connState: { stateIteration: 1, conns },
  };
  world.report(from, [first, { id: 'two', destRouterId: c, iteration: 1 }], true);
  t.equal(world.states, 'one:connected two:pending', 'the destination of the second is away');
  t.match(world.link('one'), {
    sourceRouter: a,
    destRouter: b,
    protocol: 'tls',
    dialAddress: 'tls:b.example:6000',
    iteration: 1,
    connections: [{ type: 'link.default', localAddress: 'tcp:1.2.3.4:5' }],
  });
  t.equal(world.find(a, b), 'one');
  t.equal(world.network.env.paths.find(b, a)?.cost, 130_011, 'not measured yet');
  world.report(from, [{ id: 'three', destRouterId: b, iteration: 1 }]);
  t.equal(world.states, 'one:connected three:connected two:pending', 'an increment takes nothing');
  world.report(from, [{ ...first, iteration: 0 }]);
  t.equal(world.link('one')?.iteration, 1, 'an older one is left out');
  world.report(from, [{ ...first, iteration: 2 }], true);
  t.equal(world.states, 'one:connected');
  world.send(from, contentTypes.routerLinks, Buffer.alloc(0));
  t.equal(world.states, 'one:connected', 'an empty body says nothing');
  world.report(from, [], true);
  t.equal(world.states, '');
  t.equal(world.find(a, b), undefined);
  t.equal(to.channel.sent.length, 0);
  await world.network.stop();
});

t.test('what routers may not say', async (t) => {
  const world = await bootLinks({ bounds: { linksPerRouterMax: 3, linkReportBytesMax: 1000 } });
  const [a = '', b = '', c = ''] = await world.routers('a', 'b', 'c');
  const [one, , other] = [world.listen(a), world.listen(b), world.listen(c)];
  world.report(one, [{ id: 'own', destRouterId: b, iteration: 1 }]);
  world.links.linkFault(other, { linkId: 'own', iteration: 9, isDuplicate: false });
  world.links.linkFault(other, { linkId: 'own', iteration: undefined, isDuplicate: false });
  world.links.linkFault(other, { linkId: 'none', iteration: 9, isDuplicate: false });
  t.equal(world.states, 'own:connected');
  world.report(other, [
    { id: 'self', destRouterId: c },
    { id: 'nowhere', destRouterId: 'nobody' },
  ]);
  t.equal(world.states, 'own:connected');
  t.equal(world.logged.length, 1);
  world.report(other, [{ id: 'self', destRouterId: c }]);
  t.equal(world.logged.length, 1, 'it is logged once per minute');
  world.report(
    one,
    ['2', '3', '4'].map((id) => ({ id, destRouterId: b })),
  );
  t.equal(world.states, '2:connected 3:connected own:connected', 'linksPerRouterMax');
  world.report(one, [{ id: '2', destRouterId: c, iteration: 1 }]);
  t.match(world.link('2'), { destRouter: c }, 'a link that leads elsewhere is another one');
  const malformed: readonly fabric.RouterLink.$Properties[] = [
    { destRouterId: b },
    { id: 'a b', destRouterId: b },
    { id: 'x'.repeat(101), destRouterId: b },
    { id: 'x', destRouterId: b, dialAddress: 'x'.repeat(301) },
    { id: 'x', destRouterId: b, connState: { conns: Array.from({ length: 17 }, () => ({})) } },
  ];
  for (const link of malformed) {
    t.throws(() => world.report(one, [link]), MalformedMessage, JSON.stringify(link).slice(0, 40));
  }
  const many = Array.from({ length: 100 }, (_, at) => ({ id: `${at}`, destRouterId: b }));
  t.throws(() => world.report(one, many), MalformedMessage, 'linkReportBytesMax');
  const bad = Buffer.from([0x0a, 0x7f]);
  for (const type of [contentTypes.routerLinks, contentTypes.verifyRouter]) {
    t.throws(() => world.send(one, type, bad), MalformedMessage);
  }
  t.equal(world.states, '2:connected 3:connected own:connected', 'nothing of these was written');
  await world.network.stop();
});

t.test(
  'a list of a thousand links is written in steps, and the last part says what it is',
  async (t) => {
    const world = await bootLinks();
    const [a = '', b = ''] = await world.routers('a', 'b');
    const [one] = [world.listen(a), world.listen(b)];
    world.report(one, [{ id: 'gone', destRouterId: b }]);
    let most = 0;
    world.network.env.store.follow(({ changes }) => {
      most = Math.max(most, changes.length);
    });
    const links = Array.from({ length: 1000 }, (_, at) => ({ id: `l${at}`, destRouterId: b }));
    world.report(one, links, true);
    t.equal(world.states.split(' ').length, 1000);
    t.equal(world.link('gone'), undefined);
    t.ok(most <= 16, `${most} links in one transaction`);
    await world.network.stop();
  },
);

t.test('linksMax: further links are refused, and no path uses them', async (t) => {
  const world = await bootLinks({ limits: { linksMax: 2 } });
  const [a = '', b = ''] = await world.routers('a', 'b');
  const [one] = [world.listen(a), world.listen(b)];
  world.report(
    one,
    ['1', '2', '3'].map((id) => ({ id, destRouterId: b })),
  );
  t.equal(world.states, '1:connected 2:connected');
  await world.network.stop();
});

t.test('a broken link is not used; a new dial brings it back; it goes after 30 s', async (t) => {
  const world = await bootLinks();
  const [a = '', b = ''] = await world.routers('a', 'b');
  const [one, two] = [world.listen(a), world.listen(b)];
  const lost: string[] = [];
  world.network.env.paths.onLost((ids) => lost.push(...ids));
  world.report(one, [{ id: 'l', destRouterId: b, iteration: 2 }]);
  world.links.linkFault(two, { linkId: 'l', iteration: 1, isDuplicate: false });
  t.equal(world.states, 'l:connected', 'an older one had broken');
  world.links.linkFault(two, { linkId: 'l', iteration: 2, isDuplicate: false });
  t.equal(world.states, 'l:failed');
  t.equal(world.find(a, b), undefined);
  await world.network.advance(1);
  t.same(lost, ['l']);
  world.report(one, [{ id: 'l', destRouterId: b, iteration: 2 }]);
  t.equal(world.states, 'l:failed', 'the report was overtaken');
  world.report(one, [{ id: 'l', destRouterId: b, iteration: 3 }]);
  t.equal(world.find(a, b), 'l');
  world.links.linkFault(one, { linkId: 'l', iteration: 3, isDuplicate: true });
  t.equal(world.states, 'l:duplicate');
  await world.network.advance(29_000);
  t.equal(world.states, 'l:duplicate');
  await world.network.advance(1001);
  t.equal(world.states, '');
  await world.network.stop();
});

t.test('links follow the connections of both routers', async (t) => {
  const world = await bootLinks();
  const [a = '', b = '', c = ''] = await world.routers('a', 'b', 'c');
  const [one, hub] = [world.listen(a), world.listen(b), world.listen(c)];
  const many = Array.from({ length: 120 }, (_, at) => ({ id: `l${at}`, destRouterId: b }));
  world.report(one, [...many, { id: 'other', destRouterId: c }]);
  world.disconnect(hub);
  t.equal(world.find(a, b), undefined, 'paths know at once');
  await world.network.advance(0);
  t.equal(world.link('l0')?.state, 'pending');
  t.equal(world.link('l119')?.state, 'pending', 'in slices');
  t.equal(world.link('other')?.state, 'connected');
  world.listen(b);
  await world.network.advance(0);
  t.equal(world.link('l119')?.state, 'connected');
  t.match(world.find(b, a), /^l/);
  world.disconnect(one);
  await world.network.advance(0);
  t.equal(world.states, '', 'the dialing router lists its links when it connects again');
  await world.network.stop();
});

t.test('a newer connection of the same router keeps its links', async (t) => {
  const world = await bootLinks();
  const [a = '', b = ''] = await world.routers('a', 'b');
  const [one] = [world.listen(a), world.listen(b)];
  world.report(one, [{ id: 'l', destRouterId: b }]);
  const newer = world.listen(a);
  world.links.disconnected?.(one);
  await world.network.advance(0);
  t.equal(world.states, 'l:connected');
  t.equal(world.find(b, a), 'l');
  world.report(newer, [], true);
  t.equal(world.states, '');
  await world.network.stop();
});

t.test('a deleted router takes its links along, also those that others dialed', async (t) => {
  const world = await bootLinks();
  const [a = '', b = '', c = ''] = await world.routers('a', 'b', 'c');
  const [one, two] = [world.listen(a), world.listen(b), world.listen(c)];
  world.report(one, [
    { id: 'ab', destRouterId: b },
    { id: 'ac', destRouterId: c },
  ]);
  world.report(two, [{ id: 'bc', destRouterId: c }]);
  t.equal(world.find(a, c), 'ac');
  await world.network.must('DELETE', `M:/edge-routers/${b}`);
  world.disconnect(two);
  await world.network.advance(0);
  t.equal(world.states, 'ac:connected');
  const instances = await world.network.must<{ name: string }[]>(
    ...(['GET', 'M:/inspect/machines/link/instances'] as const),
  );
  t.match(instances, [{ id: 'ac', name: 'a c', state: 'connected' }]);
  const of = (filter: string) =>
    world.network.call(
      'GET',
      `M:/inspect/machines/link/instances?filter=${encodeURIComponent(filter)}`,
    );
  t.equal((await of(`sourceRouter = "${a}"`)).pagination?.totalCount, 1);
  t.equal((await of(`destRouter = "${a}"`)).pagination?.totalCount, 0);
  const shown = await world.network.must('GET', 'M:/inspect/machines/link/instances/ac');
  t.match(shown, {
    kind: 'link',
    record: { sourceRouter: a },
    relations: [{ name: 'a' }, { name: 'c' }],
  });
  const { transitions } = await world.network.must<{ transitions: { event: string }[] }>(
    ...(['GET', 'M:/inspect/machines/link/instances/ac/transitions'] as const),
  );
  t.same(
    transitions.map(({ event }) => event),
    ['report'],
  );
  await world.network.stop();
});

t.test('connections of a link are shown; only the dialing router tells them', async (t) => {
  const world = await bootLinks();
  const [a = '', b = ''] = await world.routers('a', 'b');
  const [one, two] = [world.listen(a), world.listen(b)];
  world.report(one, [{ id: 'l', destRouterId: b, iteration: 1 }]);
  const update = (linkId: string, linkIteration: number) => {
    const conns = [{ type: 'link.ack', localAddr: 'x', remoteAddr: 'y' }];
    const connState = { stateIteration: 2, conns };
    return encodeMessage(fabric.LinkStateUpdate, { linkId, linkIteration, connState });
  };
  world.send(two, contentTypes.linkState, update('l', 1));
  world.send(one, contentTypes.linkState, update('l', 2));
  world.send(one, contentTypes.linkState, update('none', 1));
  t.same(world.link('l')?.connections, []);
  world.send(one, contentTypes.linkState, update('l', 1));
  const shown = [{ type: 'link.ack', localAddress: 'x', remoteAddress: 'y' }];
  t.same(world.link('l')?.connections, shown);
  await world.network.stop();
});

t.test('latencies: each end measures its own, and paths follow', async (t) => {
  const world = await bootLinks();
  const [a = '', b = '', c = ''] = await world.routers('a', 'b', 'c');
  const [one, two, three] = [world.listen(a), world.listen(b), world.listen(c)];
  world.measure(one, { 'link.l.latency': { mean: 5 * ms } });
  world.report(one, [{ id: 'l', destRouterId: b }]);
  const measured = async (router: typeof one, of: Parameters<typeof world.measure>[1]) => {
    world.measure(router, of);
    await world.network.advance(1000);
    return world.network.env.paths.find(a, b)?.cost;
  };
  const halfMeasured = await measured(two, { 'link.l.latency': { mean: 2.9 * ms } });
  t.equal(halfMeasured, 130_011, 'one end alone says nothing');
  t.equal(world.link('l')?.destLatency, 2.9 * ms);
  const both = { 'link.l.latency': { mean: 3 * ms }, 'link.l.queue_time': { mean: 4.2 * ms } };
  t.equal(await measured(one, both), 20);
  t.equal(world.link('l')?.sourceLatency, 7.2 * ms);
  const { updatedAt } = world.link('l') ?? {};
  t.equal(await measured(one, { 'link.l.latency': { mean: 7.9 * ms } }), 20);
  t.equal(world.link('l')?.updatedAt, updatedAt, 'a change below one ms is not written');
  t.equal(await measured(three, { 'link.l.latency': { mean: 1 } }), 20, 'not its link');
  const odd = [Number.NaN, -1, Number.POSITIVE_INFINITY];
  for (const mean of odd)
    t.equal(await measured(one, { 'link.l.latency': { mean } }), 20, `${mean}`);
  t.equal(await measured(one, { 'link.l.latency': { count: 0 } }), 20, 'nothing measured');
  t.equal(await measured(one, { 'link.l.queue_time': { mean: 9 * ms } }), 20);
  t.equal(await measured(one, { 'link.l.latency': { mean: 1e15 } }), 130_011, 'at most 65 s');
  world.measure(one, { 'link.l.latency': { mean: ms } });
  t.equal(await measured(one, { 'link.l.latency': { mean: 50 * ms } }), 14, 'one per second');
  await world.network.stop();
});

t.test('metrics of everything else are passed over, and malformed ones are refused', async (t) => {
  const world = await bootLinks();
  const [a = '', b = ''] = await world.routers('a', 'b');
  const [one, two] = [world.listen(a), world.listen(b)];
  const bad = Buffer.from([0x42, 0x7f, 0x01]);
  world.send(one, contentTypes.metrics, bad);
  t.pass('not read for links without links');
  const links = Array.from({ length: 200 }, (_, at) => ({ id: `l${at}`, destRouterId: b }));
  world.report(one, links);
  const named = links.map(({ id }) => [`link.${id}.latency`, { mean: 2 * ms }]);
  const others = links.map(({ id }) => [`other.${id}`, { mean: 9 * ms }]);
  world.measure(one, Object.fromEntries([...named, ...others]));
  await world.network.advance(0);
  t.equal(world.link('l0')?.sourceLatency, 2 * ms);
  t.equal(world.link('l199')?.sourceLatency, 2 * ms, 'in slices');
  // Fields of other types: a text, a number, 8 bytes.
  const before = Buffer.from([0x0a, 1, 0x61, 0x60, 5, 0x39, 0, 0, 0, 0, 0, 0, 0, 0]);
  const histogram = { count: 1, max: 1, mean: 4 * ms };
  const after = encodeMessage(fabric.MetricsMessage, {
    histograms: { 'link.l7.latency': histogram },
  });
  world.send(two, contentTypes.metrics, Buffer.concat([before, after]));
  await world.network.advance(1000);
  t.equal(world.link('l7')?.destLatency, 4 * ms);
  t.throws(() => world.send(one, contentTypes.metrics, bad), MalformedMessage);
  await world.network.stop();
});

t.test('millions of fields in metrics let other work have its turn', async (t) => {
  const world = await bootLinks();
  const [a = '', b = ''] = await world.routers('a', 'b');
  const [one] = [world.listen(a), world.listen(b)];
  world.report(one, [{ id: 'l', destRouterId: b }]);
  const many = Buffer.alloc(200_000, Buffer.from([0x60, 1]));
  const histogram = { count: 1, max: 1, mean: 3 * ms };
  const last = encodeMessage(fabric.MetricsMessage, {
    histograms: { 'link.l.latency': histogram },
  });
  let steps = 0;
  for (const _ of world.steps(one, contentTypes.metrics, Buffer.concat([many, last]))) steps++;
  t.ok(steps >= 48, `${steps} steps`);
  t.equal(world.link('l')?.sourceLatency, 3 * ms);
  await world.network.stop();
});

t.test('a router is verified by the certificate that it has enrolled with', async (t) => {
  const world = await bootLinks();
  const [a = '', b = ''] = await world.routers('a', 'b');
  const one = world.listen(a);
  const { store } = world.network.env;
  const ask = async (routerId: string, fingerprints: string[]) => {
    const body = encodeMessage(fabric.VerifyRouter, { routerId, fingerprints });
    world.send(one, contentTypes.verifyRouter, body);
    await world.network.advance(0);
    const { isSuccess, text } = one.channel.results.splice(0)[0] ?? {};
    return isSuccess ? 'yes' : text;
  };
  t.equal(await ask('nobody', ['f1']), 'there is no router with this id');
  t.equal(await ask(b, ['f1']), 'the router has not enrolled');
  const cause = { actor: 'test', requestId: '', operation: 'test' };
  const event = { type: 'enroll', fingerprint: 'f1', certPem: 'pem', now: 1 };
  store.transact(cause, (tx) => world.network.env.send(tx, 'router', b, event));
  t.equal(await ask(b, ['f0', 'F1']), 'yes');
  t.equal(await ask(b, ['f0']), 'the router has another certificate');
  t.equal(await ask(b, []), 'the router has another certificate');
  await world.network.must('PATCH', `M:/edge-routers/${b}`, { disabled: true });
  t.equal(await ask(b, ['f1']), 'the router is disabled');
  await world.network.stop();
});
