// What connected routers send goes to the parts that handle it, and many routers at once get their
// turns one after the other.

import t from 'tap';
import { MalformedMessage } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { createLog } from '../../src/observe/logs.ts';
import { type ControlPlane, createControlPlane } from '../../src/routers/control-plane.ts';
import type { RouterFeature } from '../../src/routers/router-feature.ts';
import type { SimulatedControlConnection } from '../simulated/control-connection.ts';
import { bootNetwork, type Network, type NetworkOptions, noTraffic } from '../simulated/network.ts';
import { Fleet } from './fleet.ts';

const probeType = 30_000;
const probe = { contentType: probeType, body: Buffer.from('probe') };

const recovered = { changes: [], base: 0 };

/** A control plane beside that of the network, with a part of the test's. */
function planeWith(network: Network, part: Partial<RouterFeature>): ControlPlane {
  const { core, clock, random } = network;
  const write = (line: string) => void network.logged.push(line);
  return createControlPlane({
    env: core.env,
    durable: core.durable,
    random,
    log: createLog({ level: 'info', clock, readable: false, write }).log,
    serving: core.serving,
    model: {
      capture: { take: () => undefined, isFollowed: () => false },
      timelineId: '',
      recovered,
    },
    removeRouter: () => undefined,
    traffic: () => ({ features: [{ handlers: new Map(), ...part }] }),
  });
}

async function boot(part: Partial<RouterFeature>, options: NetworkOptions = {}) {
  const network = await bootNetwork({ ...options, traffic: noTraffic });
  const fleet = new Fleet(network);
  const plane = planeWith(network, part);
  const accept = (connection: SimulatedControlConnection) => plane.accept(connection);
  return { network, fleet, plane, accept };
}

t.test('parts are told of a router in its order, also when its next connection wins', async (t) => {
  const told: string[] = [];
  const { network, fleet, accept } = await boot({
    handlers: new Map([[probeType, ({ version }) => void told.push(`probe ${version}`)]]),
    connected: ({ version }) => void told.push(`connected ${version}`),
    greeted: ({ version }, { hostname }) => void told.push(`greeted ${version} ${hostname}`),
    disconnected: ({ version }) => void told.push(`disconnected ${version}`),
  });
  const router = await fleet.router('edge');
  const first = fleet.dial(router, { version: 'v1', hostname: 'one' }, accept);
  first.twin.send(probe);
  await fleet.settle();
  t.same(told, ['connected v1', 'probe v1', 'greeted v1 one']);
  const second = fleet.dial(router, { version: 'v2', hostname: 'two' }, accept);
  await fleet.settle();
  t.same(told.slice(3), ['disconnected v1', 'connected v2', 'greeted v2 two']);
  second.twin.close();
  await fleet.settle();
  t.same(told.slice(6), ['disconnected v2']);
  await network.stop();
});

t.test('two parts may not handle one content type', async (t) => {
  const network = await bootNetwork();
  const handlers = new Map([[contentTypes.alerts, () => undefined]]);
  t.throws(() => planeWith(network, { handlers }), /two parts handle messages of type 1054/);
  await network.stop();
});

t.test('a malformed message closes the channel; an error of ours does not', async (t) => {
  const failing = probeType + 1;
  const { network, fleet, plane, accept } = await boot({
    handlers: new Map([
      [
        probeType,
        () => {
          throw new MalformedMessage('it has no head');
        },
      ],
      [
        failing,
        () => {
          throw new Error('a bug');
        },
      ],
    ]),
  });
  const router = await fleet.router('edge');
  const { twin } = fleet.dial(router, {}, accept);
  await fleet.settle();
  twin.send({ contentType: failing });
  twin.send({ contentType: probeType + 2 });
  await fleet.settle();
  t.notOk(twin.isClosed);
  t.equal(plane.figures.failedMessages, 1);
  t.equal(plane.counts.framesUnknown, 1);
  t.ok(network.logged.some((line) => line.includes(router.id) && line.includes('a bug')));
  twin.send(probe);
  await fleet.settle();
  t.ok(twin.isClosed);
  t.ok(network.logged.some((line) => line.includes('it has no head')));
  const again = fleet.dial(router, {}, accept);
  again.twin.send(probe);
  await fleet.settle();
  t.ok(again.twin.isClosed, 'also when it was sent before the router had its turn');
  await network.stop();
});

t.test('a part that fails does not keep the others from a router', async (t) => {
  const told: string[] = [];
  const fail = () => {
    throw new MalformedMessage('what it has kept');
  };
  const { network, fleet, plane, accept } = await boot({
    handlers: new Map([[probeType, ({ id }) => void told.push(id)]]),
    connected: fail,
    greeted: fail,
    disconnected: fail,
  });
  const [first, second] = [await fleet.router('edge-1'), await fleet.router('edge-2')];
  for (const router of [first, second]) {
    const { twin } = fleet.dial(router, {}, accept);
    await fleet.settle();
    twin.send(probe);
    await fleet.settle();
    twin.close();
    await fleet.settle();
  }
  t.same(told, [first.id, second.id]);
  t.equal(plane.figures.failedMessages, 6);
  await network.stop();
});

t.test('what a router sends before its turn is kept up to a bound', async (t) => {
  const got: string[] = [];
  const handlers = new Map([
    [probeType, (_: unknown, { body }: { body: Buffer }) => void got.push(body.toString())],
  ]);
  const { network, fleet, accept } = await boot({ handlers });
  const router = await fleet.router('edge');
  const { twin } = fleet.dial(router, {}, accept);
  for (let n = 0; n < 5; n++) twin.send({ ...probe, body: Buffer.from(`${n}`) });
  await fleet.settle();
  t.same(got, ['0', '1', '2', '3', '4']);
  const flood = fleet.dial(router, {}, accept);
  for (let n = 0; n < 5; n++) flood.twin.send({ ...probe, body: Buffer.alloc(100_000) });
  await fleet.settle();
  t.ok(flood.twin.isClosed);
  await network.stop();
});

t.test(
  'a thousand routers at once get their turns while what waits to leave is bounded',
  async (t) => {
    const bytes = Buffer.alloc(10_000);
    let most = 0;
    const connections: SimulatedControlConnection[] = [];
    const order: string[] = [];
    const { network, fleet, plane, accept } = await boot(
      {
        greeted({ channel, id }) {
          order.push(id);
          channel.send({ contentType: contentTypes.apiSessionAdded, body: bytes });
          const unsent = connections.reduce((sum, { unsentBytes }) => sum + unsentBytes, 0);
          most = Math.max(most, unsent);
        },
      },
      { bounds: { pacedBytesMax: 100_000 }, freeze: false },
    );
    const routers = await fleet.copies(await fleet.router('edge'), 1000);
    await fleet.settle();
    const twins = routers.map((router) => {
      const { twin, connection } = fleet.dial(router, { keeps: false }, accept);
      connections.push(connection);
      return twin;
    });
    network.clock.turn();
    network.clock.turn();
    for (let turns = 0; turns < 5; turns++) network.clock.turn();
    t.ok(
      twins.every(({ isAccepted }) => isAccepted),
      'every hello is answered before the work',
    );
    for (let ms = 0; ms < 5000 && order.length < 1000; ms += 10) await network.advance(10);
    t.equal(order.length, 1000);
    t.ok(most < 200_000, `${most} bytes waited at most`);
    t.equal(plane.connected.size, 1000);
    t.equal(plane.figures.waiting, 0);
    await network.stop();
  },
);

t.test('routers that read nothing do not keep others from their turns', async (t) => {
  const served: string[] = [];
  const wires = new Map<string, { pause(): void }>();
  const { network, fleet, accept } = await boot(
    {
      greeted({ channel, id }) {
        served.push(id);
        wires.get(id)?.pause();
        channel.send({ contentType: contentTypes.apiSessionAdded, body: Buffer.alloc(600_000) });
      },
    },
    { bounds: { pacedBytesMax: 1_000_000 } },
  );
  for (let n = 0; n < 2; n++) {
    const slow = await fleet.router(`slow-${n}`);
    wires.set(slow.id, fleet.dial(slow, {}, accept).twin.wire);
    await fleet.settle();
  }
  const honest = await fleet.router('honest');
  fleet.dial(honest, {}, accept);
  await network.advance(1900);
  t.notOk(served.includes(honest.id));
  await network.advance(200);
  t.ok(served.includes(honest.id));
  await network.stop();
});
