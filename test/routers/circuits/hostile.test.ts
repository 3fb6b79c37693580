// Routers that lie or send garbage about circuits: others notice nothing.

import t from 'tap';
import { MalformedMessage } from '../../../src/channel/channel-api.ts';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { encodeMessage, fabric } from '../../../src/channel/messages/messages.ts';
import * as fc from '../../properties.ts';
import { handleWhole, receivedFrame } from '../../simulated/routers.ts';
import { CircuitWorld, routesOf, unroutesOf } from './world.ts';

const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));

/** Headers as circuits use them, and others, with any values. */
const headers = fc
  .array(
    fc.tuple(
      fc.constantFrom(1, 10, 11, 12, 13, 14, 1003, 1011, 1101, 1102, 1103, 1104, 1114),
      bytes(40),
    ),
    { maxLength: 8 },
  )
  .map((entries) => new Map(entries));

t.test('garbage is malformed or ignored, and changes nothing', async (t) => {
  const world = await CircuitWorld.boot(2, { freeze: false });
  await world.terminator('r1');
  const id = world.circuit('r1');
  const kinds = [...world.circuits.handlers.keys()];
  t.ok(kinds.length >= 7);
  const body = fc.oneof(
    bytes(60),
    fc.constant(Buffer.from(id)),
    fc
      .record({ subject: fc.nat({ max: 7 }), id: fc.constantFrom(id, '', `${id} x`) })
      .map(({ subject, id }) =>
        encodeMessage(fabric.Fault, { subject: subject as fabric.FaultSubject, id }),
      ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...kinds), headers, body, (contentType, map, content) => {
      const router = world.router('r2');
      try {
        handleWhole(
          world.circuits.handlers.get(contentType),
          router,
          receivedFrame(contentType, content, map),
        );
      } catch (error) {
        if (!(error instanceof MalformedMessage)) throw error;
      }
      world.network.clock.drain();
      router.channel.sent.length = 0;
      router.channel.replies.length = 0;
      return world.live(id)?.state === 'active';
    }),
    { numRuns: 3000 },
  );
  t.same(unroutesOf(world.router('r1')), []);
  t.equal(routesOf(world.router('r1')).length, 1);
  t.same(world.counts(), [1, 1]);
});

t.test('cut off messages are malformed', async (t) => {
  const world = await CircuitWorld.boot(1);
  const fault = encodeMessage(fabric.Fault, { subject: 1, id: 'circuit' });
  for (const contentType of [contentTypes.fault, contentTypes.circuitConfirmation]) {
    t.throws(
      () => world.receive(world.router('r1'), { contentType, body: fault.subarray(0, -1) }),
      MalformedMessage,
    );
  }
});

t.test('results for the circuits of others', async (t) => {
  const world = await CircuitWorld.boot(3);
  await world.terminator('r2');
  world.paths.add('l', world.id('r1'), world.id('r2'));
  world.dial('r1');
  const [route] = routesOf(world.router('r1'));
  if (route === undefined) throw new Error('no route');
  world.result(world.router('r3'), route);
  world.result(world.router('r3'), route, { error: 'no', code: 1 });
  t.match(world.live(route.circuitId), { state: 'routing', attempt: 0 });
  t.same(unroutesOf(world.router('r3')), []);
  world.answerRoutes(['r1', 'r2']);
  t.equal(world.live(route.circuitId)?.state, 'active');
  world.result(world.router('r3'), route);
  t.same(unroutesOf(world.router('r3')), [`${route.circuitId} now`]);
  world.result(world.router('r1'), route);
  t.same(unroutesOf(world.router('r1')), []);
});

t.test('faults one after the other lead to one other path', async (t) => {
  const world = await CircuitWorld.boot(1);
  await world.terminator('r1');
  const id = world.circuit('r1');
  for (let at = 0; at < 20; at++) {
    world.fault('r1', fabric.FaultSubject.FORWARD, id);
    world.network.clock.drain();
    world.answerRoutes(['r1']);
    if (world.live(id)?.state !== 'active') {
      const circuit = { circuitId: id, attempt: routesOf(world.router('r1')).at(-1)?.attempt ?? 0 };
      world.result(world.router('r1'), circuit);
    }
  }
  t.equal(routesOf(world.router('r1')).length, 2);
  const again = routesOf(world.router('r1'))[1];
  t.match(again?.egress, { destination: 'at r1' }, 'one router gets the egress again');
  await world.network.advance(5000);
  world.fault('r1', fabric.FaultSubject.FORWARD, id);
  world.network.clock.drain();
  t.equal(routesOf(world.router('r1')).length, 3);
});

t.test('a report of many circuits is worked off in steps', async (t) => {
  const world = await CircuitWorld.boot(1);
  const ids = Array.from({ length: 1000 }, (_, at) => `unknown${at}`);
  const message = { circuitIds: ids, idleTimes: {} };
  const body = encodeMessage(fabric.CircuitConfirmation, message);
  const { circuitConfirmation } = contentTypes;
  const handler = world.circuits.handlers.get(circuitConfirmation);
  const steps = handler?.(world.router('r1'), receivedFrame(circuitConfirmation, body)) ?? [];
  let most = 0;
  let before = 0;
  for (const _ of steps) {
    const { length } = unroutesOf(world.router('r1'));
    most = Math.max(most, length - before);
    before = length;
  }
  t.equal(unroutesOf(world.router('r1')).length, 1000);
  t.ok(most <= 64, `${most} in one step`);
});
