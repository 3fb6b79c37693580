// What a consumer delivers, as one reader sees it.

import { headers, type Msg } from '@nats-io/transport-node';
import t from 'tap';
import { placeOf } from '../../../src/cluster/nats/delivered-place.ts';
import { Delivery } from '../../../src/cluster/nats/delivery.ts';
import fc from '../../properties.ts';
import { SimulatedClock } from '../../simulated/clock.ts';

const timeNanos = '1700000000123456789';

t.test('a reply subject tells where a message stands, in both of its forms', (t) => {
  const place = { sequence: 17, delivery: 4, timeMs: 1_700_000_000_123 };
  t.same(placeOf(`$JS.ACK.EDGE_a_1.c.1.17.4.${timeNanos}.0`), place);
  t.same(placeOf(`$JS.ACK.hub.hash.EDGE_a_1.c.1.17.4.${timeNanos}.0.random`), place);
  t.same(placeOf(`$JS.ACK._.hash.EDGE_a_1.c.1.17.4.${timeNanos}.0`), place);
  for (const reply of ['', '$JS.FC.EDGE_a_1.x', '$JS.ACK.a', '$JS.ACK.a.b.1.x.4.5.0', undefined]) {
    t.equal(placeOf(reply), undefined);
  }
  t.end();
});

t.test('no subject makes a place that is none', (t) => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 5 }), { maxLength: 14 }), (tokens) => {
      const place = placeOf(['$JS', 'ACK', ...tokens].join('.'));
      return place === undefined || (place.sequence > 0 && place.delivery > 0);
    }),
  );
  t.end();
});

t.test('messages and heartbeats are told apart, and a missing one is noticed', (t) => {
  const { delivery } = begin();
  t.same(delivery.take(heartbeat(0)), { kind: 'heartbeat' });
  t.same(delivery.take(message(5, 1)), { kind: 'message', sequence: 5, timeMs: 1_700_000_000_123 });
  t.same(delivery.take(heartbeat(1)), { kind: 'heartbeat' });
  t.equal(delivery.staleHeartbeats(), 1);
  t.same(delivery.take(heartbeat(2)), { kind: 'gap' });
  t.same(delivery.take(message(7, 3)), { kind: 'gap' });
  t.equal(delivery.staleHeartbeats(), 0);
  t.end();
});

t.test('flow control is answered, in a message or in a heartbeat', (t) => {
  const { delivery, answered } = begin();
  t.same(delivery.take(status(100, 'FlowControl Request', {}, '$JS.FC.a')), { kind: 'nothing' });
  const stalled = { 'Nats-Last-Consumer': '0', 'Nats-Consumer-Stalled': '$JS.FC.b' };
  t.same(delivery.take(status(100, 'Idle Heartbeat', stalled)), { kind: 'heartbeat' });
  t.same(answered, ['$JS.FC.a', '$JS.FC.b']);
  t.end();
});

t.test('the end of a consumer has a reason', (t) => {
  const { delivery } = begin();
  const seen = delivery.take(status(409, 'Consumer Deleted'));
  t.same(seen, { kind: 'ended', reason: 'the consumer has ended: Consumer Deleted' });
  t.end();
});

t.test('silence is measured from whatever came last', (t) => {
  const { clock, delivery } = begin();
  clock.advance(2000);
  t.equal(delivery.silentMs(), 2000);
  delivery.take(heartbeat(0));
  t.equal(delivery.silentMs(), 0);
  t.end();
});

t.test('one question is asked at a time', (t) => {
  const { delivery } = begin();
  t.ok(delivery.beginsAsking());
  t.notOk(delivery.beginsAsking());
  delivery.endsAsking();
  t.ok(delivery.beginsAsking());
  t.end();
});

function begin() {
  const clock = new SimulatedClock();
  const answered: string[] = [];
  const delivery = new Delivery(clock, (subject) => answered.push(subject));
  return { clock, answered, delivery };
}

function message(sequence: number, delivery: number): Msg {
  return arrived(`$JS.ACK.EDGE_a_1.c.1.${sequence}.${delivery}.${timeNanos}.0`);
}

function heartbeat(delivered: number): Msg {
  return status(100, 'Idle Heartbeat', { 'Nats-Last-Consumer': `${delivered}` });
}

function status(
  code: number,
  description: string,
  fields: Readonly<Record<string, string>> = {},
  reply = '',
): Msg {
  const sent = headers(code, description);
  for (const [name, value] of Object.entries(fields)) sent.set(name, value);
  return arrived(reply, sent);
}

function arrived(reply: string, sent = headers()): Msg {
  return {
    subject: 'inbox',
    sid: 1,
    reply,
    data: new Uint8Array(0),
    headers: sent,
    respond: () => true,
    json: () => t.fail('is not read'),
    string: () => '',
    size: () => 0,
  } as Msg;
}
