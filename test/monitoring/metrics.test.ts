// The metrics text: as promtool wants it, bounded whatever clients send, and right.

import t from 'tap';
import { operations } from '../../src/assembly/operations.ts';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { Sources } from '../../src/monitoring/sources.ts';
import { Histogram } from '../../src/observe/histogram.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { inject } from '../simulated/inject.ts';
import { adminUser, bootNetwork, type Network } from '../simulated/network.ts';
import { familiesOf, labelValuesOf, lint, samplesOf, valueIn } from './exposition.ts';

const scrape = (network: Network) => createMetrics(network.core.sources).text();

const identity = (name: string) => ({ name, type: 'Default', isAdmin: false });

t.test('a scrape is as promtool wants it', async (t) => {
  const network = await bootNetwork();
  await network.create('identities', identity('one'));
  await network.call('GET', 'M:/identities/none');
  await network.must('POST', 'M:/database/snapshot');
  await network.advance(60_000);
  const text = await scrape(network);
  t.same(lint(text), []);
  const families = familiesOf(text);
  t.ok(families.length > 60, `${families.length} metrics`);
  t.equal(new Set(families.map(({ name }) => name)).size, families.length);
  await network.stop();
});

t.test('what a request takes begins when it is whole, though it waits for its turn', async (t) => {
  const network = await bootNetwork();
  await network.advance(1000);
  const arrivedMs = network.clock.monotonic() - 750;
  const { status } = await inject(network.core.handler, {
    url: '/edge/client/v1/version',
    arrivedMs,
  });
  t.equal(status, 200);
  const labels = { operation: 'listVersion', method: 'GET', status: '2xx' };
  const sum = valueIn(
    await scrape(network),
    'edge_control_http_request_duration_seconds_sum',
    labels,
  );
  t.equal(sum, 0.75);
  await network.stop();
});

t.test('who has waited longer than a request may take is told so', async (t) => {
  const network = await bootNetwork();
  await network.advance(60_000);
  const arrivedMs = network.clock.monotonic() - network.env.limits.handlerTimeoutMs - 1;
  const { status, body } = await inject(network.core.handler, {
    url: '/edge/client/v1/version',
    arrivedMs,
  });
  t.equal(status, 503);
  t.match(body.toString(), 'TIMEOUT');
  await network.stop();
});

t.test('before recovery there is a scrape already', async (t) => {
  const sources = new Sources(new SimulatedClock());
  sources.phase = 'recovering';
  const text = await createMetrics(sources).text();
  t.same(lint(text), []);
  t.equal(valueIn(text, 'edge_control_state', { state: 'recovering' }), 1);
  t.equal(valueIn(text, 'edge_control_healthy'), 0);
  t.equal(valueIn(text, 'edge_control_log_frames_total'), undefined);
});

t.test('a large scrape is made in slices', async (t) => {
  const network = await bootNetwork();
  const { sources } = network.core;
  for (const one of operations) {
    for (const status of [200, 404, 503]) sources.core?.requests.answered(one, status, 1);
  }
  let ms = 0;
  let rests = 0;
  const clock = {
    now: () => network.clock.now(),
    // Each look finds that a slice is over.
    monotonic: () => (ms += 3),
    after: () => ({ cancel: () => undefined }),
    soon: (task: () => void) => {
      rests++;
      setImmediate(task);
    },
  };
  Object.assign(sources, { clock });
  const text = await createMetrics(sources).text();
  t.same(lint(text), [], 'what is one metric stands under one head');
  const series = samplesOf(text).filter(
    ({ name }) => name === 'edge_control_http_request_duration_seconds_count',
  );
  const names = new Set(operations.map(({ id, method }) => `${id} ${method}`));
  t.ok(series.length >= names.size * 3);
  t.ok(names.size < operations.length, 'both APIs may have an operation of one id');
  t.ok(rests > series.length / 10, `${rests} rests for ${series.length} histograms`);
  await network.stop();
});

t.test('who asks while a scrape goes on shares it', async (t) => {
  const sources = new Sources(new SimulatedClock());
  const metrics = createMetrics(sources);
  const first = metrics.text();
  const shared = Array.from({ length: 200 }, () => metrics.text());
  t.ok(shared.every((text) => text === first));
  t.same(lint(await first), []);
  sources.phase = 'recovering';
  t.equal(valueIn(await metrics.text(), 'edge_control_state', { state: 'recovering' }), 1);
});

t.test('a scrape that failed is not kept', async (t) => {
  const sources = new Sources(new SimulatedClock());
  const metrics = createMetrics(sources);
  const broken = t.intercept(sources, 'phase', {
    get: () => {
      throw new Error('broken');
    },
  });
  await t.rejects(metrics.text(), { message: 'broken' });
  broken.restore();
  t.same(lint(await metrics.text()), []);
});

t.test('the linter finds what is wrong', (t) => {
  const bad = [
    '# HELP wrong_name A thing.',
    '# TYPE wrong_name counter',
    'wrong_name 1',
    '# HELP edge_control_wait_ms A time',
    '# TYPE edge_control_wait_ms gauge',
    'edge_control_wait_ms{a="1"} 1',
    'edge_control_wait_ms{a="1"} 2',
    '# HELP edge_control_x_seconds A histogram.',
    '# TYPE edge_control_x_seconds histogram',
    'edge_control_x_seconds_bucket{le="1"} 2',
    'edge_control_x_seconds_bucket{le="+Inf"} 1',
    'edge_control_x_seconds_sum 1',
    'edge_control_x_seconds_count 1',
    '# TYPE edge_control_helpless gauge',
    'edge_control_helpless 0x1',
    '',
  ].join('\n');
  t.same(lint(bad), [
    'twice: edge_control_wait_ms{a="1"}',
    'not a sample: edge_control_helpless 0x1',
    'edge_control_helpless: HELP or TYPE is missing',
    'wrong_name: has no namespace of ours',
    'wrong_name: only counters end with _total',
    'edge_control_wait_ms: its help is no sentence',
    'edge_control_wait_ms: is in no base unit',
    'edge_control_helpless: its help is no sentence',
    'edge_control_x_seconds{}: its buckets are no histogram',
  ]);
  t.end();
});

/** Everything that a client chooses, `n` being what no other request had. */
async function stir(network: Network, n: number): Promise<void> {
  const name = `name-${n}-é"\\{}`;
  const token = null;
  await network.call('GET', `M:/identities/id-${n}`);
  await network.call('GET', `/path-${n}/${n}`, { token });
  await network.call('GET', `/inspect-${n}`, { token });
  await network.call(`METHOD${n}`, 'M:/identities');
  await network.call('POST', 'M:/identities', { body: identity(name) });
  await network.call('POST', 'M:/identities', { body: { [`field-${n}`]: n } });
  await network.call('GET', `M:/identities?filter=${encodeURIComponent(`name="${n}"`)}`);
  await network.call('GET', 'M:/identities', { token: `token-${n}` });
  await network.call('POST', `C:/authenticate?method=method-${n}`, { token });
  await network.call('POST', 'C:/authenticate?method=password', {
    token,
    body: { username: `user-${n}`, password: `password-${n}` },
  });
  await network.call('GET', 'C:/version', {
    token,
    headers: { [`x-${n}`]: `${n}`, host: `h${n}` },
  });
}

t.test('no label grows with what clients send', async (t) => {
  const network = await bootNetwork({ freeze: false });
  await stir(network, 0);
  const before = labelValuesOf(await scrape(network));
  const lines = samplesOf(await scrape(network)).length;
  for (let n = 1; n <= 500; n++) await stir(network, n);
  const text = await scrape(network);
  t.same(
    [...labelValuesOf(text)].filter((value) => !before.has(value)),
    [],
  );
  t.equal(samplesOf(text).length, lines);
  t.same(lint(text), []);
  await network.stop();
});

t.test('requests and authentications are counted by how they ended', async (t) => {
  const network = await bootNetwork();
  const token = null;
  await network.call('POST', 'C:/authenticate?method=password', {
    token,
    body: { username: adminUser, password: 'wrong-password' },
  });
  await network.call('POST', 'C:/authenticate?method=cert', { token });
  await network.call('POST', 'C:/authenticate?method=ext-jwt', { token });
  await network.call('POST', 'C:/authenticate?method=nothing', { token });
  await network.call('POST', 'C:/authenticate/mfa', { body: { code: '123456' } });
  await network.call('GET', 'M:/identities');
  await network.call('GET', '/nowhere', { token });
  const text = await scrape(network);
  const authentications = samplesOf(text)
    .filter(({ name }) => name === 'edge_control_authentications_total')
    .map(({ labels, value }) => `${labels['method']} ${labels['outcome']} ${value}`);
  t.same(authentications.sort(), [
    'cert refused 1',
    'ext-jwt refused 1',
    'mfa refused 1',
    'password refused 1',
    'password success 1',
    'unknown invalid 1',
  ]);
  const answered = 'edge_control_http_request_duration_seconds_count';
  const of = (operation: string, status: string) => valueIn(text, answered, { operation, status });
  t.equal(of('listIdentities', '2xx'), 1);
  t.equal(of('none', '4xx'), 1);
  t.equal(of('authenticate', '4xx'), 4);
  t.equal(valueIn(text, 'edge_control_http_errors_total', { code: 'NOT_FOUND' }), 1);
  await network.stop();
});

t.test('records, machines, log and snapshots', async (t) => {
  const network = await bootNetwork();
  for (const name of ['a', 'b', 'c']) await network.create('identities', identity(name));
  await network.must('POST', 'M:/database/snapshot');
  const text = await scrape(network);
  t.equal(valueIn(text, 'edge_control_records', { kind: 'identity' }), 4);
  const machine = { kind: 'identity', state: 'enabled' };
  t.equal(valueIn(text, 'edge_control_machine_instances', machine), 4);
  const { lastLsn, durableLsn } = network.core.journal;
  t.equal(valueIn(text, 'edge_control_log_last_lsn'), lastLsn);
  t.equal(valueIn(text, 'edge_control_log_durable_lsn'), durableLsn);
  t.equal(valueIn(text, 'edge_control_log_lag_frames'), 0);
  t.equal(valueIn(text, 'edge_control_log_group_frames_sum'), lastLsn);
  t.equal(valueIn(text, 'edge_control_log_commit_duration_seconds_count'), lastLsn);
  t.equal(valueIn(text, 'edge_control_snapshots_total', { outcome: 'kept' }), 1);
  t.ok((valueIn(text, 'edge_control_snapshot_size_bytes') ?? 0) > 0);
  t.equal(valueIn(text, 'edge_control_snapshot_age_seconds'), 0);
  await network.stop();
});

t.test('a histogram keeps its bounds', (t) => {
  const histogram = new Histogram([1, 2, 4]);
  for (const value of [0, 1, 1.5, 4, 5, 1000]) histogram.observe(value);
  histogram.observe(3, 10);
  t.same([...histogram.counts], [2, 1, 11, 2]);
  t.equal(histogram.sum, 1011.5 + 30);
  t.end();
});
