// What subscriptions take of the events of their types.

import t from 'tap';
import {
  SubscriptionProblem,
  subscriptionsOf,
  subscriptionTo,
} from '../../src/events/subscription.ts';
import { ToldEvent } from '../../src/events/told-event.ts';
import type { EventFields, EventType } from '../../src/observe/events.ts';
import fc from '../properties.ts';

function told(type: EventType, fields: EventFields): ToldEvent {
  return new ToldEvent({ type, timeMs: 0, lsn: 0, fields }, 'ctrl');
}

function linesOf(type: EventType, options: Record<string, unknown>, fields: EventFields) {
  return subscriptionTo(type, options)
    .linesOf(told(type, fields))
    .map((line) => JSON.parse(line.toString()) as Record<string, unknown>);
}

t.test('the common fields come first, and the text is made once', async (t) => {
  const event = told('router', { event_type: 'router-online' });
  t.equal(
    event.line.toString(),
    '{"namespace":"router","event_src_id":"ctrl","timestamp":"1970-01-01T00:00:00.000Z","event_type":"router-online"}',
  );
  t.equal(event.line, event.line);
});

t.test('include leaves out other values', async (t) => {
  const include = ['services'];
  t.equal(linesOf('entityChange', { include }, { entityType: 'services' }).length, 1);
  t.equal(linesOf('entityChange', { include }, { entityType: 'configs' }).length, 0);
  t.equal(linesOf('entityChange', { include }, { eventType: 'committed' }).length, 1);
  t.equal(linesOf('session', { include: 'Dial' }, { session_type: 'Bind' }).length, 0);
});

t.test('metrics are matched by source and name', async (t) => {
  const options = { sourceFilter: '^r1', metricFilter: 'latency$' };
  const metric = { source_id: 'r1', metric: 'link.a.latency' };
  t.equal(linesOf('metrics', options, metric).length, 1);
  t.equal(linesOf('metrics', options, { ...metric, source_id: 'r2' }).length, 0);
  t.equal(linesOf('metrics', options, { ...metric, metric: 'link.rx' }).length, 0);
});

t.test('usage in version 2 has an event for each value', async (t) => {
  const fields = { version: 3, source_id: 'r1', usage: { 'ingress.rx': 7, 'ingress.tx': 9 } };
  t.match(linesOf('usage', {}, fields), [fields]);
  t.match(linesOf('usage', { version: 2 }, fields), [
    { version: 2, event_type: 'usage.ingress.rx', usage: 7, source_id: 'r1' },
    { version: 2, event_type: 'usage.ingress.tx', usage: 9 },
  ]);
});

t.test('what is no subscription is refused with a sentence', async (t) => {
  for (const [asked, reason] of [
    [{}, 'must be a list'],
    [[1], 'must be an object'],
    [[{ type: 'usage', options: [] }], 'options must be an object'],
    [[{ type: 'usage', options: { version: 4 } }], 'must be 2 or 3'],
    [[{ type: 'metrics', options: { metricFilter: '(' } }], 'metricFilter is not valid'],
    [[{ type: 'metrics', options: { sourceFilter: 3 } }], 'must be a text'],
    [[{ type: 'entityCount', options: { interval: 'soon' } }], 'must be a duration'],
    [[{ type: 'entityCount', options: { interval: '0.5s' } }], 'between 1s and 24h'],
    [Array.from({ length: 65 }, () => ({ type: 'router' })), 'more than 64'],
  ] as const) {
    t.throws(() => subscriptionsOf(asked), { message: new RegExp(reason) });
  }
  t.same(subscriptionsOf([{ type: 'fabric.unknown' }]), []);
  t.equal(subscriptionTo('entityCount').intervalMs, 300_000);
  t.equal(subscriptionTo('entityCount', { interval: '1h30m' }).intervalMs, 5_400_000);
});

t.test('nothing but a SubscriptionProblem comes of any JSON', async () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          type: fc.constantFrom('metrics', 'usage', 'entityCount'),
          options: fc.jsonValue(),
        }),
      ),
      (asked) => {
        try {
          subscriptionsOf(asked);
        } catch (error) {
          if (!(error instanceof SubscriptionProblem)) throw error;
        }
      },
    ),
  );
});
