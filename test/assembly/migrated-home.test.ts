// The first start of a home that a migration made: API sessions begin to be idle only then, and the
// log tells of the report.

import t from 'tap';
import { firstStartAfterMigration } from '../../src/assembly/migrated-home.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { createLog } from '../../src/observe/logs.ts';
import { Fleet } from '../routers/fleet.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const minuteMs = 60_000;
const mark = '/home/first-start-after-migration';
const reportPath = '/home/migration.json';

const counts = {
  identities: { read: 310, taken: 309, leftOut: 1, changed: 2 },
  services: { read: 301, taken: 301, leftOut: 0, changed: 0 },
};
const report = {
  format: 1,
  madeAt: '2026-01-01T00:00:00.000Z',
  source: { schema: 48, sha256: 'ab'.repeat(32) },
  counts,
  leftOut: [{ name: 'somebody' }],
};

/** A network with two API sessions, whose home was then left alone for ten hours. */
async function migrated(text: string | null = JSON.stringify(report)) {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  await network.stop();
  network.disk.place(mark, Buffer.alloc(0));
  if (text !== null) network.disk.place(reportPath, Buffer.from(text));
  network.clock = new SimulatedClock(network.clock.now() + 600 * minuteMs);
  return { network, token };
}

/** Starts as a serving controller does. @returns the lines that this start logged */
async function start(network: Network): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const { clock, disk, config } = network;
  const write = (line: string) => void lines.push(line);
  const { log } = createLog({ level: 'info', clock, readable: false, write });
  const core = await network.openCoreOn(network);
  await network.pump(firstStartAfterMigration(core, { disk, home: config.home, log }));
  core.start();
  network.adopt(core);
  await network.advance(1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const statusOf = async (network: Network, token: string) =>
  (await network.call('GET', 'C:/current-api-session', { token })).status;

t.test('idle time begins anew, also if the process dies before anybody comes back', async (t) => {
  const { network, token } = await migrated();
  await start(network);
  const startedMs = network.clock.now();
  t.notOk(network.disk.exists(mark));
  await network.advance(20 * minuteMs);
  await network.crash();
  await network.advance(minuteMs);
  const session = await network.call('GET', 'C:/current-api-session', { token });
  t.equal(session.status, 200);
  t.equal(await statusOf(network, network.admin), 200);
  await network.stop();
  network.clock = new SimulatedClock(startedMs + 120 * minuteMs);
  t.same(await start(network), [], 'told once');
  t.equal(await statusOf(network, token), 401, 'a later start is one like any other');
  await network.stop();
});

t.test('circuits that routers carry stay at that start, and at no other', async (t) => {
  const { network } = await migrated();
  await start(network);
  await network.logInAdmin();
  const fleet = new Fleet(network);
  const router = await fleet.router('edge');
  const isAsked = async () => {
    const { twin } = await fleet.connect(router);
    return twin.received.some(({ contentType }) => contentType === contentTypes.inspectRequest);
  };
  t.notOk(await isAsked());
  await network.restart();
  t.ok(await isAsked(), 'circuits that are unknown then are ended');
  await network.stop();
});

t.test('nobody who was idle stays without the mark, and nobody for ever with it', async (t) => {
  const { network, token } = await migrated();
  network.disk.remove(mark);
  t.same(await start(network), []);
  t.equal(await statusOf(network, token), 401);
  await network.stop();

  const other = await migrated();
  await start(other.network);
  await other.network.advance(31 * minuteMs);
  t.equal(await statusOf(other.network, other.token), 401);
  await other.network.stop();
});

t.test('the log tells what came along, and where the report is', async (t) => {
  const { network } = await migrated();
  const [line, ...more] = await start(network);
  t.same(more, []);
  t.match(line, { level: 'info', report: reportPath, madeAt: report.madeAt, schema: 48, counts });
  t.match(line?.['message'], /^this is the first start after a migration/);
  t.notMatch(JSON.stringify(line), /somebody/, 'nothing else of the report');
  await network.stop();
});

t.test('a report that is lost or damaged prevents no start', async (t) => {
  const wrong = {
    ...report,
    counts: { ...counts, x: { read: -1, taken: 'all' }, '\u001b[2J': {} },
  };
  const texts = [null, '', 'half {', '[]', '{"format": 2}', JSON.stringify(wrong)];
  for (const text of texts) {
    const { network, token } = await migrated(text);
    const [line, ...more] = await start(network);
    t.same(more, []);
    t.match(line, { level: 'warn', report: reportPath }, String(text));
    t.match(line?.['message'], /report of the migration cannot be read/);
    t.equal(await statusOf(network, token), 200);
    t.notOk(network.disk.exists(mark));
    await network.stop();
  }
});

t.test('a mark that cannot be removed lets the next start be a first one, too', async (t) => {
  const { network, token } = await migrated();
  const remove = network.disk.remove.bind(network.disk);
  network.disk.remove = (path) => {
    if (path === mark) throw Object.assign(new Error('EROFS: no'), { code: 'EROFS' });
    remove(path);
  };
  const [told, warned, ...more] = await start(network);
  t.same(more, []);
  t.match(told, { report: reportPath });
  t.match(warned, { level: 'warn', mark });
  network.disk.remove = remove;
  await network.stop();
  network.clock = new SimulatedClock(network.clock.now() + 600 * minuteMs);
  t.match(await start(network), [{ report: reportPath }]);
  t.equal(await statusOf(network, token), 200);
  t.notOk(network.disk.exists(mark));
  await network.stop();
});
