// When events leave.

import t from 'tap';
import { EventHub } from '../../src/events/event-hub.ts';
import { createLog } from '../../src/observe/logs.ts';
import { bootNetwork } from '../simulated/network.ts';

t.test('the first event leaves at once, and those that follow it leave together', async (t) => {
  const network = await bootNetwork();
  t.teardown(() => network.stop());
  const { env, core } = network;
  const { store, clock, addresses } = env;
  const { log } = createLog({ level: 'error', clock, readable: false, write: () => {} });
  const { durable } = core;
  const options = { store, clock, log, durable, addresses, dynamicCost: () => 0 };
  const hub = new EventHub({ ...options, sourceId: () => 'ctrl' });
  const taken: number[] = [];
  hub.add({
    types: new Set(['alert']),
    take: (events) => void taken.push(events.length),
    missed: () => {},
  });
  const tell = async (message: string) => {
    hub.tell('alert', { message });
    await network.advance(0);
  };
  await tell('one');
  t.same(taken, [1]);
  for (const message of ['two', 'three', 'four']) await tell(message);
  await network.advance(4);
  t.same(taken, [1]);
  await network.advance(1);
  t.same(taken, [1, 3]);
  await network.advance(5);
  await tell('five');
  t.same(taken, [1, 3, 1]);
  await tell('six');
  hub.flush();
  t.same(taken, [1, 3, 1, 1], 'nothing is left behind at an end');
  await network.advance(5);
  t.same(taken, [1, 3, 1, 1]);
});
