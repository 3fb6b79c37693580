// The sums of usage by the hour: what is answered, what is written, and what goes again.

import t from 'tap';
import { usageKind, usagePairKind } from '../../../src/records/usage.ts';
import { type Network, noTraffic } from '../../simulated/network.ts';
import { bootStandbyNetwork } from '../../simulated/standby-network.ts';
import { sumsOf, UsageWorld } from './world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A service, a client and a host. */
async function people(world: UsageWorld) {
  const { network } = world;
  const identity = (name: string) =>
    network.create('identities', { name, type: 'Default', isAdmin: false });
  const [serviceId, identityId, hostId] = [
    await network.create('services', { name: 'printer', encryptionRequired: true }),
    await identity('alice'),
    await identity('server'),
  ];
  return { serviceId, identityId, hostId };
}

/** How many records of both kinds there are. */
function counts({ env: { store } }: Network): readonly [number, number] {
  return [store.table(usageKind).size, store.table(usagePairKind).size];
}

t.test('client bytes count at the first router, host bytes at the last one', async (t) => {
  const world = await UsageWorld.boot();
  const ids = await people(world);
  world.open('c', { routers: ['a', 'b', 'z'], ...ids });
  const all = {
    'ingress.rx': 1,
    'ingress.tx': 10,
    'egress.rx': 100,
    'egress.tx': 1000,
    'fabric.rx': 5,
    'fabric.tx': 7,
  };
  for (const router of ['a', 'b', 'z', 'a']) world.report(router, { c: all });
  const [service] = await world.get(`services/${ids.serviceId}/usage`);
  t.same(sumsOf(service), [1, 10, 100, 1000]);
  t.equal(service?.hour, '2026-01-01T00:00:00.000Z');
  t.same(sumsOf((await world.get(`identities/${ids.identityId}/usage`))[0]), [1, 10, 0, 0]);
  t.same(sumsOf((await world.get(`identities/${ids.hostId}/usage`))[0]), [0, 0, 100, 1000]);
  const { bytes, refused } = world.usage.figures;
  t.same(bytes, { ...all, 'fabric.rx': 15, 'fabric.tx': 21 });
  t.equal(refused.repeated, 1);
  await world.network.stop();
});

t.test('by the other side: those with most bytes first', async (t) => {
  const world = await UsageWorld.boot();
  const { serviceId, identityId, hostId } = await people(world);
  world.open('c', { routers: ['a'], serviceId, identityId, hostId });
  world.open('d', { routers: ['a'], serviceId, identityId: 'gone', hostId: '' });
  world.report('a', { c: { 'ingress.rx': 5, 'egress.tx': 9 }, d: { 'ingress.rx': 1 } });
  const sides = async () =>
    (await world.get(`services/${serviceId}/usage?by=identity`)).map((row) => [
      row.identity?.name,
      ...(sumsOf(row) ?? []),
    ]);
  const expected = [
    ['server', 0, 0, 0, 9],
    ['alice', 5, 0, 0, 0],
    ['<deleted>', 1, 0, 0, 0],
  ];
  t.same(await sides(), expected);
  await world.network.advance(10 * minuteMs);
  t.same(counts(world.network), [4, 3], 'written');
  t.same(await sides(), expected);
  world.report('a', { c: { 'ingress.rx': 2 } });
  t.same((await sides())[1], ['alice', 7, 0, 0, 0], 'written and unwritten together');
  const [printer] = await world.get(`identities/${identityId}/usage?by=service`);
  t.match(printer, { service: { id: serviceId, name: 'printer', entity: 'services' } });
  t.same(sumsOf(printer), [7, 0, 0, 0]);
  const sorted = `services/${serviceId}/usage?by=identity&sort=clientSentBytes&limit=1&offset=1`;
  t.match(await world.get(sorted), [{ identity: { id: 'gone' } }]);
  const filter = encodeURIComponent(`id = "${identityId}"`);
  t.equal((await world.get(`services/${serviceId}/usage?by=identity&filter=${filter}`)).length, 1);
  await world.network.stop();
});

t.test('many sides are summed in slices, while usage is written', async (t) => {
  const world = await UsageWorld.boot({ bounds: { orderRowsAtOnceMax: 3 } });
  const { serviceId } = await people(world);
  for (let at = 0; at < 20; at++) {
    world.open(`c${at}`, { routers: ['a'], serviceId, identityId: `i${at}`, hostId: '' });
    world.report('a', { [`c${at}`]: { 'ingress.tx': at + 1 } });
  }
  const rows = await world.get(`services/${serviceId}/usage?by=identity&limit=3`);
  t.same(
    rows.map(({ clientReceivedBytes: bytes }) => bytes),
    [20, 19, 18],
  );
  await world.network.stop();
});

t.test('from and to choose hours', async (t) => {
  const world = await UsageWorld.boot();
  const { serviceId, identityId, hostId } = await people(world);
  world.open('c', { routers: ['a'], serviceId, identityId, hostId });
  for (let hour = 0; hour < 4; hour++) {
    world.report('a', { c: { 'ingress.rx': hour + 1 } });
    await world.network.advance(hourMs);
  }
  const hours = async (query = '') =>
    (await world.get(`services/${serviceId}/usage${query}`)).map((row) => row.clientSentBytes);
  t.same(await hours(), [1, 2, 3, 4]);
  t.same(await hours('?from=2026-01-01T01:30:00Z'), [2, 3, 4]);
  t.same(await hours('?to=2026-01-01T02:00:00Z'), [1, 2]);
  t.same(await hours('?from=2026-01-01T02:00:00%2B01:00&to=2026-01-01T01:01:00Z'), [2]);
  t.same(await hours('?sort=hour%20desc&limit=1'), [4]);
  const by = await world.get(`services/${serviceId}/usage?by=identity&from=2026-01-01T02:00:00Z`);
  t.same(sumsOf(by[0]), [7, 0, 0, 0]);
  const causes: readonly (readonly [string, string])[] = [
    ['from=yesterday', 'from'],
    ['to=2026-13-01T00:00:00Z', 'to'],
    ['from=2026-01-01T02:00:00Z&to=2026-01-01T02:00:00Z', 'to'],
    ['by=service', 'by'],
  ];
  for (const [query, field] of causes) {
    const answer = await world.network.call('GET', `M:/services/${serviceId}/usage?${query}`);
    t.match(answer, { status: 400, code: 'COULD_NOT_VALIDATE', cause: { field } }, query);
  }
  await world.network.stop();
});

t.test('a clean stop writes all, a killed process loses up to ten minutes', async (t) => {
  const world = await UsageWorld.boot();
  const { serviceId, identityId, hostId } = await people(world);
  const sent = async () => (await world.get(`services/${serviceId}/usage`))[0]?.clientSentBytes;
  const carry = (bytes: number) => {
    const id = `c${world.nowSeconds} ${bytes}`;
    world.open(id, { routers: ['a'], serviceId, identityId, hostId });
    world.report('a', { [id]: { 'ingress.rx': bytes } });
  };
  carry(1);
  await world.network.restart();
  world.started();
  t.equal(await sent(), 1);
  carry(10);
  await world.network.advance(10 * minuteMs);
  carry(100);
  t.equal(await sent(), 111);
  await world.network.kill();
  world.started();
  t.equal(await sent(), 11);
  t.same(counts(world.network), [2, 1]);
  carry(1000);
  await world.network.advance(10 * minuteMs);
  await world.network.crash();
  t.equal(await sent(), 1011);
  await world.network.stop();
});

t.test(
  'the next leader has what the former one has written, and what it steps down with',
  async (t) => {
    const world = new UsageWorld(await bootStandbyNetwork({ traffic: noTraffic }));
    const { serviceId, identityId, hostId } = await people(world);
    const sent = async () => (await world.get(`services/${serviceId}/usage`))[0]?.clientSentBytes;
    const carry = (bytes: number) => {
      const id = `c${bytes}`;
      world.open(id, { routers: ['a'], serviceId, identityId, hostId });
      world.report('a', { [id]: { 'ingress.rx': bytes } });
    };
    carry(1);
    await world.network.advance(10 * minuteMs);
    carry(10);
    await world.network.kill();
    world.started();
    t.equal(await sent(), 1);
    carry(100);
    await world.network.restart();
    t.equal(await sent(), 101);
    await world.network.stop();
  },
);

t.test('hours go when they are no longer kept', async (t) => {
  const world = await UsageWorld.boot({ config: { usage: { keepHours: 2 } } });
  const { serviceId, identityId, hostId } = await people(world);
  world.open('c', { routers: ['a'], serviceId, identityId, hostId });
  world.report('a', { c: { 'ingress.rx': 1, 'egress.rx': 1 } });
  await world.network.advance(10 * minuteMs);
  t.same(counts(world.network), [3, 2]);
  await world.network.advance(2 * hourMs + 40 * minuteMs);
  t.same(counts(world.network), [3, 2], 'the hour two hours ago is kept whole');
  await world.network.advance(20 * minuteMs);
  t.same(counts(world.network), [0, 0]);
  t.same(await world.get(`services/${serviceId}/usage`), []);
  await world.network.stop();
});

t.test('nothing is kept with keepHours 0', async (t) => {
  const world = await UsageWorld.boot({ config: { usage: { keepHours: 0 } } });
  const { serviceId, identityId, hostId } = await people(world);
  world.open('c', { routers: ['a'], serviceId, identityId, hostId });
  world.report('a', { c: { 'ingress.rx': 1 } });
  t.same(await world.get(`services/${serviceId}/usage`), []);
  t.same(await world.get(`services/${serviceId}/usage?by=identity`), []);
  t.equal(world.usage.figures.bytes['ingress.rx'], 1);
  await world.network.advance(10 * minuteMs);
  t.same(counts(world.network), [0, 0]);
  await world.network.stop();
});

t.test('at the bound, pairs go first, the oldest ones before others', async (t) => {
  const world = await UsageWorld.boot({ limits: { usageRowsMax: 100 } });
  const carry = (name: string, from: number, to: number) => {
    for (let at = from; at < to; at++) {
      const ends = { serviceId: `s${at}`, identityId: `i${at}`, hostId: '' };
      world.open(`${name}${at}`, { routers: ['a'], ...ends });
      world.report('a', { [`${name}${at}`]: { 'ingress.rx': 1 } });
    }
  };
  carry('first', 0, 30);
  await world.network.advance(hourMs);
  t.same(counts(world.network), [60, 30]);
  carry('second', 0, 10);
  t.equal(world.usage.figures.dropped.pairs, 7, 'there was no room for further pairs');
  await world.network.advance(10 * minuteMs);
  t.same(counts(world.network), [80, 20]);
  t.equal(world.usage.figures.dropped.pairs, 20);
  const hours = [...world.network.env.store.table(usagePairKind).rows()].map((row) =>
    row.record.hour.slice(-2),
  );
  t.equal(hours.filter((hour) => hour === '01').length, 3, 'the newest stay');
  carry('third', 10, 40);
  await world.network.advance(20 * minuteMs);
  t.same(counts(world.network), [100, 0]);
  t.equal(world.usage.figures.dropped.totals, 40);
  await world.network.stop();
});

t.test('usage that cannot be written waits for the next time', async (t) => {
  const world = await UsageWorld.boot({ bounds: { usageFlushRowsMax: 2 } });
  const { serviceId, identityId, hostId } = await people(world);
  world.open('c', { routers: ['a'], serviceId, identityId, hostId });
  world.report('a', { c: { 'ingress.rx': 1, 'egress.rx': 1 } });
  const { store } = world.network.env;
  let isBroken = true;
  store.table(usagePairKind).observe(() => {
    if (isBroken) throw new Error('the disk is away');
  });
  await world.network.advance(10 * minuteMs);
  t.same(counts(world.network), [2, 0], 'the frame of pairs was undone');
  t.match(world.network.logged.join(''), /usage could not be written/);
  isBroken = false;
  await world.network.advance(10 * minuteMs);
  t.same(counts(world.network), [3, 2]);
  t.same(sumsOf((await world.get(`services/${serviceId}/usage`))[0]), [1, 0, 1, 0]);
  await world.network.stop();
});

t.test('nothing is written before the upgrade of a cluster is final', async (t) => {
  const world = await UsageWorld.boot({ config: { usage: { keepHours: 1 } } });
  const { serviceId, identityId, hostId } = await people(world);
  const { store } = world.network.env;
  const tables = [store.table(usageKind), store.table(usagePairKind)];
  for (const table of tables) table.writtenVersion = 0;
  world.open('c', { routers: ['a'], serviceId, identityId, hostId });
  world.report('a', { c: { 'ingress.rx': 1 } });
  await world.network.advance(10 * minuteMs);
  t.same(counts(world.network), [0, 0]);
  t.equal((await world.get(`services/${serviceId}/usage`)).length, 1);
  await world.network.advance(2 * hourMs);
  for (const table of tables) table.writtenVersion = 1;
  await world.network.advance(10 * minuteMs);
  t.same(counts(world.network), [0, 0], 'it was forgotten when its time was over');
  world.report('a', { c: { 'ingress.rx': 1 } });
  await world.network.advance(10 * minuteMs);
  t.same(counts(world.network), [2, 1]);
  await world.network.stop();
});

t.test('routers that lie make no sum inexact', async (t) => {
  const world = await UsageWorld.boot();
  const { serviceId } = await people(world);
  for (let at = 0; at < 300; at++) {
    world.open(`c${at}`, { routers: ['a'], serviceId });
    world.report('a', { [`c${at}`]: { 'ingress.rx': 2 ** 45 } });
  }
  const [row] = await world.get(`services/${serviceId}/usage`);
  t.equal(row?.clientSentBytes, Number.MAX_SAFE_INTEGER);
  t.equal(world.usage.figures.bytes['ingress.rx'], Number.MAX_SAFE_INTEGER);
  await world.network.stop();
});
