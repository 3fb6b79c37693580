// The journal with its writer in a thread, on the real disk.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import t from 'tap';
import { HomeLocked, JournalFailed, JournalStalled } from '../../snapshots/errors.ts';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { openHome } from '../../snapshots/home/open.ts';
import type { OpenHomeOptions } from '../../snapshots/home/open-options.ts';
import type { Journal, JournalHealth } from '../../snapshots/journal.ts';
import type { Clock } from '../../src/platform/ports.ts';
import { putting } from './home.ts';

const clock: Clock = {
  now: () => 1_700_000_000_000,
  monotonic: () => 0,
  after: () => {
    throw new Error('the thread needs no timer here');
  },
  soon: (task) => void setImmediate(task),
};

const failingDisk = new URL('./fixtures/failing-disk.ts', import.meta.url).href;

async function open(home: string, more: Partial<OpenHomeOptions> = {}) {
  const ids: string[] = [];
  const opened = await openHome(
    {
      home,
      disk: nodeDisk,
      clock,
      level: 'disk',
      writer: 'worker',
      newDataSetId: '00112233445566778899aabbccddeeff',
      segmentBytes: 65_536,
      frameBytesMax: 16_384,
      pendingBytesMax: 1_048_576,
      snapshotsKept: 2,
      load: ({ id }) => ids.push(id),
      ...more,
    },
    failingDisk,
  );
  return { ...opened, ids };
}

function nextHealth(journal: Journal): Promise<JournalHealth> {
  return new Promise((resolve) => journal.onHealth(resolve));
}

for (const level of ['disk', 'second', 'memory'] as const) {
  t.test(`level ${level}: what was flushed and closed is there again`, async (t) => {
    const home = t.testdir();
    const { journal } = await open(home, { level });
    const heard: number[] = [];
    journal.onDurable((lsn) => heard.push(lsn));
    for (let lsn = 1; lsn <= 2000; lsn++) {
      if (journal.append(putting(`id${lsn}`)) !== lsn) t.fail(`LSN ${lsn} was not given`);
      if (lsn % 100 === 0) await journal.flush();
    }
    t.equal(journal.durableLsn, 2000);
    t.equal(heard.at(-1), 2000);
    t.strictSame(
      heard,
      [...heard].sort((a, b) => a - b),
    );
    await journal.close();
    t.equal(journal.figures.framesWritten, 2001);
    t.ok(journal.figures.groupsWritten <= 2001);
    t.throws(() => journal.append(putting('late')), JournalStalled);

    const again = await open(home, { level });
    t.match(again.report, { lastLsn: 2001, records: 2000, sealed: true });
    await t.rejects(open(home), HomeLocked);
    await again.journal.writeSnapshot([
      { kind: 'thing', id: 'only', lsn: 1, version: 1, values: ['only'] },
    ]);
    await again.journal.close();

    const third = await open(home, { level });
    t.match(third.report, { lastLsn: 2002, snapshotLsn: 2001, sealed: true });
    t.strictSame(third.ids, ['only']);
    await third.journal.close();
  });
}

t.test('a full disk stalls the journal, and it goes on once there is room', async (t) => {
  const home = t.testdir();
  const { journal } = await open(home);
  journal.append(putting('a'));
  await journal.flush();
  writeFileSync(join(home, 'full'), '');
  journal.append(putting('b'));
  const stalled = await nextHealth(journal);
  t.match(stalled, { state: 'stalled', reason: /ENOSPC/, sinceMs: 1_700_000_000_000 });
  t.throws(() => journal.append(putting('c')), JournalStalled);
  t.equal(journal.durableLsn, 1);
  rmSync(join(home, 'full'));
  await journal.flush();
  t.equal(journal.durableLsn, 2);
  t.strictSame(journal.health, { state: 'writable' });
  await journal.close();
  const again = await open(home);
  t.strictSame(again.ids.sort(), ['a', 'b']);
  await again.journal.close();
});

t.test('a failed sync is the end', async (t) => {
  const home = t.testdir();
  const { journal } = await open(home);
  writeFileSync(join(home, 'broken'), '');
  journal.append(putting('a'));
  const failed = await Promise.all([
    nextHealth(journal),
    t.rejects(journal.flush(), JournalFailed),
  ]);
  t.match(failed[0], { state: 'failed', reason: /cannot make the log durable: EIO/ });
  t.equal(journal.durableLsn, 0);
  t.throws(() => journal.append(putting('b')), JournalStalled);
  await t.rejects(journal.flush(), JournalFailed);
  await t.rejects(journal.close(), JournalFailed);
  rmSync(join(home, 'broken'));
  const again = await open(home);
  t.ok(again.report.lastLsn <= 1, 'the lock was given back');
  await again.journal.close();
});

t.test('frames beyond the bound are refused', async (t) => {
  const home = t.testdir();
  const { journal } = await open(home, { pendingBytesMax: 1000 });
  const appended = () => {
    for (let count = 0; count < 100; count++) journal.append(putting(`id${count}`));
  };
  t.throws(appended, JournalStalled);
  const { lastLsn } = journal;
  t.ok(lastLsn >= 10 && lastLsn < 100);
  await journal.flush();
  t.equal(journal.append(putting('more')), lastLsn + 1);
  await journal.close();
});
