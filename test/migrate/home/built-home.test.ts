// A migrated home on a simulated disk: whatever call fails, and wherever the process is killed,
// there is nothing of it or all.

import { type Test, t } from 'tap';
import { HomeLocked, RestoreRefused } from '../../../snapshots/errors.ts';
import { acquireLock } from '../../../snapshots/home/lock.ts';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import { buildHome, type HomeOrder, refuseExisting } from '../../../src/migrate/home/built-home.ts';
import { firstLsn } from '../../../src/migrate/home/new-records.ts';
import { openAndRead } from '../../crash/life.ts';
import { SimulatedClock } from '../../simulated/clock.ts';
import { type Fault, SimulatedDisk } from '../../simulated/disk.ts';

const records = ['one', 'two', 'three'];

const files = new Map([
  ['config.json', '{}\n'],
  ['pki/server.key', 'a key'],
  ['migration.json', '{"format":1}\n'],
]);

function order(changes: Partial<HomeOrder> = {}): HomeOrder {
  return {
    target: '/new',
    files,
    load: (take) => {
      for (const id of records) {
        take({ kind: 'thing', id, lsn: firstLsn, version: 1, values: [id, 'text'] });
      }
    },
    dataSetId: 'abcdef0123456789'.repeat(2),
    segmentBytes: 8192,
    nowMs: 5000,
    progress: () => undefined,
    check: () => undefined,
    ...changes,
  };
}

async function idsIn(disk: SimulatedDisk): Promise<readonly string[]> {
  const { records: found, journal } = await openAndRead(disk, new SimulatedClock(), 'disk', {
    home: '/new',
  });
  await journal.close();
  return [...found.values()].map(({ id }) => id).sort();
}

t.test('it holds files and records, and opens with them', async (t) => {
  const disk = new SimulatedDisk(1);
  const kept = buildHome(disk, order());
  t.match(kept, { lsn: firstLsn, records: records.length });
  const names = ['config.json', 'log', 'manifest', 'migration.json', 'pki', 'snapshots'];
  t.same(disk.entries('/new'), names);
  t.equal(disk.bytesOf('/new/pki/server.key').toString(), 'a key');
  t.equal(readManifest(disk, '/new')?.restoredFrom, undefined);
  t.same(await idsIn(disk.crash()), [...records].sort());
});

t.test('it is checked before it gets its name', (t) => {
  const disk = new SimulatedDisk(1);
  let checked = '';
  buildHome(
    disk,
    order({
      check: (directory) => {
        checked = directory;
        t.notOk(disk.exists('/new'));
        t.ok(readManifest(disk, directory));
      },
    }),
  );
  t.equal(checked, '/new.unfinished');
  const check = () => {
    throw new Error('unsound');
  };
  t.throws(() => buildHome(disk, order({ target: '/other', check })), { message: 'unsound' });
  t.same(disk.entries('/'), ['new'], 'nothing is left of what does not pass');
  t.end();
});

t.test('a place that is taken', (t) => {
  const disk = new SimulatedDisk(1);
  refuseExisting(disk, '/new');
  disk.makeDirectory('/new');
  refuseExisting(disk, '/new');
  const release = acquireLock(disk, '/new');
  t.throws(() => refuseExisting(disk, '/new'), HomeLocked);
  release();
  disk.place('/new/file', Buffer.from('of others'));
  t.throws(() => refuseExisting(disk, '/new'), RestoreRefused);
  t.throws(() => buildHome(disk, order()), { message: /no longer empty/ });
  t.same(disk.entries('/'), ['new']);
  t.end();
});

for (const fault of ['ENOSPC', 'EIO', 'crash', 'kill'] as const) {
  t.test(`${fault} at any call`, async (t) => {
    const counting = new SimulatedDisk(1);
    counting.countReads();
    buildHome(counting, order());
    const outcomes = { nothing: 0, all: 0 };
    for (let call = 1; call <= counting.calls; call++) {
      outcomes[await outcomeOf(t, fault, call)] += 1;
    }
    t.ok(outcomes.nothing > outcomes.all && outcomes.all > 0, JSON.stringify(outcomes));
  });
}

/** What is there after a call has failed. The next attempt must succeed in any case. */
async function outcomeOf(
  t: Test,
  fault: 'ENOSPC' | 'EIO' | 'crash' | 'kill',
  call: number,
): Promise<'nothing' | 'all'> {
  const disk = new SimulatedDisk(call);
  const injected: Fault = fault === 'kill' ? 'crash' : fault;
  disk.countReads();
  disk.failCall(call, injected);
  let hasFailed = false;
  try {
    buildHome(disk, order());
  } catch {
    hasFailed = true;
  }
  const after = fault === 'crash' ? disk.crash() : disk.kill();
  const isThere = after.quietly(() => after.entries('/new').length > 0);
  if (injected !== 'crash' && hasFailed && !isThere) {
    t.same(
      after.entries('/').filter((name) => name !== 'new'),
      [],
      `call ${call}: nothing is left behind`,
    );
  }
  if (!isThere) buildHome(after, order());
  t.same(await idsIn(after), [...records].sort(), `call ${call}: all records`);
  for (const [path, text] of files) {
    const found = after.bytesOf(`/new/${path}`).toString();
    if (found !== text) t.fail(`call ${call}: ${path} is ${found}`);
  }
  return isThere ? 'all' : 'nothing';
}
