// The map as inspectors are sent it: all routers and links, then their changes, and the circuits of
// one service.

import t, { type Test } from 'tap';
import type { MapLink, MapRouter, StreamMessage } from '../../src/inspect/messages.ts';
import { circuitKind } from '../../src/records/circuit.ts';
import { routerKind } from '../../src/records/router.ts';
import { Fleet } from '../routers/fleet.ts';
import { LinksWorld } from '../routers/links-world.ts';
import { bootNetwork, type Network, type NetworkOptions, noTraffic } from '../simulated/network.ts';
import { type SimulatedSocket, upgrade } from '../simulated/socket.ts';

type MapMessage = Extract<StreamMessage, { type: 'map' }>;

async function scene(t: Test, options: NetworkOptions = {}) {
  const network = await bootNetwork({ traffic: noTraffic, ...options });
  t.teardown(() => network.stop());
  const attach = async () => {
    const { ticket } = await network.must<{ ticket: string }>('POST', 'M:/inspect/tickets');
    const { socket, body } = upgrade(network.core.sockets, `ticket=${ticket}`);
    if (socket === undefined) throw new Error(body);
    return socket;
  };
  const look = async (serviceId = '') => {
    const socket = await attach();
    socket.say({ type: 'map', isWanted: true, serviceId });
    return socket;
  };
  /** The messages of a type that come within this time. */
  const told = async <Type extends StreamMessage['type']>(
    socket: SimulatedSocket,
    type: Type,
    ms = 100,
  ) => {
    await network.advance(ms);
    return socket
      .take<StreamMessage>()
      .filter((one): one is Extract<StreamMessage, { type: Type }> => one.type === type);
  };
  return { network, attach, look, told };
}

const rowsOf = (messages: readonly MapMessage[]) => messages.flatMap(({ rows }) => rows);
const linksOf = (messages: readonly MapMessage[]) =>
  rowsOf(messages).filter((row): row is MapLink => row.kind === 'link');
const routersOf = (messages: readonly MapMessage[]) =>
  rowsOf(messages).filter((row): row is MapRouter => row.kind === 'router');

t.test('all routers and links at first, then only what changes', async (t) => {
  const { network, look, told } = await scene(t);
  const world = new LinksWorld(network);
  const [one = '', other = ''] = await world.routers('one', 'other');
  await network.must('PATCH', `M:/edge-routers/${one}`, { roleAttributes: ['west', 'north'] });
  const dialing = world.listen(one);
  world.listen(other);
  const dialed = { id: 'l1', destRouterId: other, linkProtocol: 'tls', iteration: 1 };
  world.report(dialing, [dialed]);
  const socket = await look();
  const first = await told(socket, 'map');
  t.match(first, [{ isFirst: true, gone: [], isWhole: true }]);
  t.same(
    rowsOf(first).map(({ kind, id }) => `${kind} ${id}`),
    [`router ${one}`, `router ${other}`, 'link l1'],
  );
  t.match(
    routersOf(first).find(({ id }) => id === one),
    {
      name: 'one',
      state: 'offline',
      isEnrolled: false,
      isDisabled: false,
      group: 'north',
      cost: 0,
      circuits: 0,
      version: '',
      sinceMs: 0,
    },
  );
  t.match(linksOf(first), [
    { from: one, to: other, state: 'connected', isDown: false, cost: 130_001, staticCost: 1 },
  ]);
  t.notOk('fromMs' in (linksOf(first)[0] ?? {}), 'not measured yet');
  t.same(await told(socket, 'map', 2000), [], 'nothing is new');

  world.measure(dialing, { 'link.l1.latency': { mean: 12_345_678 } });
  await network.must('PATCH', 'F:/links/l1', { down: true, staticCost: 5 });
  t.match(await told(socket, 'map'), [
    { isFirst: false, isWhole: true, rows: [{ id: 'l1', fromMs: 12.35, isDown: true }] },
  ]);
  await network.must('DELETE', `M:/edge-routers/${one}`);
  const [last] = await told(socket, 'map');
  t.same(last?.rows, []);
  t.same(last?.gone.map(({ kind, id }) => `${kind} ${id}`).sort(), ['link l1', `router ${one}`]);

  socket.say({ type: 'map', isWanted: false, serviceId: '' });
  await world.routers('third');
  t.same(await told(socket, 'map'), [], 'it looks at something else');
  socket.say({ type: 'map', isWanted: true, serviceId: '' });
  const again = await told(socket, 'map');
  t.match(again, [{ isFirst: true, isWhole: true }]);
  t.equal(rowsOf(again).length, 2);
});

t.test('a router that connects, and why it is away', async (t) => {
  const { network, look, told } = await scene(t);
  const { id } = await new Fleet(network).router('edge');
  const socket = await look();
  t.match(rowsOf(await told(socket, 'map')), [{ state: 'offline', isEnrolled: true, sinceMs: 0 }]);
  network.presence.connect(id, 'edge.example');
  const sinceMs = network.clock.now();
  t.match(rowsOf(await told(socket, 'map')), [
    { id, state: 'online', version: 'v2', address: '127.0.0.1', closeReason: '', sinceMs },
  ]);
  network.presence.disconnect(id);
  t.match(rowsOf(await told(socket, 'map')), [
    { state: 'offline', closeReason: 'a test wants it', sinceMs: network.clock.now() - 100 },
  ]);
});

t.test('how many circuits lead over them, once per second', async (t) => {
  const { network, look, told } = await scene(t);
  const world = new LinksWorld(network);
  const [one = '', other = ''] = await world.routers('one', 'other');
  world.listen(other);
  world.report(world.listen(one), [{ id: 'l1', destRouterId: other, iteration: 1 }]);
  const client = await network.create('identities', { name: 'desk', type: 'User', isAdmin: false });
  const service = await network.create('services', { name: 'printer', encryptionRequired: false });
  const { store, send } = network.env;
  const cause = { actor: one, requestId: '', operation: 'test' };
  const route = { terminatorId: 't', hostId: '', ingressId: 'i', egressId: 'e' };
  const right = { sessionId: undefined, apiSessionId: undefined, identityId: client };
  const circuit = (id: string, serviceId: string) => {
    const fields = { ...route, ...right, serviceId, routers: [one, other], links: ['l1'] };
    store.transact(cause, (tx) =>
      send(tx, circuitKind.kind, id, { type: 'create', now: tx.now, fields }),
    );
  };
  const socket = await look(service);
  t.same(await told(socket, 'circuits'), [
    { type: 'circuits', serviceId: service, circuits: [], total: 0 },
  ]);
  for (let n = 0; n < 10; n += 1) circuit(`c${n}`, n < 3 ? service : 'another');
  const messages = await told(socket, 'map', 2000);
  t.same(
    rowsOf(messages).map(({ kind, circuits }) => `${kind} ${circuits}`),
    ['router 10', 'router 10', 'link 10'],
    'each of them once',
  );
  circuit('c10', service);
  const [told10] = await told(socket, 'circuits', 2000);
  t.match(told10, { serviceId: service, total: 4 });
  t.match(told10?.circuits[0], {
    id: 'c0',
    state: 'routing',
    clientId: client,
    clientName: 'desk',
    routers: [one, other],
    links: ['l1'],
  });
  circuit('c11', 'another');
  t.same(await told(socket, 'circuits', 2000), [], 'those of another service are no news');
  socket.say({ type: 'map', isWanted: true, serviceId: 'another' });
  t.match(await told(socket, 'circuits'), [{ serviceId: 'another', total: 8 }]);
  socket.say({ type: 'map', isWanted: true, serviceId: '' });
  circuit('c12', 'another');
  t.same(await told(socket, 'circuits', 2000), []);
});

t.test('a large map comes in pieces, and the bounds hold', async (t) => {
  const bounds = { mapReaderBytesMax: 4000, mapFlushBytesMax: 4000 };
  const { network, look, told } = await scene(t, { bounds });
  const template = await network.create('edge-routers', { name: 'first' });
  copyRouters(network, template, 1500);
  const socket = await look();
  const flush = await told(socket, 'map');
  t.ok(JSON.stringify(flush).length < 2 * 64 * 1024, 'a piece');
  t.notOk(flush.at(-1)?.isWhole);
  const all = [...flush, ...(await told(socket, 'map', 1000))];
  t.equal(new Set(rowsOf(all).map(({ id }) => id)).size, 1501);
  t.same(all.map(({ isFirst }) => isFirst).indexOf(true), 0);
  t.equal(all.filter(({ isFirst }) => isFirst).length, 1);
  t.equal(all.filter(({ isWhole }) => isWhole).length, 1);
  t.ok(all.at(-1)?.isWhole);
});

t.test('one that reads slowly is told the newest state, or all of it again', async (t) => {
  const { network, look, told } = await scene(t, { limits: { inspectorBufferBytesMax: 1024 } });
  const id = await network.create('edge-routers', { name: 'first' });
  const socket = await look();
  await told(socket, 'map');
  socket.reads = false;
  const rename = (name: string) => network.must('PATCH', `M:/edge-routers/${id}`, { name });
  for (let n = 0; n < 20; n += 1) {
    await rename(`name-${n}`);
    await network.advance(100);
  }
  await network.advance(2000);
  socket.reads = true;
  const late = await told(socket, 'map');
  t.equal(routersOf(late).at(-1)?.name, 'name-19');
  t.ok(routersOf(late).length < 20, 'not every name');

  socket.reads = false;
  await rename('name-20');
  for (let n = 0; n < 20; n += 1) {
    await rename(`name-${n}`);
    await network.advance(100);
  }
  const copies = copyRouters(network, id, 3000);
  await network.advance(1000);
  const { store } = network.env;
  const cause = { actor: 'test', requestId: '', operation: 'test' };
  for (const copy of copies) {
    store.transact(cause, (tx) => tx.delete(store.table(routerKind), copy));
  }
  await network.advance(1000);
  socket.reads = true;
  const last = await told(socket, 'map', 2000);
  t.ok(
    last.some(({ isFirst }) => isFirst),
    'removals were forgotten',
  );
  t.same(
    new Set(rowsOf(last.slice(last.findIndex(({ isFirst }) => isFirst))).map((row) => row.id)),
    new Set([id]),
  );
});

/** Further routers like one that is there. @returns their ids */
function copyRouters(network: Network, template: string, count: number): string[] {
  const { store } = network.env;
  const table = store.table(routerKind);
  const record = table.peek(template)?.record;
  if (record === undefined) throw new Error('there is no router to copy');
  const ids = Array.from({ length: count }, (_, n) => `copy-${n}`);
  store.transact({ actor: 'test', requestId: '', operation: 'test' }, (tx) => {
    for (const id of ids) tx.put(table, { ...record, id, name: id });
  });
  return ids;
}

t.test('nothing that is not durable', async (t) => {
  const { network, look, told } = await scene(t);
  const socket = await look();
  await told(socket, 'map');
  const template = await network.create('edge-routers', { name: 'first' });
  t.equal(rowsOf(await told(socket, 'map')).length, 1);
  const { journal } = network.core;
  const stalled = t.intercept(journal, 'durableLsn', { value: journal.durableLsn });
  copyRouters(network, template, 1);
  t.same(await told(socket, 'map'), []);
  stalled.restore();
  t.match(rowsOf(await told(socket, 'map')), [{ id: 'copy-0' }]);
});

t.test('what is no valid wish is refused', async (t) => {
  const { attach, told } = await scene(t);
  const socket = await attach();
  socket.say({ type: 'map' });
  socket.say({ type: 'map', isWanted: true });
  t.match(await told(socket, 'refused'), [
    { reason: 'isWanted must be true or false' },
    { reason: 'serviceId must be a text' },
  ]);
  t.same(await told(socket, 'map'), []);
});

t.test('after the last one has left nothing is kept', async (t) => {
  const { network, look, told } = await scene(t);
  const [socket, other] = [await look(), await look()];
  await told(socket, 'map');
  socket.leave();
  other.leave();
  const timers = network.clock.timers;
  await network.create('edge-routers', { name: 'first' });
  t.equal(network.clock.timers, timers);
  const next = await look();
  t.equal(rowsOf(await told(next, 'map')).length, 1);
});
