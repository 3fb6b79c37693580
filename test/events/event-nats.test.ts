// Events for NATS: in order, again where they are not acknowledged, and again after a takeover.

import t, { type Test } from 'tap';
import type { EventMessage, EventStream } from '../../src/cluster/nats/event-stream.ts';
import { EntityCounts } from '../../src/events/entity-counts.ts';
import { EventHub } from '../../src/events/event-hub.ts';
import { EventNats } from '../../src/events/nats/event-nats.ts';
import { ToldEvent } from '../../src/events/told-event.ts';
import { createLog } from '../../src/observe/logs.ts';
import type { BoundValues } from '../../src/settings/bounds.ts';
import { bootNetwork } from '../simulated/network.ts';

/** A stream that drops repetitions, and that fails when a test says so. */
class KeptStream implements EventStream {
  readonly kept = new Map<string, EventMessage>();
  sent = 0;
  isAway = false;
  isClosed = false;

  async lastLsn(): Promise<number> {
    if (this.isAway) throw new Error('away');
    return [...this.kept.values()].at(-1)?.lsn ?? 0;
  }

  async publish(messages: readonly EventMessage[]): Promise<void> {
    this.sent += messages.length;
    if (this.isAway) throw new Error('away');
    for (const message of messages)
      if (!this.kept.has(message.id)) this.kept.set(message.id, message);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  get events(): Record<string, unknown>[] {
    return [...this.kept.values()].map(({ body }) => JSON.parse(body.toString()));
  }
}

async function scene(t: Test, follows = false, bounds: BoundValues = {}) {
  const network = await bootNetwork();
  t.teardown(() => network.stop());
  const { env, core } = network;
  const { store, clock } = env;
  const logged: string[] = [];
  const { log } = createLog({
    level: 'warn',
    clock,
    readable: false,
    write: (line) => void logged.push(line),
  });
  const hub = new EventHub({
    store,
    clock,
    log,
    durable: core.durable,
    sourceId: () => 'node',
    addresses: env.addresses,
    dynamicCost: () => 0,
    bounds: { eventGatherMs: 0 },
  });
  const counts = new EntityCounts({ store, clock, eventOf: (...of) => hub.eventOf(...of) });
  const stream = new KeptStream();
  const types = ['entityChange', 'alert'] as const;
  const parts = { hub, counts, clock, log, types, stream, networkId: 'net', bounds };
  const nats = new EventNats(parts, follows);
  const create = async (name: string) => {
    await network.create('services', { name, encryptionRequired: true });
    await network.advance(0);
  };
  return { network, hub, stream, nats, logged, create };
}

t.test('events are CloudEvents, in order and with stable ids', async (t) => {
  const { network, hub, stream, nats, create } = await scene(t);
  await create('printer');
  hub.tell('alert', { message: 'a fire' });
  await network.advance(0);
  const lsn = network.core.journal.lastLsn;
  t.match(stream.events, [
    {
      specversion: '1.0',
      id: new RegExp(`^entityChange\\.${lsn}\\.0\\.\\d+$`),
      source: '/edge-control/net',
      type: 'edge-control.entityChange',
      datacontenttype: 'application/json',
      data: { namespace: 'entityChange', eventType: 'created' },
    },
    { id: new RegExp(`^entityChange\\.${lsn}\\.1\\.`), data: { eventType: 'committed' } },
    { id: /^node\.\d+\.1$/, type: 'edge-control.alert', data: { message: 'a fire' } },
  ]);
  t.same(
    [...stream.kept.values()].map((message) => [message.topic, message.lsn]),
    [
      ['entityChange', lsn],
      ['entityChange', lsn],
      ['alert', lsn],
    ],
  );
  await nats.stop();
  t.ok(stream.isClosed);
});

t.test('what is not acknowledged is sent again, and too much is dropped', async (t) => {
  const { network, stream, nats, logged, create } = await scene(t, false, { eventsWaitingMax: 3 });
  stream.isAway = true;
  await create('a');
  await create('b');
  t.equal(nats.dropped, 1);
  t.equal(logged.length, 1, 'told once a minute');
  await network.advance(3000);
  t.ok(stream.sent > 4, 'tried again');
  stream.isAway = false;
  await network.advance(1000);
  t.equal(stream.kept.size, 3);
  await create('c');
  t.equal(stream.kept.size, 5);
  await nats.stop();
});

t.test('a node that begins to lead goes on where the stream ends', async (t) => {
  const { network, stream, nats, create } = await scene(t, true, { eventsFollowedMax: 8 });
  const of = (lsn: number) => {
    const place = `entityChange.${lsn}.0`;
    return new ToldEvent({ type: 'entityChange', timeMs: 5, lsn, place, fields: { lsn } }, 'node');
  };
  const lsns = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  nats.followed(lsns.map(of));
  await stream.publish([
    { topic: 'entityChange', id: 'entityChange.6.0.5', lsn: 6, body: Buffer.from('{}') },
  ]);
  stream.isAway = true;
  const leads = nats.lead();
  await create('while it waits');
  await network.advance(1000);
  t.equal(stream.kept.size, 1);
  stream.isAway = false;
  await network.advance(1000);
  await leads;
  await network.advance(0);
  t.same(
    [...stream.kept.keys()].slice(0, 4),
    [6, 7, 8, 9].map((lsn) => `entityChange.${lsn}.0.5`),
  );
  t.equal(stream.kept.size, 6, 'then its own');
  await nats.stop();
});
