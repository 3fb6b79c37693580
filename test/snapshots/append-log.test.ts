// The journal's promises, with the writer on the caller's thread and a simulated disk and clock.

import t from 'tap';

import { FrameTooLarge, JournalFailed, JournalStalled } from '../../snapshots/errors.ts';
import type { Journal, JournalHealth } from '../../snapshots/journal.ts';
import { readFrames } from '../../snapshots/log/read-frames.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { openSimulated, putting, smallBounds } from './home.ts';

async function opened(more: Parameters<typeof openSimulated>[2] = {}) {
  const disk = new SimulatedDisk(1);
  const clock = new SimulatedClock();
  const { journal } = await openSimulated(disk, clock, more);
  return { disk, clock, journal };
}

function healthsOf(journal: Journal): JournalHealth['state'][] {
  const healths: JournalHealth['state'][] = [];
  journal.onHealth(({ state }) => healths.push(state));
  return healths;
}

t.test('one turn is one group: nothing is told from within append', async (t) => {
  const { disk, clock, journal } = await opened();
  const heard: number[] = [];
  journal.onDurable((lsn) => heard.push(lsn));
  for (const id of ['a', 'b', 'c']) journal.append(putting(id));
  t.match(journal, { lastLsn: 3, durableLsn: 0 });
  t.strictSame(heard, []);
  clock.turn();
  t.strictSame(heard, [3]);
  journal.append(putting('d'));
  clock.turn();
  t.strictSame(heard, [3, 4]);
  t.match(journal.figures, { framesWritten: 4, groupsWritten: 2 });
  const batches = [...readFrames(disk, '/home')].map(({ place }) => place.batch);
  t.strictSame(batches, [1, 1, 1, 4], 'a batch is named by its first LSN');
  const bytes = [...readFrames(disk, '/home')].reduce((sum, { place }) => sum + place.bytes, 0);
  t.equal(journal.figures.bytesWritten, bytes);
});

t.test('frames go on in the next segment; none is split', async (t) => {
  const { disk, clock, journal } = await opened();
  for (let index = 0; index < 200; index++) journal.append(putting(`id${index}`));
  clock.turn();
  t.equal(journal.durableLsn, 200);
  const entries = [...readFrames(disk, '/home')];
  t.equal(entries.length, 200);
  t.equal(new Set(entries.map(({ place }) => place.file)).size, 5);
  const last = new Map(entries.map(({ place }) => [place.file, place.offset + place.bytes]));
  t.ok([...last.values()].every((end) => end <= smallBounds.segmentBytes));
  const from = [...readFrames(disk, '/home', 150)];
  t.equal(from.length, 51);
  t.match(from[0], { entry: 'transaction', frame: { lsn: 150, operation: 'put' } });
});

t.test('frameBytesMax: one byte more is refused and takes no LSN', async (t) => {
  const { journal } = await opened();
  const fitting = (bytes: number) => putting('a', 'x'.repeat(bytes));
  let bytes = smallBounds.frameBytesMax - 100;
  for (; bytes < smallBounds.frameBytesMax; bytes++) {
    try {
      journal.append(fitting(bytes));
      await journal.flush();
    } catch (error) {
      if (!(error instanceof FrameTooLarge)) throw error;
      t.equal(error.payloadBytes, smallBounds.frameBytesMax + 1);
      break;
    }
  }
  const { lastLsn } = journal;
  t.throws(() => journal.append(fitting(100_000)), FrameTooLarge);
  t.equal(journal.lastLsn, lastLsn);
  t.equal(journal.append(fitting(1)), lastLsn + 1);
});

t.test('pendingBytesMax: refused until the disk has caught up', async (t) => {
  const { clock, journal } = await opened({ pendingBytesMax: 800 });
  for (let lsn = 1; lsn <= 10; lsn++) t.equal(journal.append(putting('a')), lsn);
  t.throws(() => journal.append(putting('a')), JournalStalled);
  t.equal(journal.lastLsn, 10);
  clock.turn();
  t.equal(journal.append(putting('a')), 11);
});

t.test('a full disk: stalled, the same bytes again, writable', async (t) => {
  const { disk, clock, journal } = await opened();
  const healths = healthsOf(journal);
  disk.fill();
  journal.append(putting('a'));
  journal.append(putting('b'));
  clock.turn();
  t.match(journal.health, { state: 'stalled', reason: /ENOSPC/, sinceMs: clock.now() });
  t.throws(() => journal.append(putting('c')), JournalStalled);
  clock.advance(5000);
  t.equal(journal.durableLsn, 0);
  disk.free();
  clock.advance(300);
  t.equal(journal.durableLsn, 2);
  t.strictSame([healths[0], healths.at(-1)], ['stalled', 'writable']);
  const { records, report } = await openSimulated(disk.crash());
  t.equal(records.size, 2);
  t.equal(report.tornTail, undefined);
});

t.test('a stall on a disk that is nearly full ends where it was: short', async (t) => {
  const { disk, clock, journal } = await opened();
  const short = { state: 'writable', isShort: true } as const;
  const isShort = () => 'isShort' in journal.health;
  disk.fill('blocks');
  for (let index = 0; index < 100 && !isShort(); index += 1) {
    journal.append(putting(`id${index}`));
    clock.turn();
  }
  t.strictSame(journal.health, short);
  disk.failCall(1, 'EIO');
  journal.append(putting('a'));
  clock.turn();
  t.match(journal.health, { state: 'stalled' });
  clock.advance(300);
  t.equal(journal.durableLsn, journal.lastLsn);
  t.strictSame(journal.health, short);
});

t.test('a failed sync is the end: nothing more is acknowledged', async (t) => {
  const { disk, clock, journal } = await opened();
  const healths = healthsOf(journal);
  journal.append(putting('a'));
  disk.failCall(2, 'EIO');
  journal.append(putting('b'));
  clock.turn();
  t.match(journal.health, { state: 'failed', reason: /cannot make the log durable/ });
  t.strictSame(healths, ['failed']);
  t.throws(() => journal.append(putting('c')), JournalStalled);
  await t.rejects(journal.flush(), JournalFailed);
  await t.rejects(journal.close(), JournalFailed);
  t.notOk(disk.exists('/home/lock'));
});

t.test('level second: acknowledged when written, synced within a second', async (t) => {
  const { disk, clock, journal } = await opened({ level: 'second' });
  journal.append(putting('a'));
  const calls = disk.calls;
  clock.turn();
  t.equal(journal.durableLsn, 1);
  const written = disk.calls - calls;
  clock.advance(999);
  t.equal(disk.calls - calls, written);
  clock.advance(1);
  t.equal(disk.calls - calls, written + 1, 'one sync');
  clock.advance(5000);
  t.equal(disk.calls - calls, written + 1, 'none while idle');
});

t.test('level memory: acknowledged when the turn ends, whatever the disk says', async (t) => {
  const { disk, clock, journal } = await opened({ level: 'memory' });
  disk.fill();
  journal.append(putting('a'));
  t.equal(journal.durableLsn, 0);
  clock.turn();
  t.equal(journal.durableLsn, 1);
});

t.test('bounds that cannot work together are refused', async (t) => {
  const disk = new SimulatedDisk(1);
  const open = (more: Parameters<typeof openSimulated>[2]) => openSimulated(disk, undefined, more);
  await t.rejects(open({ segmentBytes: 2048 }), RangeError);
  await t.rejects(open({ newDataSetId: 'short' }), RangeError);
  await t.rejects(open({ snapshotsKept: 0 }), RangeError);
  await t.rejects(open({ recoverToLsn: 0 }), RangeError);
  t.notOk(disk.exists('/home'));
});
