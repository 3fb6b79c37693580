// What routers still carry although it ended before the controller's last start.

import t from 'tap';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { decodeMessage, encodeMessage, fabric } from '../../../src/channel/messages/messages.ts';
import { type RecordedRouter, receivedFrame } from '../../simulated/routers.ts';
import { CircuitWorld, unroutesOf } from './world.ts';

/** The router answers what it was asked last. */
function answer(world: CircuitWorld, { channel }: RecordedRouter, body: Buffer): void {
  const request = channel.requests.at(-1);
  request?.waiter(receivedFrame(contentTypes.inspectResponse, body));
  world.network.clock.drain();
}

/** An answer with circuits by id, each with the id of its controller. */
function circuitsBody(circuits: Readonly<Record<string, string>>): Buffer {
  const shown = Object.fromEntries(
    Object.entries(circuits).map(([id, ctrlId]) => [id, { id, ctrlId, routes: {} }]),
  );
  return valueBody(JSON.stringify({ circuits: shown }));
}

function valueBody(value: string): Buffer {
  const values = [{ name: 'router-circuits', value }];
  return encodeMessage(fabric.InspectResponse, { success: true, values });
}

t.test('a circuit that ended while its router was away ends on its return', async (t) => {
  const world = await CircuitWorld.boot(1);
  await world.terminator('r1');
  const kept = world.circuit('r1', ['r1']);
  const lost = world.circuit('r1', ['r1']);
  world.disconnect('r1');
  await world.network.must('DELETE', `M:/sessions/${world.id('session')}`);
  world.network.clock.drain();
  world.ids.set('session', await world.session());
  await world.kill();
  const own = world.network.env.trust.controllerId;
  const router = world.connect('r1');
  const [{ message, timeoutMs } = { message: undefined, timeoutMs: 0 }] = router.channel.requests;
  t.equal(message?.contentType, contentTypes.inspectRequest);
  const { requestedValues } = decodeMessage(fabric.InspectRequest, message?.body ?? Buffer.of());
  t.strictSame(requestedValues, ['router-circuits']);
  t.equal(timeoutMs, 10_000);
  const alive = world.circuit('r1', ['r1']);
  const told = { [kept]: own, [lost]: own, [alive]: own, other: 'another-controller' };
  answer(world, router, circuitsBody(told));
  t.strictSame(unroutesOf(router).sort(), [`${kept} now`, `${lost} now`].sort());
});

t.test('a router is asked once per start, unless its connection was lost meanwhile', async (t) => {
  const world = await CircuitWorld.boot(1);
  const first = world.router('r1');
  t.equal(first.channel.requests.length, 1);
  world.disconnect('r1');
  first.channel.requests[0]?.waiter(undefined);
  const second = world.connect('r1');
  t.equal(second.channel.requests.length, 1);
  answer(world, second, circuitsBody({}));
  world.disconnect('r1');
  t.equal(world.connect('r1').channel.requests.length, 0);
});

t.test('answers that make no sense end nothing', async (t) => {
  const own = (world: CircuitWorld) => world.network.env.trust.controllerId;
  for (const [title, bodyOf] of Object.entries({
    'no value': () => encodeMessage(fabric.InspectResponse, { success: false }),
    'no protobuf': () => Buffer.of(0xff, 0xff, 0xff),
    'no JSON': () => valueBody('circuits'),
    'a list': () => valueBody('[1, 2]'),
    'no circuits': () => valueBody('{"circuits": 7}'),
    'circuits of another form': () => valueBody('{"circuits": {"a": null, "b": 1}}'),
    'an id that is too long': (world: CircuitWorld) =>
      circuitsBody({ ['x'.repeat(10_000)]: own(world) }),
    'more than is read': (world: CircuitWorld) =>
      circuitsBody(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [n, own(world)]))),
  })) {
    const world = await CircuitWorld.boot(1);
    const router = world.router('r1');
    answer(world, router, bodyOf(world));
    t.strictSame(unroutesOf(router), [], title);
    t.equal(router.channel.isClosed, false, title);
  }
});
