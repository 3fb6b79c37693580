// Health: each failure shows there, in the metrics and in one log line with advice.

import t from 'tap';
import { logDisk } from '../../src/monitoring/disk-lines.ts';
import { clockJumpShownMs, healthOf } from '../../src/monitoring/health-checks.ts';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { Sources } from '../../src/monitoring/sources.ts';
import { EventLoopWatch } from '../../src/observe/event-loop.ts';
import { createLog, type LogLevel } from '../../src/observe/logs.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { inject } from '../simulated/inject.ts';
import { type Answer, bootNetwork, type Network } from '../simulated/network.ts';
import { valueIn } from './exposition.ts';

const identity = (name: string) => ({ name, type: 'Default', isAdmin: false });

interface Checked {
  readonly id: string;
  readonly healthy: boolean;
  readonly message: string;
}

interface Seen {
  readonly status: number;
  readonly state: string;
  readonly healthy: boolean;
  /** Ids of the checks that fail. */
  readonly failing: readonly string[];
  readonly messages: string;
  metric(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

/** Logs what becomes of the disk, as the controller does; answers the lines. */
function told(network: Network, level: LogLevel = 'warn', readable = false): string[] {
  const lines: string[] = [];
  const { clock, core } = network;
  const write = (line: string) => void lines.push(line);
  const { log } = createLog({ level, clock, readable, write });
  logDisk(core.report, core.journal, log);
  return lines;
}

/** A write that nobody waits for. */
function write(network: Network, name: string): Promise<unknown> {
  return inject(network.core.handler, {
    method: 'POST',
    url: '/edge/management/v1/identities',
    headers: { 'zt-session': network.admin },
    body: identity(name),
  });
}

const minute = 60_000;

/** What an operator sees of a network, from both sides. */
async function look(network: Network): Promise<Seen> {
  const answer: Answer = await network.call('GET', '/health-checks', { token: null });
  const { healthy, state, checks } = answer.data as {
    healthy: boolean;
    state: string;
    checks: readonly Checked[];
  };
  const failing = checks.filter((check) => !check.healthy);
  const text = await createMetrics(network.core.sources).text();
  return {
    status: answer.status,
    state,
    healthy,
    failing: failing.map(({ id }) => id),
    messages: failing.map(({ message }) => message).join('\n'),
    metric: (name, labels) => valueIn(text, `edge_control_${name}`, labels),
  };
}

t.test('the first line of a start leaves out what only nodes of a cluster compare', async (t) => {
  const network = await bootNetwork();
  const [line = '', ...more] = told(network, 'info', true);
  t.match(line, /INFO {2}the home is open {2}dataSetId=\w+ .*records=\d+ .*sealed=false\n$/);
  t.notMatch(line, /crc|term/i);
  t.same(more, []);
  t.match(told(network, 'debug', true)[1], /the end of the log, .*lastCrc=\d+ {2}term=0\n$/);
  await network.stop();
});

t.test('a controller that is well', async (t) => {
  const network = await bootNetwork();
  const answer = await network.call('GET', '/health-checks', { token: null });
  t.equal(answer.status, 200);
  const body = answer.json() as { data: { checks: readonly object[] }; meta: object };
  t.same(body.meta, {});
  t.match(body.data, { healthy: true, state: 'ready' });
  for (const check of body.data.checks) {
    t.match(check, { id: /^[a-z-]+$/, healthy: true, message: '', lastCheckDuration: /^\d+µs$/ });
    t.match(check, { lastCheckTime: /^\d{4}-\d\d-\d\dT/ });
  }
  t.same(answer.headers['cache-control'], 'no-store');
  await network.stop();
});

t.test('a full disk: read-only, and ready again once it is free', async (t) => {
  const network = await bootNetwork();
  const lines = told(network);
  network.disk.fill();
  const pending = write(network, 'in-doubt');
  await network.advance(1000);
  const stalled = await look(network);
  t.match(stalled, { status: 503, state: 'read-only', healthy: false, failing: ['storage'] });
  t.match(stalled.messages, /check the disk of the home/);
  t.notMatch(stalled.messages, /\/home/, 'nobody is told where the home is');
  t.equal(stalled.metric('log_state', { state: 'stalled' }), 1);
  t.equal(stalled.metric('healthy'), 0);
  t.equal(stalled.metric('log_lag_frames'), 1);
  t.equal(stalled.metric('log_lag_seconds'), 1);
  t.equal(stalled.metric('http_answers_held'), 1);
  t.equal(lines.length, 1);
  t.match(JSON.parse(lines[0] ?? ''), {
    level: 'error',
    state: 'stalled',
    reason: /^ENOSPC/,
    message: /check the disk of the home/,
  });
  network.disk.free();
  await network.advance(5000);
  await pending;
  t.match(await look(network), { status: 200, state: 'ready', failing: [] });
  await network.stop();
});

t.test('a sync that fails: the controller has failed', async (t) => {
  const network = await bootNetwork();
  const lines = told(network);
  // The write of the frame, then its sync.
  network.disk.failCall(2, 'EIO');
  void write(network, 'lost');
  await network.advance(1000);
  const seen = await look(network);
  t.match(seen, { status: 503, state: 'failed', failing: ['controller', 'storage'] });
  t.match(seen.messages, /start the controller again/);
  t.equal(seen.metric('log_state', { state: 'failed' }), 1);
  t.equal(seen.metric('state', { state: 'failed' }), 1);
  t.equal(lines.length, 1);
  t.match(
    lines[0],
    /failed permanently: check the disk of the home, and start the controller again/,
  );
});

t.test('more waits for the disk than may', async (t) => {
  const network = await bootNetwork({ limits: { writesWaitingMax: 2 } });
  const writes = ['a', 'b', 'c', 'd'].map((name) => write(network, name));
  const seen = await look(network);
  t.match(seen, { status: 200, state: 'ready', failing: ['backlog'] });
  t.match(seen.messages, /see whether the disk of the home is slow/);
  t.equal(seen.metric('http_errors_total', { code: 'SERVER_TOO_MANY_REQUESTS' }), 2);
  const lines = network.logged.filter((line) => line.includes('too many wait for the disk'));
  t.equal(lines.length, 1, 'one line for both');
  await network.core.journal.flush();
  await Promise.all(writes);
  await network.advance(2 * minute);
  t.same((await look(network)).failing, []);
  await network.stop();
});

t.test('a snapshot that cannot be written', async (t) => {
  const network = await bootNetwork();
  await network.create('identities', identity('one'));
  const removed = network.disk.remove.bind(network.disk);
  network.disk.fill();
  t.equal((await network.call('POST', 'M:/database/snapshot')).status, 503);
  network.disk.remove = removed;
  const seen = await look(network);
  t.match(seen, { status: 200, state: 'ready', failing: ['snapshot'] });
  t.match(seen.messages, /check the disk; the log has everything/);
  t.equal(seen.metric('snapshots_total', { outcome: 'failed' }), 1);
  t.match(network.logged, [/a snapshot could not be written.*check the disk/]);
  network.disk.free();
  await network.must('POST', 'M:/database/snapshot');
  const after = await look(network);
  t.same(after.failing, []);
  t.equal(after.metric('snapshots_total', { outcome: 'kept' }), 1);
  await network.stop();
});

t.test('a newest snapshot that is too old', async (t) => {
  const network = await bootNetwork();
  const { snapshotter } = network.core;
  const figures = { ...snapshotter.figures, behindMs: 121 * minute };
  Object.defineProperty(snapshotter, 'figures', { get: () => figures });
  const seen = await look(network);
  t.match(seen, { status: 200, failing: ['snapshot'] });
  t.match(seen.messages, /too old: take one/);
  t.equal(seen.metric('snapshot_age_seconds'), 121 * 60);
  await network.stop();
});

t.test('a torn tail, until somebody takes a snapshot', async (t) => {
  const network = await bootNetwork();
  for (const name of ['a', 'b', 'c']) await network.create('identities', identity(name));
  await tear(network);
  const lines = told(network);
  t.ok(network.core.report.tornTail, 'it was torn');
  const seen = await look(network);
  t.match(seen, { status: 200, state: 'ready', failing: ['recovery'] });
  t.match(seen.messages, /take a snapshot to acknowledge/);
  t.ok((seen.metric('recovery_torn_tail_bytes') ?? 0) > 0);
  t.equal(seen.metric('health_check', { check: 'recovery' }), 0);
  t.equal(lines.length, 1);
  t.match(JSON.parse(lines[0] ?? ''), { level: 'warn', copy: /torn$/, message: /take a snapshot/ });
  await network.must('POST', 'M:/database/snapshot');
  t.same((await look(network)).failing, []);
  await network.stop();
});

/** The process dies, and the end of what it wrote last is not what it wrote. */
async function tear(network: Network): Promise<void> {
  const [path] = network.disk.list('/home/log').map((name) => `/home/log/${name}`);
  if (path === undefined) throw new Error('no segment');
  network.disk.corrupt(path, (bytes) => {
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === 0) end--;
    bytes[end - 1] = (bytes[end - 1] ?? 0) ^ 0xff;
  });
  await network.crash();
}

t.test('a damaged snapshot, until somebody takes another one', async (t) => {
  const network = await bootNetwork();
  for (const name of ['a', 'b']) {
    await network.create('identities', identity(name));
    await network.must('POST', 'M:/database/snapshot');
    await network.advance(2 * minute);
  }
  const file = network.core.snapshotter.newest?.file;
  network.disk.corrupt(`/home/snapshots/${file}`, (bytes) => {
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 0xff;
  });
  await network.crash();
  const lines = told(network);
  const seen = await look(network);
  t.match(seen, { status: 200, state: 'ready', failing: ['recovery'] });
  t.match(seen.messages, /check the disk, and take another one/);
  t.notMatch(seen.messages, file);
  t.equal(seen.metric('recovery_damaged_snapshots'), 1);
  t.match(lines, [/a snapshot is damaged.*take another one/]);
  await network.must('POST', 'M:/database/snapshot');
  t.same((await look(network)).failing, []);
  await network.stop();
});

for (const [direction, byMs] of [
  ['forward', 5 * minute],
  ['back', -5 * minute],
] as const) {
  t.test(`a clock that jumped ${direction}`, async (t) => {
    const network = await bootNetwork();
    network.clock.jump(byMs);
    await network.advance(minute);
    const seen = await look(network);
    t.match(seen, { status: 200, state: 'ready', failing: ['clock'] });
    t.match(seen.messages, /see to its time service/);
    t.equal(seen.metric('clock_jumps_total', { direction }), 1);
    t.match(network.logged, [/jumped (forward|back): see to its time service/]);
    await network.advance(clockJumpShownMs);
    t.same((await look(network)).failing, [], 'only for a while');
    await network.stop();
  });
}

t.test('an event loop that was held up', async (t) => {
  const network = await bootNetwork();
  const { clock, core } = network;
  const watch = new EventLoopWatch(clock, () => ({ activeMs: 0, turns: 0 }));
  core.sources.eventLoop = watch;
  const monotonic = clock.monotonic.bind(clock);
  let heldUpMs = 0;
  clock.monotonic = () => monotonic() + heldUpMs;
  watch.start();
  await network.advance(100);
  t.same((await look(network)).failing, []);
  heldUpMs = 1500;
  await network.advance(100);
  const seen = await look(network);
  t.match(seen, { status: 200, failing: ['event-loop'] });
  t.match(seen.messages, /cores and memory to spare/);
  const bucket = { le: '1' };
  const count = seen.metric('event_loop_delay_seconds_count') ?? 0;
  t.equal(seen.metric('event_loop_delay_seconds_bucket', bucket), count - 1);
  t.equal(watch.takeLongestMs(), 1500);
  t.equal(watch.takeLongestMs(), 0);
  await network.advance(3 * minute);
  t.same((await look(network)).failing, [], 'only for a while');
  watch.stop();
  await network.stop();
});

t.test('the life of a controller', (t) => {
  const sources = new Sources(new SimulatedClock());
  const phases = [
    'boot',
    'recovering',
    'following',
    'takingOver',
    'serving',
    'draining',
    'stopped',
    'failed',
  ] as const;
  const states = phases.map((phase) => {
    sources.phase = phase;
    const { state, healthy } = healthOf(sources);
    return `${phase}: ${state} ${healthy}`;
  });
  t.same(states, [
    'boot: recovering false',
    'recovering: recovering false',
    'following: following true',
    'takingOver: recovering false',
    'serving: ready true',
    'draining: draining false',
    'stopped: draining false',
    'failed: failed false',
  ]);
  t.end();
});
