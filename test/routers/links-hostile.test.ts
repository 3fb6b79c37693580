// An enrolled router that reports links which do not exist: what the routers at their other ends
// say, and that true links lose nothing by it.

import t from 'tap';
import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import type { RecordedRouter } from '../simulated/routers.ts';
import { bootLinks, type LinksWorld } from './links-world.ts';

const ms = 1_000_000;

/** A hostile router, two honest ones that accept links, and one that accepts none. */
async function boot() {
  const world = await bootLinks();
  const [h = '', a = '', b = '', c = ''] = await world.routers('h', 'a', 'b', 'c');
  const hostile = world.listen(h);
  const [one, two, dialer] = [world.listen(a), world.listen(b), world.connect(c)];
  return { world, h, a, b, c, hostile, one, two, dialer };
}

const latency = (id: string, mean = ms) => ({ [`link.${id}.latency`]: { mean } });

/** The router says that it does not know the link, as routers of the field do. */
function refuse(world: LinksWorld, router: RecordedRouter, linkId: string): void {
  world.links.linkFault(router, { linkId, iteration: undefined, isDuplicate: false });
}

/** The router asks whether it may accept a link of the other one. */
function accept(world: LinksWorld, router: RecordedRouter, routerId: string): void {
  const cause = { actor: 'test', requestId: '', operation: 'test' };
  const event = { type: 'enroll', fingerprint: 'f', certPem: 'pem', now: 1 };
  world.network.env.store.transact(cause, (tx) => {
    world.network.env.send(tx, 'router', routerId, event);
  });
  const body = encodeMessage(fabric.VerifyRouter, { routerId, fingerprints: ['f'] });
  world.send(router, contentTypes.verifyRouter, body);
}

t.test('what one end alone has measured does not count', async (t) => {
  const { world, a, b, h, hostile, one, two } = await boot();
  world.report(hostile, [
    { id: 'ha', destRouterId: a, iteration: 1 },
    { id: 'hb', destRouterId: b, iteration: 1 },
  ]);
  world.measure(hostile, { ...latency('ha', 1), ...latency('hb', 1) });
  t.equal(world.network.env.paths.find(a, b)?.cost, 260_022);
  world.report(one, [{ id: 'ab', destRouterId: b, iteration: 1 }]);
  t.equal(world.find(a, b), 'ab', 'a true link is as good before it is measured');
  world.links.linkFault(one, { linkId: 'ab', iteration: 1, isDuplicate: false });
  world.report(one, [{ id: 'ah', destRouterId: h, iteration: 1 }]);
  world.measure(one, latency('ah', 30 * ms));
  world.measure(two, latency('hb', 30 * ms));
  await world.network.advance(1000);
  world.measure(hostile, { ...latency('ah', 1), ...latency('hb', 1) });
  await world.network.advance(1000);
  t.equal(
    world.network.env.paths.find(a, b)?.cost,
    82,
    'true links of a liar: its own half counts',
  );
  await world.network.stop();
});

t.test(
  'a link that its other router does not know is refused until that one names it',
  async (t) => {
    const { world, a, h, hostile, one } = await boot();
    const report = (iteration: number, isRefresh = false) =>
      world.report(hostile, [{ id: 'l', destRouterId: a, iteration }], isRefresh);
    const lost: string[] = [];
    world.network.env.paths.onLost((ids) => lost.push(...ids));
    report(3);
    t.equal(world.find(h, a), 'l');
    refuse(world, one, 'l');
    t.equal(world.states, 'l:refused');
    await world.network.advance(0);
    t.same(lost, ['l'], 'circuits look for other paths');
    report(4);
    report(5, true);
    world.measure(hostile, latency('l', 1));
    refuse(world, hostile, 'l');
    report(6);
    world.links.linkFault(hostile, { linkId: 'l', iteration: 6, isDuplicate: false });
    report(6, true);
    world.links.linkFault(hostile, { linkId: 'l', iteration: 6, isDuplicate: true });
    report(6, true);
    world.report(hostile, [], true);
    report(7, true);
    t.equal(world.states, 'l:refused', 'its dialing router may say what it likes');
    t.equal(world.find(h, a), undefined);
    world.measure(one, { 'link.l.latency': { count: 0 } });
    t.equal(world.states, 'l:connected', 'the router itself has named it');
    await world.network.stop();
  },
);

t.test('a router that has refused its own link takes that back by a report', async (t) => {
  const { world, a, hostile, one } = await boot();
  world.report(one, [{ id: 'l', destRouterId: hostile.id, iteration: 1 }]);
  refuse(world, one, 'l');
  t.equal(world.states, 'l:refused');
  world.report(one, [{ id: 'l', destRouterId: hostile.id, iteration: 1 }]);
  t.equal(world.find(a, hostile.id), 'l');
  refuse(world, one, 'l');
  world.measure(one, latency('l'));
  t.equal(world.states, 'l:connected', 'or by its metrics');
  await world.network.stop();
});

t.test('a link that is dialed again after a refusal works at once', async (t) => {
  const { world, a, h, hostile, one } = await boot();
  world.report(hostile, [{ id: 'l', destRouterId: a, iteration: 1 }]);
  // The router has restarted, and the dialing one has not noticed yet.
  refuse(world, one, 'l');
  accept(world, one, h);
  t.equal(world.states, 'l:failed', 'it has accepted a link, but not said which');
  world.report(hostile, [{ id: 'l', destRouterId: a, iteration: 1 }]);
  t.equal(world.states, 'l:failed');
  world.report(hostile, [{ id: 'l', destRouterId: a, iteration: 2 }]);
  t.equal(world.find(h, a), 'l');
  await world.network.stop();
});

t.test('a refused link goes after five minutes', async (t) => {
  const { world, a, hostile, one } = await boot();
  world.report(hostile, [{ id: 'l', destRouterId: a, iteration: 1 }]);
  refuse(world, one, 'l');
  await world.network.advance(299_000);
  t.equal(world.states, 'l:refused');
  await world.network.advance(1001);
  t.equal(world.states, '');
  await world.network.stop();
});

t.test('a link waits while the router that it leads to accepts none any more', async (t) => {
  const { world, a, hostile, one } = await boot();
  world.report(hostile, [{ id: 'l', destRouterId: a, iteration: 1 }]);
  t.equal(world.states, 'l:connected');
  const none = encodeMessage(fabric.Listeners, { listeners: [] });
  world.send(one, contentTypes.linkListeners, none);
  await world.network.advance(0);
  t.equal(world.states, 'l:pending');
  await world.network.stop();
});

t.test('a link to a router that accepts none counts once that one names it', async (t) => {
  const { world, a, c, h, hostile, one, dialer } = await boot();
  world.report(hostile, [{ id: 'hc', destRouterId: c, iteration: 1 }]);
  t.equal(world.states, 'hc:pending');
  world.measure(hostile, latency('hc', 1));
  t.equal(world.find(h, c), undefined);
  world.report(dialer, [{ id: 'hc', destRouterId: h, iteration: 1 }]);
  t.equal(world.find(h, c), 'hc', 'it has reported the link, too');
  world.report(one, [{ id: 'ac', destRouterId: c, iteration: 1 }]);
  t.equal(world.find(a, c), undefined);
  world.measure(dialer, latency('ac'));
  t.equal(world.find(a, c), 'ac', 'it has measured it');
  world.report(one, [{ id: 'other', destRouterId: c, iteration: 1 }]);
  t.match(world.states, /other:pending/);
  const listeners = [{ address: 'tls:c.example:6000', protocol: 'tls', groups: [] }];
  world.send(dialer, contentTypes.linkListeners, encodeMessage(fabric.Listeners, { listeners }));
  await world.network.advance(0);
  t.match(world.states, /other:connected/, 'it accepts links from now on');
  await world.network.stop();
});

t.test('an owner that returns finds its link as it was, whoever has reported its id', async (t) => {
  const { world, a, b, h, hostile, one, two } = await boot();
  const own = [{ id: 'l', destRouterId: b, iteration: 1 }];
  world.report(one, own);
  world.report(hostile, [{ id: 'l', destRouterId: b, iteration: 9 }]);
  t.match(world.link('l'), { sourceRouter: a, iteration: 1 });
  world.measure(one, latency('l'));
  world.measure(two, latency('l'));
  await world.network.advance(1000);
  t.equal(world.network.env.paths.find(a, b)?.cost, 130_011, 'it cannot be told which is meant');
  world.disconnect(one);
  await world.network.advance(0);
  world.report(hostile, [], true);
  world.report(hostile, [{ id: 'l', destRouterId: b, iteration: 9 }]);
  t.match(world.link('l'), { sourceRouter: h });
  world.listen(a);
  const returned = world.listen(a);
  world.report(returned, own, true);
  t.equal(world.find(a, b), `l ${a}`, 'two links of one id');
  t.match(world.link(`l ${a}`), { sourceRouter: a, destRouter: b, sharedId: 'l' });
  world.links.linkFault(returned, { linkId: 'l', iteration: 1, isDuplicate: false });
  t.match(world.link('l'), { state: 'connected' }, 'a fault is of the own link');
  world.report(returned, [{ id: 'l', destRouterId: b, iteration: 2 }]);
  world.report(returned, [], true);
  t.equal(world.states, 'l:connected');
  await world.network.stop();
});

t.test('a measured link stays measured, whoever reports its id', async (t) => {
  const { world, a, b, hostile, one, two } = await boot();
  world.report(one, [{ id: 'l', destRouterId: b, iteration: 1 }]);
  world.measure(one, latency('l'));
  world.measure(two, latency('l'));
  world.report(hostile, [{ id: 'l', destRouterId: b, iteration: 1 }]);
  await world.network.advance(1000);
  world.measure(two, latency('l', 5 * ms));
  t.equal(world.link('l')?.destLatency, 5 * ms);
  world.measure(hostile, latency('l', 1));
  await world.network.advance(1000);
  t.equal(world.network.env.paths.find(a, b)?.cost, 17);
  t.match(world.link(`l ${hostile.id}`), { isNamed: false });
  await world.network.stop();
});
