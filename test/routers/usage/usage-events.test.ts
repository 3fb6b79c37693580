// What routers report, as events: usage and all that is measured.

import t from 'tap';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { encodeMessage, fabric } from '../../../src/channel/messages/messages.ts';
import { MetricEvents } from '../../../src/routers/metrics/metric-events.ts';
import { createRouterMetrics } from '../../../src/routers/metrics/router-metrics.ts';
import { connectClient } from '../../events/fabric-client.ts';
import { handleWhole, receivedFrame, recordedRouter } from '../../simulated/routers.ts';
import { UsageWorld } from './world.ts';

t.test('a bucket that counts is an event, with what counts of it', async (t) => {
  const world = await UsageWorld.boot();
  const client = connectClient(world.network);
  client.subscribe({ type: 'usage' });
  client.frames();
  world.open('c', { routers: ['a', 'z'] });
  const start = world.nowSeconds;
  const bytes = { 'ingress.rx': 5, 'egress.rx': 9, 'fabric.tx': 6 };
  world.report('a', { c: bytes });
  world.report('a', { c: bytes });
  world.report('stranger', { c: { 'ingress.rx': 5 } });
  await world.network.advance(0);
  const events = client.events();
  t.equal(events.length, 1);
  t.match(events[0], {
    namespace: 'usage',
    version: 3,
    source_id: 'a',
    circuit_id: 'c',
    usage: { 'ingress.rx': 5, 'fabric.tx': 6 },
    interval_start_utc: start,
    interval_length: 60,
    tags: { clientId: 'who', hostId: 'host', serviceId: 'what' },
  });
  t.strictSame(Object.keys(Object(events[0]?.['usage'])), ['ingress.rx', 'fabric.tx']);
  await world.network.stop();
});

t.test('what a router measures is told, at most once per second', async (t) => {
  const world = await UsageWorld.boot();
  const client = connectClient(world.network);
  const { handlers } = createRouterMetrics([new MetricEvents(world.network)]);
  const router = recordedRouter('a');
  const report = async () => {
    const message = { floatValues: { load: 0.5 }, meters: { 'link.l1.tx.msgrate': { m1Rate: 2 } } };
    const body = encodeMessage(fabric.MetricsMessage, message);
    const handler = handlers.get(contentTypes.metrics);
    handleWhole(handler, router, receivedFrame(contentTypes.metrics, body));
    await world.network.advance(0);
    return client.events();
  };
  t.same(await report(), [], 'nobody wants them');
  client.subscribe({ type: 'metrics', options: { sourceFilter: '^a$' } });
  client.frames();
  const common = { namespace: 'metrics', source_id: 'a', version: 3 };
  t.match(await report(), [
    { ...common, metric: 'load', metric_type: 'floatValue', metrics: { value: 0.5 } },
    { ...common, metric: 'link.tx.msgrate', source_entity_id: 'l1', metrics: { m1_rate: 2 } },
  ]);
  t.same(await report(), []);
  await world.network.advance(1000);
  t.equal((await report()).length, 2);
  await world.network.stop();
});
