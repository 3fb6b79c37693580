// What a snapshot lets go of, when it is kept while the log goes on.

import t from 'tap';
import type { StoredRecord } from '../../snapshots/journal.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { openSimulated, putEach, putting } from './home.ts';

const keepOne = { snapshotsKept: 1 } as const;

/** Enough for the walk to stop once in between. */
const walked: StoredRecord[] = Array.from({ length: 40 }, (_, n) => {
  return { kind: 'thing', id: `w${n}`, lsn: 1, version: 1, values: [n] };
});

t.test('a segment stays until the next one is known to be durable', async (t) => {
  let rotations = 0;
  for (let frames = 20; frames < 60; frames++) {
    for (let call = 1; call <= 4; call++) {
      const disk = new SimulatedDisk(frames * 10 + call);
      if (await failedInRotation(disk, frames, call)) rotations++;
      const found = await openSimulated(disk.crash(), undefined, keepOne);
      if (found.report.lastLsn < frames) t.fail(`${frames} frames, call ${call}`);
    }
  }
  t.ok(rotations > 0, `${rotations} headers were not synced while a snapshot was written`);
});

t.test('where the log does not reach back, the snapshots that do not read are named', async (t) => {
  const disk = new SimulatedDisk(1);
  const { journal } = await openSimulated(disk);
  for (let round = 0; round < 3; round++) {
    await putEach(
      journal,
      Array.from({ length: 60 }, (_, n) => `${round}-${n}`),
    );
    await journal.writeSnapshot([]);
  }
  const later = disk.kill();
  for (const lsn of [120, 180]) {
    const name = `/home/snapshots/${String(lsn).padStart(16, '0')}.snap`;
    later.corrupt(name, (bytes) => bytes.fill(1, 70, 71));
  }
  await t.rejects(openSimulated(later), {
    message:
      /frames before it are missing; snapshots do not read: 0+180.snap: wrong .*, 0+120.snap/,
  });
});

t.test('what it takes to begin is a part of the first slice', async (t) => {
  const clock = new SimulatedClock();
  const disk = new SimulatedDisk(1);
  const { journal } = await openSimulated(disk, clock);
  await putEach(journal, ['one']);
  let elapsedMs = 0;
  clock.monotonic = () => elapsedMs;
  disk.onCall = (_, path) => {
    if (path.includes('.snap')) elapsedMs += 1;
  };
  let taken = 0;
  const snapshot = journal.writeSnapshot(counted(), 1);
  t.ok(taken > 0 && taken < walked.length, `${taken} records in the turn it began in`);
  await clock.settle();
  await snapshot;
  t.equal(taken, walked.length);

  function* counted(): Generator<StoredRecord> {
    for (const record of walked) {
      taken += 1;
      yield record;
    }
  }
});

/**
 * Fills a log, begins a snapshot, and has the n-th call of the next frame fail; the snapshot is
 * kept all the same. @returns whether that frame began a segment
 */
async function failedInRotation(disk: SimulatedDisk, frames: number, call: number) {
  const clock = new SimulatedClock();
  const { journal } = await openSimulated(disk, clock, keepOne);
  await putEach(
    journal,
    Array.from({ length: frames }, (_, n) => `f${n}`),
  );
  const taken = journal.writeSnapshot(walked, 0).catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  let failed = '';
  disk.onFault = (what, path) => {
    failed = `${what} ${path}`;
  };
  const newest = disk.list('/home/log').at(-1);
  disk.failCall(call, 'EIO');
  journal.append(putting('last'));
  clock.turn();
  disk.failCall(Number.POSITIVE_INFINITY, 'EIO');
  await clock.settle();
  await taken;
  return journal.health.state === 'failed' && failed.endsWith(`fdatasync /home/log/${newest}`);
}
