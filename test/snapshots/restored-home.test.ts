// Restored homes: they open, go on and are nobody else's; a failure leaves nothing or all of one.

import t from 'tap';
import { HomeLocked } from '../../snapshots/errors.ts';
import { acquireLock } from '../../snapshots/home/lock.ts';
import { readManifest } from '../../snapshots/home/manifest.ts';
import { type RestoreOrder, restoreHome } from '../../snapshots/home/restored-home.ts';
import { openAndRead } from '../crash/life.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import type { Fault, SimulatedDisk } from '../simulated/disk.ts';
import { putEach, smallBounds } from './home.ts';
import { frames, restorableHome, sourceOf, textAt, textOf } from './restorable.ts';

const lsn = 6;
const newDataSetId = 'abcdef0123456789'.repeat(2);

function orderFor(disk: SimulatedDisk, more: Partial<RestoreOrder> = {}): RestoreOrder {
  return {
    target: '/new',
    source: sourceOf(disk, { lsn }).source,
    newDataSetId,
    segmentBytes: smallBounds.segmentBytes,
    files: [
      { from: '/home/pki/ca.pem', path: 'pki/ca.pem' },
      { from: '/home/config.json', path: 'config.json' },
    ],
    nowMs: 5000,
    ...more,
  };
}

/** Opens a home and gives it back at once, as a killed process would. */
async function contentOf(disk: SimulatedDisk, home: string) {
  const { journal, records, report } = await openAndRead(disk, new SimulatedClock(), 'disk', {
    home,
  });
  return { journal, report, text: textOf(records) };
}

t.test('it opens at the LSN with all records, and goes on from there', async (t) => {
  const disk = await restorableHome();
  const told: number[] = [];
  const progress = (records: number) => void told.push(records);
  const kept = restoreHome(disk, orderFor(disk, { progress }));
  t.equal(kept.lsn, lsn);
  t.same(disk.entries('/new'), ['config.json', 'log', 'manifest', 'pki', 'snapshots']);
  t.equal(disk.bytesOf('/new/pki/ca.pem').toString(), 'certificate');
  t.notOk(disk.exists('/new.unfinished'));
  t.same(readManifest(disk, '/new')?.restoredFrom, {
    dataSetId: '0123456789abcdef'.repeat(2),
    lsn,
    atMs: 5000,
  });
  const after = disk.crash();
  const { journal, text, report } = await contentOf(after, '/new');
  t.equal(text, textAt(lsn));
  t.match(report, { lastLsn: lsn, snapshotLsn: lsn, framesReplayed: 0, dataSetId: newDataSetId });
  await putEach(journal, ['later', 'and later']);
  t.equal(journal.lastLsn, lsn + 2);
  const next = await contentOf(after.kill(), '/new');
  t.equal(next.report.lastLsn, lsn + 2);
  t.match(next.text, /and later/);
});

t.test('segments of the source never pass for its own', async (t) => {
  const disk = await restorableHome();
  restoreHome(disk, orderFor(disk));
  const foreign = disk.list('/home/log')[1] ?? '';
  disk.place(`/new/log/${foreign}`, disk.bytesOf(`/home/log/${foreign}`));
  await t.rejects(contentOf(disk, '/new'), { name: 'LogCorrupt', message: /belongs to 0123/ });
});

t.test('a home that is laid aside is whole, and kept from nobody', async (t) => {
  const disk = await restorableHome();
  const order = orderFor(disk, { target: '/home', aside: '/home.before' });
  const release = acquireLock(disk, '/home');
  t.throws(() => restoreHome(disk, order), HomeLocked);
  t.same(disk.entries('/').includes('home.unfinished'), false);
  release();
  restoreHome(disk, order);
  const after = disk.crash();
  t.equal((await contentOf(after, '/home')).text, textAt(lsn));
  t.equal((await contentOf(after, '/home.before')).text, textAt(frames.length));
});

t.test('a directory that somebody fills meanwhile is theirs', async (t) => {
  const disk = await restorableHome();
  disk.makeDirectory('/new');
  const progress = () => undefined;
  const { source } = sourceOf(disk, { lsn });
  const load: typeof source.load = (take) => {
    disk.place('/new/file', Buffer.from('mine'));
    return source.load(take);
  };
  const order = orderFor(disk, { source: { ...source, load }, progress });
  t.throws(() => restoreHome(disk, order), { message: /no longer empty/ });
  t.same(disk.entries('/new'), ['file']);
  t.notOk(disk.exists('/new.unfinished'));
});

t.test('files that are not what was verified', async (t) => {
  const disk = await restorableHome();
  const digests = [{ path: 'pki/ca.pem', bytes: 11, sha256: '00' }];
  t.throws(() => restoreHome(disk, orderFor(disk, { digests })), { message: /ca.pem .* changed/ });
  t.notOk(disk.exists('/new'));
});

for (const aside of [undefined, '/new.before']) {
  const what = aside === undefined ? 'into an empty place' : 'in place of another home';
  t.test(`whatever call fails, ${what}: nothing or a whole home`, async (t) => {
    const calls = await callsOf(aside);
    for (const fault of ['ENOSPC', 'EIO', 'crash'] as const satisfies readonly Fault[]) {
      const found = { restored: 0, before: 0, between: 0 };
      for (let call = 1; call <= calls; call++) {
        const outcome = await outcomeOf(fault, call, aside);
        found[outcome] += 1;
        if (outcome === 'between' && fault !== 'crash') t.fail(`${fault} at call ${call}`);
      }
      t.ok(
        found.restored > 0 && found.before > found.restored,
        `${fault}: ${JSON.stringify(found)}`,
      );
      if (aside === undefined) t.equal(found.between, 0);
    }
  });
}

/** What stands there after a call has failed. @throws Error when it is nothing of these */
async function outcomeOf(
  fault: Fault,
  call: number,
  aside: string | undefined,
): Promise<'restored' | 'before' | 'between'> {
  const before = await worldWith(aside);
  const order = orderFor(before, { aside });
  before.countReads();
  before.failCall(call, fault);
  let hasFailed = false;
  try {
    restoreHome(before, order);
  } catch {
    hasFailed = true;
  }
  const disk = fault === 'crash' ? before.crash() : before.kill();
  const at = `${fault} at call ${call}`;
  if (fault !== 'crash' && disk.exists('/new.unfinished')) throw new Error(`${at} leaves a draft`);
  if (!disk.exists('/new')) {
    if (!hasFailed) throw new Error(`${at}: it was said to be there`);
    if (aside === undefined) return again(disk, aside);
    // Both are whole, and neither is in its place.
    if ((await contentOf(disk, aside)).text !== textAt(frames.length)) throw new Error(at);
    return 'between';
  }
  const { text } = await contentOf(disk, '/new');
  if (text === textAt(lsn)) return 'restored';
  if (aside === undefined || text !== textAt(frames.length)) throw new Error(`${at}: ${text}`);
  return again(disk.kill(), aside);
}

/** The next try clears away and restores. */
async function again(disk: SimulatedDisk, aside: string | undefined): Promise<'before'> {
  restoreHome(disk, orderFor(disk, { aside }));
  if ((await contentOf(disk, '/new')).text !== textAt(lsn)) throw new Error('the next try failed');
  return 'before';
}

/** A disk with the source and, where it is laid aside, a home at `/new`. */
async function worldWith(aside: string | undefined): Promise<SimulatedDisk> {
  const disk = await restorableHome();
  if (aside === undefined) return disk;
  for (const directory of ['log', 'snapshots']) {
    for (const name of disk.list(`/home/${directory}`)) {
      disk.place(`/new/${directory}/${name}`, disk.bytesOf(`/home/${directory}/${name}`));
    }
  }
  disk.place('/new/manifest', disk.bytesOf('/home/manifest'));
  return disk;
}

async function callsOf(aside: string | undefined): Promise<number> {
  const disk = await worldWith(aside);
  const order = orderFor(disk, { aside });
  disk.countReads();
  const before = disk.calls;
  restoreHome(disk, order);
  return disk.calls - before;
}
