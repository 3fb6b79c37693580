// Figures and processes: rates over the last second, sampled only while somebody asks; nothing in
// any of what is told of a controller is secret.

import t from 'tap';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const identity = (name: string) => ({ name, type: 'Default', isAdmin: false });

async function create(network: Network, from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n++) await network.create('identities', identity(`n${n}`));
}

t.test('rates are those of the last second', async (t) => {
  const network = await bootNetwork();
  const { observation } = network.env;
  t.match(observation.figures(), { requestsASecond: 0, framesASecond: 0, framesAGroup: 0 });
  await network.advance(1000);
  await create(network, 0, 7);
  await network.call('GET', 'M:/identities');
  await network.advance(1000);
  const busy = observation.figures();
  t.match(busy, { requestsASecond: 8, framesASecond: 7, framesAGroup: 1 });
  t.ok(busy.logBytesASecond > 0);
  const { lastLsn, durableLsn } = network.core.journal;
  t.match(busy, { lastLsn, durableLsn, timeMs: network.clock.now() });
  t.ok(busy.heapBytes > 0 && busy.residentBytes > busy.heapBytes);
  const writer = observation.processes().find(({ name }) => name === 'log writer');
  t.match(writer, { state: 'writable', rates: { frames: 7, groups: 7 } });
  await network.advance(1000);
  t.match(observation.figures(), { requestsASecond: 0, framesASecond: 0 });
  await network.stop();
});

t.test('nobody asks, nothing is sampled', async (t) => {
  const network = await bootNetwork();
  const { observation } = network.env;
  observation.figures();
  await network.advance(3000);
  const { timeMs } = observation.figures();
  t.equal(timeMs, network.clock.now(), 'sampled while somebody asks');
  await network.advance(60_000);
  await create(network, 0, 5);
  const anew = observation.figures();
  t.match(anew, { timeMs: network.clock.now(), framesASecond: 0 }, 'no rate over a whole minute');
  await network.stop();
});

t.test('processes say what they do', async (t) => {
  const network = await bootNetwork();
  const { observation } = network.env;
  const stateOf = (wanted: string) =>
    observation.processes().find(({ name }) => name === wanted)?.state;
  t.equal(stateOf('snapshotter'), 'idle');
  const since = network.clock.now();
  await network.advance(5000);
  const asked = network.core.snapshotter.take();
  t.equal(stateOf('snapshotter'), 'writing');
  await network.clock.settle();
  await asked;
  const after = observation.processes().find(({ name }) => name === 'snapshotter');
  t.match(after, { state: 'idle', sinceMs: since + 5000, detail: /the newest holds \d+ records/ });

  network.disk.fill();
  const write = network.call('POST', 'M:/identities', { body: identity('stuck') });
  await network.advance(2000);
  const writer = observation.processes().find(({ name }) => name === 'log writer');
  t.match(writer, { state: 'stalled', detail: /^ENOSPC/ });
  t.equal(writer?.sinceMs, since + 5000, 'since the first try, not the last');
  network.disk.free();
  await network.advance(2000);
  await write;
  t.equal(stateOf('log writer'), 'writable');
  await network.stop();
});

t.test('nothing secret is told', async (t) => {
  const network = await bootNetwork();
  const password = 'a-password-of-a-user';
  await network.createUser('somebody', password);
  const token = await network.login('somebody', password);
  const enrollment = await network.must<{ token?: string }[]>('GET', 'M:/enrollments');
  const texts = [
    await createMetrics(network.core.sources).text(),
    (await network.call('GET', '/health-checks', { token: null })).body.toString(),
    (await network.call('GET', 'M:/inspect/figures')).body.toString(),
    (await network.call('GET', 'M:/inspect/processes')).body.toString(),
    (await network.call('GET', 'M:/inspect/log-level')).body.toString(),
  ].join('\n');
  const secrets = [password, token, network.admin, 'somebody', '/home', '$argon2id'];
  for (const { token: one } of enrollment) if (one !== undefined) secrets.push(one);
  for (const secret of secrets) t.notOk(texts.includes(secret), secret);
  await network.stop();
});
