// What routers report of themselves, at a scrape: names, labels, bounds, and how long.

import t from 'tap';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { encodeMessage, fabric } from '../../../src/channel/messages/messages.ts';
import { createMetrics } from '../../../src/monitoring/metrics.ts';
import { createRouterScrape } from '../../../src/monitoring/router-scrape.ts';
import { familiesOf, samplesOf, valueIn } from '../../monitoring/exposition.ts';
import { bootNetwork, type Network, type NetworkOptions } from '../../simulated/network.ts';
import type { RouterTwin } from '../../simulated/router-twin.ts';
import { Fleet } from '../fleet.ts';

/** Routers of these names, connected to a controller that keeps what they report. */
async function boot(names: readonly string[], options: NetworkOptions = {}) {
  const config = { metrics: { listen: undefined, routers: true } };
  const network = await bootNetwork({ config, ...options });
  const fleet = new Fleet(network);
  const twins: { readonly id: string; readonly twin: RouterTwin }[] = [];
  for (const name of names) {
    const router = await fleet.router(name);
    twins.push({ id: router.id, twin: (await fleet.connect(router)).twin });
  }
  const report = async (at: number, message: fabric.MetricsMessage.$Properties) => {
    const body = encodeMessage(fabric.MetricsMessage, message);
    twins[at]?.twin.send({ contentType: contentTypes.metrics, body });
    await fleet.settle();
  };
  const id = (at: number) => twins[at]?.id ?? '';
  return { network, fleet, report, id };
}

async function scrape(network: Network): Promise<string> {
  return await network.pump(createRouterScrape(network.core.sources).text());
}

const histogram = {
  count: 4,
  min: 1,
  max: 9,
  mean: 2.5,
  p50: 2,
  p75: 3,
  p95: 5,
  p99: 7,
  p999: 8,
  p9999: 9,
};

t.test('one family per metric, with the labels of the field', async (t) => {
  const { network, report, id } = await boot(['a', 'b']);
  const message = {
    intValues: { 'pool.listener.link.queue_size': 3, 'pool.listener.link.worker_count': 2 },
    floatValues: { load: 0.5 },
    meters: { 'ingress.rx.bytesrate': { count: 9, m1Rate: 1.5, meanRate: 7 } },
    histograms: { 'link.l-1.latency': histogram, 'link.l-2.latency': histogram },
    timers: { 'edge.connect': { ...histogram, m1Rate: 1 } },
  };
  await report(0, message);
  await report(1, message);
  const text = await scrape(network);
  const names = familiesOf(text).map(({ name }) => name);
  t.same(names.sort(), [
    'ziti_edge_connect',
    'ziti_ingress_rx_bytesrate',
    'ziti_link_latency',
    'ziti_load',
    'ziti_pool_listener_link_queue_size',
    'ziti_pool_listener_link_worker_c',
  ]);
  t.equal(text.match(/^# TYPE /gm)?.length, 6);
  const link = { source_id: id(0), source_entity_id: 'l-1' };
  t.equal(valueIn(text, 'ziti_link_latency_bucket', { ...link, le: '0.99' }), 7);
  t.equal(valueIn(text, 'ziti_link_latency_sum', link), 10);
  t.equal(valueIn(text, 'ziti_link_latency_count', { ...link, source_id: id(1) }), 4);
  t.equal(valueIn(text, 'ziti_ingress_rx_bytesrate', { source_id: id(1) }), 1.5);
  t.equal(valueIn(text, 'ziti_pool_listener_link_queue_size', { source_id: id(0) }), 3);
  await network.stop();
});

t.test('a report replaces the one before, and goes after three minutes', async (t) => {
  const { network, report } = await boot(['a', 'b']);
  await report(0, { floatValues: { load: 1, gone: 1 } });
  await report(0, { floatValues: { load: 2 } });
  t.equal(valueIn(await scrape(network), 'ziti_load'), 1, 'within a second of the one before');
  await network.advance(1000);
  await report(0, { floatValues: { load: 2 } });
  const text = await scrape(network);
  t.equal(valueIn(text, 'ziti_load'), 2);
  t.equal(valueIn(text, 'ziti_gone'), undefined);
  await network.advance(100_000);
  await report(1, { floatValues: { load: 3 } });
  await network.advance(81_000);
  t.same(
    samplesOf(await scrape(network)).map(({ value }) => value),
    [3],
  );
  await network.stop();
});

t.test('no series twice, whatever routers name', async (t) => {
  const { network, report } = await boot(['a', 'b']);
  await report(0, {
    floatValues: { 'x.y': 1, 'x-y': 2, 'h.sum': 3, 'odd "name"\n:id "quoted"\\\n': 4 },
    histograms: { h: histogram },
  });
  await report(1, { floatValues: { h: 5 } });
  const text = await scrape(network);
  const lines = text.split('\n').filter((line) => line !== '');
  t.equal(new Set(lines).size, lines.length);
  for (const line of lines) t.match(line, /^(# (HELP|TYPE) [a-z_]+ \w+|[a-z_]+\{.+\} \S+)$/);
  t.equal(lines.filter((line) => line.startsWith('ziti_x_y{')).length, 1);
  t.equal(lines.filter((line) => line.startsWith('ziti_h_sum{')).length, 1);
  t.equal(lines.filter((line) => line.startsWith('ziti_h{')).length, 0);
  t.ok(lines.some((line) => line.includes('source_entity_id="id \\"quoted\\"\\\\\\n"')));
  await network.stop();
});

t.test('reports that do not fit are left out, and counted', async (t) => {
  const { network, report, id } = await boot(['a', 'b'], { limits: { routerSeriesMax: 1000 } });
  const values = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`v${at}`, at]));
  await report(0, { intValues: values(600) });
  await report(1, { intValues: values(500) });
  const text = await network.pump(createMetrics(network.core.sources).text());
  t.equal(valueIn(text, 'edge_control_router_series'), 600);
  t.equal(valueIn(text, 'edge_control_router_series_dropped_total'), 500);
  t.ok(samplesOf(await scrape(network)).every(({ labels }) => labels['source_id'] === id(0)));
  await network.advance(1000);
  await report(0, { intValues: { ...values(30_000), ['v'.repeat(2000)]: 1 } });
  const { series } = network.core.routers.traffic ?? {};
  t.equal(series?.size, 0, 'the new one of the router does not fit either');
  t.equal(series?.dropped, 500 + 10_000 + 20_000);
  await network.stop();
});

t.test('off unless it is asked for', async (t) => {
  const network = await bootNetwork();
  t.equal(network.core.routers.traffic?.series, undefined);
  t.equal(await scrape(network), '');
  const text = await network.pump(createMetrics(network.core.sources).text());
  t.equal(valueIn(text, 'edge_control_router_series'), undefined);
  await network.stop();
});
