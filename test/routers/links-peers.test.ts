// What routers are told of each other, so that they can have links.

import t from 'tap';
import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import * as fc from '../properties.ts';
import type { RecordedRouter } from '../simulated/routers.ts';
import {
  bootLinks,
  type LinksWorld,
  listenerAt,
  notifiedPeers,
  toldInOrder,
} from './links-world.ts';

const tick = (world: LinksWorld, ms = 100) => world.network.advance(ms);

function listen(world: LinksWorld, router: RecordedRouter, addresses: readonly string[]): void {
  const listeners = addresses.map(listenerAt);
  world.send(router, contentTypes.linkListeners, encodeMessage(fabric.Listeners, { listeners }));
}

t.test('nothing is sent while nobody accepts links', async (t) => {
  const world = await bootLinks();
  const ids = await world.routers('a', 'b');
  const routers = ids.map((id) => world.connect(id));
  const { timers } = world.network.clock;
  await tick(world);
  t.same(routers.flatMap(notifiedPeers), []);
  t.equal(world.network.clock.timers, timers, 'and no timer is armed');
  await world.network.stop();
});

t.test('each pair that can have a link, after 100 ms, then only what changes', async (t) => {
  const world = await bootLinks();
  const [a = '', b = '', c = ''] = await world.routers('a', 'b', 'c');
  const hub = world.connect(a, 'tls:a:6000');
  const leaf = world.connect(b);
  await tick(world, 99);
  t.equal(leaf.channel.sent.length + hub.channel.sent.length, 0);
  await tick(world, 1);
  t.same(notifiedPeers(leaf), [`${a} healthy tls:a:6000`]);
  t.same(notifiedPeers(hub), [`${b} healthy`]);
  const other = world.connect(c);
  await tick(world);
  t.same(notifiedPeers(other), [`${a} healthy tls:a:6000`], 'leaves are not told of leaves');
  t.same(notifiedPeers(hub), [`${c} healthy`]);
  t.same(notifiedPeers(leaf), []);
  world.disconnect(other);
  await tick(world);
  t.same(notifiedPeers(hub), [`${c} unhealthy`]);
  world.disconnect(hub);
  await tick(world);
  t.same(notifiedPeers(leaf), [`${a} unhealthy`]);
  const again = world.connect(a, 'tls:a:6001');
  await tick(world);
  t.same(notifiedPeers(leaf), [`${a} healthy tls:a:6001`]);
  t.same(notifiedPeers(again), [`${b} healthy`, `${c} unhealthy`].sort());
  await world.network.must('DELETE', `M:/edge-routers/${c}`);
  await tick(world);
  t.same(notifiedPeers(again), [`${c} removed`]);
  t.same(notifiedPeers(leaf), []);
  await world.network.stop();
});

t.test('listeners that change', async (t) => {
  const world = await bootLinks();
  const [a = '', b = '', c = ''] = await world.routers('a', 'b', 'c');
  const [one, two] = [world.connect(a), world.connect(b)];
  await tick(world);
  listen(world, one, ['tls:a:1', 'tls:a:2']);
  await tick(world);
  t.same(notifiedPeers(two), [`${a} healthy tls:a:1 tls:a:2`]);
  t.same(notifiedPeers(one), [`${b} healthy`], 'it may have links with all others now');
  t.equal(one.linkListeners.length, 2);
  listen(world, one, []);
  await tick(world);
  t.same(notifiedPeers(two), [`${a} healthy`], 'those who were told hear the end');
  const three = world.connect(c);
  await tick(world);
  t.same(notifiedPeers(one), [], 'leaves again');
  t.same(notifiedPeers(three), [`${a} healthy`]);
  await world.network.stop();
});

t.test('what a router says of itself is bounded', async (t) => {
  const world = await bootLinks();
  const [a = '', b = ''] = await world.routers('a', 'b');
  const [one, two] = [world.connect(a), world.connect(b)];
  const good = Array.from({ length: 9 }, (_, at) => `tls:a:${at}`);
  listen(world, one, ['', 'x'.repeat(301), ...good]);
  await tick(world);
  t.same(notifiedPeers(two), [`${a} healthy ${good.slice(0, 6).join(' ')}`], 'of the first eight');
  await world.network.stop();
});

t.test('a router that does not read is told later, and only what is so then', async (t) => {
  const world = await bootLinks();
  const [a = '', b = ''] = await world.routers('a', 'b');
  const [one, two] = [world.connect(a), world.connect(b)];
  two.channel.unsentBytes = 2 * 1024 * 1024;
  for (const address of ['tls:a:1', 'tls:a:2']) {
    listen(world, one, [address]);
    await tick(world);
  }
  t.same(notifiedPeers(two), []);
  two.channel.unsentBytes = 0;
  await tick(world);
  t.same(notifiedPeers(two), [`${a} healthy tls:a:2`]);
  await world.network.stop();
});

t.test('a large fleet: messages are split and paced, and all hear of all', async (t) => {
  const world = await bootLinks({ freeze: false });
  const ids = await world.routers(...Array.from({ length: 60 }, (_, at) => `r${at}`));
  const long = 'x'.repeat(250);
  const groups = Array.from({ length: 16 }, () => long);
  const addresses = Array.from({ length: 8 }, (_, at) => `tls:${at}${long}`);
  const listeners = addresses.map((address) => ({ ...listenerAt(address), groups }));
  const body = encodeMessage(fabric.Listeners, { listeners });
  const routers = ids.map((id) => world.connect(id));
  for (const router of routers) world.send(router, contentTypes.linkListeners, body);
  await tick(world);
  const sent = routers.flatMap(({ channel }) => channel.sent);
  const bytes = sent.reduce((sum, message) => sum + (message.body?.length ?? 0), 0);
  t.ok(bytes < 5 * 1024 * 1024, 'the first round is bounded');
  t.ok(sent.every((message) => (message.body?.length ?? 0) <= 256 * 1024));
  await tick(world, 10_000);
  for (const router of routers) t.equal(notifiedPeers(router).length, 59);
  await world.network.stop();
});

t.test('whatever comes and goes, every router knows in the end what it should', async () => {
  const world = await bootLinks({ freeze: false });
  const ids = await world.routers('a', 'b', 'c', 'd');
  const one = fc.constantFrom(...ids);
  const step = fc.oneof(
    fc.record({ what: fc.constantFrom('connect', 'drop', 'wait'), id: one, port: fc.nat(2) }),
    fc.record({ what: fc.constant('listen'), id: one, port: fc.nat(2) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const known = new Map<RecordedRouter, Map<string, string>>();
      const live = new Map<string, RecordedRouter>();
      const read = () => {
        for (const [router, told] of known) {
          for (const line of toldInOrder(router)) {
            const [id = '', ...rest] = line.split(' ');
            told.set(id, rest.join(' '));
          }
        }
      };
      for (const { what, id, port } of steps) {
        const router = live.get(id);
        if (what === 'connect' && router === undefined) {
          const fresh = world.connect(id, port === 0 ? undefined : `tls:${port}`);
          live.set(id, fresh);
          known.set(fresh, new Map());
        } else if (what === 'drop' && router !== undefined) {
          world.disconnect(router);
          live.delete(id);
        } else if (what === 'listen' && router !== undefined) {
          listen(world, router, port === 0 ? [] : [`tls:${port}`]);
        } else if (what === 'wait') await tick(world);
      }
      await tick(world, 200);
      read();
      const connected = [...live.values()];
      for (const router of connected) world.disconnect(router);
      for (const router of connected) check(router, known.get(router), live);
    }),
    { numRuns: 50 },
  );
  await world.network.stop();
});

/** A router must know all that it can have a link with, and no live one must be wrong. */
function check(
  router: RecordedRouter,
  told: ReadonlyMap<string, string> | undefined,
  live: ReadonlyMap<string, RecordedRouter>,
): void {
  for (const peer of live.values()) {
    const [address = ''] = peer.linkListeners.map((listener) => listener.address ?? '');
    const expected = `healthy ${address}`.trim();
    const shown = told?.get(peer.id);
    const canLink = router.linkListeners.length > 0 || peer.linkListeners.length > 0;
    const isWrong = shown === undefined ? canLink : shown !== expected;
    if (peer === router ? shown !== undefined : isWrong) {
      throw new Error(`${router.id} was told of ${peer.id}: ${shown}, not ${expected}`);
    }
  }
  for (const [id, state] of told ?? []) {
    if (!live.has(id) && state.startsWith('healthy')) throw new Error(`${id} is away`);
  }
}
