// The metrics listener over real sockets: two paths, GET and HEAD, within its bounds.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import type { Metrics } from '../../src/monitoring/metrics.ts';
import {
  type MetricsListener,
  startMetricsListener,
} from '../../src/monitoring/metrics-listener.ts';
import { Sources } from '../../src/monitoring/sources.ts';
import { createLog } from '../../src/observe/logs.ts';
import { SimulatedClock } from '../simulated/clock.ts';

const clock = new SimulatedClock();
const lines: string[] = [];
const write = (line: string) => void lines.push(line);
const { log } = createLog({ level: 'info', clock, readable: false, write });

async function start(
  t: Test,
  bounds: { metricsConnectionsMax?: number; metricsTimeoutMs?: number } = {},
  metrics: Metrics = { contentType: 'text/plain; version=0.0.4', text: async () => 'a 1\n' },
): Promise<{ listener: MetricsListener; sources: Sources }> {
  const sources = new Sources(clock);
  const listener = await startMetricsListener({
    listen: { host: '127.0.0.1', port: 0 },
    sources,
    metrics,
    log,
    bounds: { metricsConnectionsMax: 16, metricsTimeoutMs: 10_000, ...bounds },
  });
  t.teardown(() => listener.stop());
  return { listener, sources };
}

function opened({ address }: MetricsListener): Socket {
  const [host = '', port = ''] = address.split(':');
  const socket = connect({ host, port: Number(port) });
  socket.on('error', () => undefined);
  return socket;
}

t.test('metrics and health, and nothing else', async (t) => {
  const { listener, sources } = await start(t);
  const scraped = await fetch(`${listener.url}/metrics?x=1`);
  t.equal(scraped.status, 200);
  t.equal(scraped.headers.get('content-type'), 'text/plain; version=0.0.4');
  t.equal(await scraped.text(), 'a 1\n');
  const head = await fetch(`${listener.url}/metrics`, { method: 'HEAD' });
  t.same([head.status, await head.text()], [200, '']);

  const well = await fetch(`${listener.url}/health-checks`);
  t.equal(well.status, 200);
  t.match(await well.json(), { data: { healthy: true, state: 'ready' }, meta: {} });
  sources.phase = 'recovering';
  const ill = await fetch(`${listener.url}/health-checks`);
  t.equal(ill.status, 503);
  t.match(await ill.json(), { data: { healthy: false, state: 'recovering' } });

  const posted = await fetch(`${listener.url}/metrics`, { method: 'POST', body: 'x' });
  t.same([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  const elsewhere = ['/', '/edge/management/v1/identities', '/metrics/', '/metricsx'];
  for (const path of [...elsewhere, '/metrics/routers']) {
    t.equal((await fetch(listener.url + path)).status, 404, path);
  }
});

t.test('metrics of routers have a path of their own', async (t) => {
  const contentType = 'text/plain; version=0.0.4';
  const listener = await startMetricsListener({
    listen: { host: '127.0.0.1', port: 0 },
    sources: new Sources(clock),
    metrics: { contentType, text: async () => 'a 1\n' },
    routers: { contentType, text: async () => 'b 2\n' },
    log,
  });
  t.teardown(() => listener.stop());
  t.equal(await (await fetch(`${listener.url}/metrics/routers`)).text(), 'b 2\n');
  t.equal(await (await fetch(`${listener.url}/metrics`)).text(), 'a 1\n');
  t.equal((await fetch(`${listener.url}/metrics/routers`, { method: 'POST' })).status, 405);
});

/** All that one connection is sent until it is closed. */
async function told(listener: MetricsListener, requests: readonly string[]): Promise<string> {
  const socket = opened(listener);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(requests.map((line) => `${line} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

t.test('a connection has one scrape, whatever is pipelined behind it', async (t) => {
  let scrapes = 0;
  const metrics: Metrics = { contentType: 'text/plain', text: async () => `a ${++scrapes}\n` };
  const { listener } = await start(t, {}, metrics);
  const answers = await told(listener, [
    'GET /health-checks',
    ...Array.from({ length: 200 }, () => 'GET /metrics'),
    'GET /health-checks',
  ]);
  t.equal(scrapes, 1);
  const heads = answers.match(/HTTP\/1\.1 \d+|^connection: [\w-]+/gim);
  t.same(heads, ['HTTP/1.1 200', 'Connection: keep-alive', 'HTTP/1.1 200', 'connection: close']);
  t.ok(answers.endsWith('\r\n\r\na 1\n'));

  const headOnly = await told(listener, ['HEAD /metrics', 'GET /metrics']);
  t.equal(headOnly.match(/HTTP\/1\.1/g)?.length, 1);
});

t.test('an error while it listens is a line, not the end', async (t) => {
  const { listener } = await start(t);
  let server: Server | undefined;
  const note = (message: unknown) => {
    server = (message as { server: Server }).server;
  };
  subscribe('http.server.request.start', note);
  t.teardown(() => unsubscribe('http.server.request.start', note));
  await fetch(`${listener.url}/health-checks`);
  lines.length = 0;
  const fail = (code: string) => server?.emit('error', new Error(`accept ${code}`));
  t.ok(fail('EMFILE'));
  t.ok(fail('ENFILE'));
  t.equal(lines.length, 1, 'one line for many within some seconds');
  t.match(lines[0], /accept EMFILE/);
  clock.advance(10_000);
  t.ok(fail('ENOBUFS'));
  t.equal(lines.length, 2);
  t.equal((await fetch(`${listener.url}/metrics`)).status, 200);
});

t.test('metrics that cannot be read are a 500 and a line', async (t) => {
  const text = () => Promise.reject(new Error('broken'));
  const { listener } = await start(t, {}, { contentType: 'text/plain', text });
  t.equal((await fetch(`${listener.url}/metrics`)).status, 500);
  t.match(lines.join(''), /the metrics could not be read/);
});

t.test('one connection too many is closed', async (t) => {
  const { listener } = await start(t, { metricsConnectionsMax: 1 });
  const first = opened(listener);
  await once(first, 'connect');
  const second = opened(listener);
  await once(second, 'close');
  t.notOk(first.destroyed);
  first.destroy();
});

t.test('who says nothing, or half of it, is dropped', async (t) => {
  const { listener } = await start(t, { metricsTimeoutMs: 100 });
  const silent = opened(listener);
  const half = opened(listener);
  half.write('GET /metrics HTTP/1.1\r\nhost: x\r\n');
  silent.resume();
  half.resume();
  await Promise.all([once(silent, 'close'), once(half, 'close')]);
  t.pass('both were closed');
});

t.test('large headers are refused', async (t) => {
  const { listener } = await start(t);
  const answer = await fetch(`${listener.url}/metrics`, { headers: { x: 'x'.repeat(9000) } });
  t.equal(answer.status, 431);
});

t.test('a port in use is told in a sentence', async (t) => {
  const { listener } = await start(t);
  const [host = '', port = ''] = listener.address.split(':');
  const again = startMetricsListener({
    listen: { host, port: Number(port) },
    sources: new Sources(clock),
    metrics: { contentType: '', text: async () => '' },
    log,
    bounds: { metricsConnectionsMax: 1, metricsTimeoutMs: 100 },
  });
  await t.rejects(again, { message: /cannot listen on .* for metrics/, code: 'EADDRINUSE' });
});
