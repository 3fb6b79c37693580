// How a start treats a home: torn tails are cut, damage is refused, `--recover-to` gives up what is
// behind.

import t from 'tap';

import { LogCorrupt, NewerFormat, RecoverToUnreachable } from '../../snapshots/errors.ts';
import { frameBytesAt } from '../../snapshots/log/frame.ts';
import { readFrames } from '../../snapshots/log/read-frames.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { firstSegment, homeWith, openSimulated, putEach, putting } from './home.ts';

/** Offsets of the frames in the first segment. */
function offsetsOf(disk: SimulatedDisk): number[] {
  return [...readFrames(disk, '/home')].map(({ place }) => place.offset);
}

function ids(records: ReadonlyMap<string, { readonly id: string }>): string {
  return [...records.values()]
    .map(({ id }) => id)
    .sort()
    .join(' ');
}

t.test('a new home', async (t) => {
  const disk = new SimulatedDisk(1);
  const { report, journal } = await openSimulated(disk);
  t.match(report, { lastLsn: 0, records: 0, sealed: false, snapshotLsn: 0 });
  t.equal(journal.append(putting('a')), 1, 'LSNs begin with 1');
  await journal.close();
  const again = await openSimulated(disk.kill(), undefined, { newDataSetId: 'ff'.repeat(16) });
  t.equal(again.report.dataSetId, report.dataSetId, 'a home keeps its data set');
});

t.test('a clean stop leaves a seal, a killed process none', async (t) => {
  const sealed = await openSimulated(await homeWith([['a'], ['b']], 'close'));
  t.match(sealed.report, { sealed: true, lastLsn: 3, framesReplayed: 3, records: 2 });
  const killed = await openSimulated(await homeWith([['a'], ['b']]));
  t.match(killed.report, { sealed: false, lastLsn: 2, records: 2 });
  t.equal(killed.report.tornTail, undefined);
});

t.test('the last frame torn at every byte: cut, kept, reported', async (t) => {
  const whole = await homeWith([['a'], ['b'], ['c']]);
  const bytes = whole.bytesOf(firstSegment);
  const start = offsetsOf(whole)[2] ?? 0;
  const end = start + frameBytesAt(bytes, start);
  for (let cut = start; cut < end - 8; cut++) {
    const disk = await homeWith([['a'], ['b'], ['c']]);
    disk.corrupt(firstSegment, (bytes) => bytes.fill(0, cut));
    const { report, records, journal } = await openSimulated(disk);
    if (ids(records) !== 'a b') t.fail(`cut at ${cut}: ${ids(records)}`);
    if (report.tornTail !== undefined) {
      const { copy, offset } = report.tornTail;
      t.equal(offset, start);
      const kept = disk.bytesOf(copy);
      t.strictSame(kept, bytes.subarray(start, start + kept.length));
    } else if (cut !== start) t.fail(`cut at ${cut} was not reported`);
    t.equal(journal.append(putting('d')), 3, 'its LSN is given again');
    await journal.flush();
    const next = await openSimulated(disk.crash());
    if (ids(next.records) !== 'a b d') t.fail(`after the cut at ${cut}: ${ids(next.records)}`);
  }
});

t.test('within the last batch any frame may be bad', async (t) => {
  const disk = await homeWith([['a'], ['b', 'c', 'd']]);
  const [, second = 0] = offsetsOf(disk);
  disk.corrupt(firstSegment, (bytes) => bytes.fill(0xee, second + 40, second + 44));
  const { report, records } = await openSimulated(disk);
  t.equal(ids(records), 'a');
  t.match(report.tornTail, { file: firstSegment, offset: second });
});

t.test('damage with a later batch behind it refuses the start', async (t) => {
  const disk = await homeWith([['a'], ['b'], ['c']]);
  const [, second = 0] = offsetsOf(disk);
  for (const damage of ['flip', 'zero'] as const) {
    disk.corrupt(firstSegment, (bytes) => {
      if (damage === 'zero') bytes.fill(0, second, second + frameBytesAt(bytes, second));
      else bytes[second + 33] = (bytes[second + 33] ?? 0) ^ 4;
    });
    const before = disk.bytesOf(firstSegment);
    const refused = await openSimulated(disk).then(
      () => t.fail('it started'),
      (error: unknown) => error,
    );
    if (!(refused instanceof LogCorrupt)) throw refused;
    t.match(refused, { file: firstSegment, offset: second, lsn: 2 });
    t.match(refused.message, /--recover-to LSN .*at most 1 can be had/);
    t.strictSame(disk.bytesOf(firstSegment), before, 'nothing was changed');
    t.notOk(disk.exists('/home/lock'), 'the lock is given back');
  }
});

t.test('damage before a seal refuses the start, in the last batch too', async (t) => {
  const disk = await homeWith([['a', 'b']], 'close');
  const [, second = 0] = offsetsOf(disk);
  disk.corrupt(firstSegment, (bytes) => bytes.fill(7, second + 34, second + 36));
  await t.rejects(openSimulated(disk), LogCorrupt);
});

t.test('a bad header of a segment with frames, a missing segment, a foreign one', async (t) => {
  const many = Array.from({ length: 60 }, (_, index) => [`id${index}`]);
  const second = firstSegment.replace('1.log', '2.log');
  const flipped = await homeWith(many);
  t.ok(flipped.exists(second), 'the home has several segments');
  flipped.corrupt(second, (bytes) => bytes.fill(1, 20, 21));
  await t.rejects(openSimulated(flipped), LogCorrupt);

  const missing = await homeWith(many);
  missing.rename(second, '/home/elsewhere');
  await t.rejects(openSimulated(missing), /segment 2 is missing/);

  const foreign = await homeWith(many);
  foreign.place(firstSegment, (await homeOf('ee'.repeat(16))).bytesOf(firstSegment));
  await t.rejects(openSimulated(foreign), /it belongs to eeee/);

  const headless = await homeWith(many);
  headless.remove(firstSegment);
  await t.rejects(openSimulated(headless), /frames before it are missing/);

  const empty = await homeWith([['a']]);
  for (const name of empty.list('/home/log')) empty.remove(`/home/log/${name}`);
  await t.rejects(openSimulated(empty), /the log has no segment/);
});

t.test('a frame kind of a newer release is refused', async (t) => {
  const { frameSeed, stampFrame } = await import('../../snapshots/log/frame.ts');
  const disk = await homeWith([['a']]);
  const seed = frameSeed('0123456789abcdef'.repeat(2));
  disk.corrupt(firstSegment, (bytes) => {
    bytes.writeUInt16LE(4, 512 + 28);
    stampFrame(bytes, 512, { lsn: 1, batch: 1, previousCrc: 0 }, seed);
  });
  await t.rejects(openSimulated(disk), NewerFormat);
});

t.test('a lost manifest is no new home', async (t) => {
  const disk = await homeWith([['a'], ['b']]);
  disk.remove('/home/manifest');
  await t.rejects(openSimulated(disk), /the manifest is missing although the home holds data/);
  const { records } = await openSimulated(disk, undefined, { recoverToLsn: 2 });
  t.equal(ids(records), 'a b', 'the operator may have it rebuilt');
});

t.test('recover-to gives up what is behind, and keeps it aside', async (t) => {
  const many = Array.from({ length: 60 }, (_, index) => [`id${index}`]);
  for (const damaged of [false, true]) {
    const disk = await homeWith(many);
    if (damaged) disk.corrupt(firstSegment, (bytes) => bytes.fill(7, 3000, 3001));
    await t.rejects(openSimulated(disk, undefined, { recoverToLsn: 100 }), RecoverToUnreachable);
    const { report, records, journal } = await openSimulated(disk, undefined, { recoverToLsn: 5 });
    t.match(report, { lastLsn: 5, records: 5 });
    t.equal(records.size, 5);
    t.ok(disk.list('/home/log').some((name) => name.endsWith('.cut')));
    t.equal(journal.append(putting('new')), 6);
    await journal.close();
    const next = await openSimulated(disk.crash());
    t.equal(ids(next.records), 'id0 id1 id2 id3 id4 new');
  }
});

t.test('recover-to a snapshot whose log is damaged begins a new log', async (t) => {
  const disk = new SimulatedDisk(3);
  const { journal } = await openSimulated(disk);
  await putEach(journal, ['a', 'b', 'c']);
  await journal.writeSnapshot([
    { kind: 'thing', id: 'a', lsn: 1, version: 1, values: ['a', 'text'] },
  ]);
  await putEach(journal, ['d']);
  const later = disk.kill();
  later.corrupt(firstSegment, (bytes) => bytes.fill(7, 560, 561));
  await t.rejects(openSimulated(later), LogCorrupt);
  const found = await openSimulated(later, undefined, { recoverToLsn: 3 });
  t.match(found.report, { lastLsn: 3, snapshotLsn: 3, records: 1 });
  t.equal(found.journal.append(putting('e')), 4);
  await found.journal.close();
  const next = await openSimulated(later.crash());
  t.equal(ids(next.records), 'a e');
});

t.test('a log that ends before its snapshot is damaged', async (t) => {
  const disk = new SimulatedDisk(4);
  const { journal } = await openSimulated(disk);
  await putEach(journal, ['a', 'b']);
  await journal.writeSnapshot([]);
  const later = disk.kill();
  const [, second = 0] = offsetsOf(later);
  later.corrupt(firstSegment, (bytes) => bytes.fill(0, second));
  await t.rejects(openSimulated(later), /the log ends before the snapshot at LSN 2/);
});

t.test('bytes that look like a later frame inside a payload are no proof', async (t) => {
  // The payload is a frame itself, as another data set would write it: only the seed tells them
  // apart.
  const other = await homeOf('ee'.repeat(16));
  const inside = other.bytesOf(firstSegment).toString('latin1', 512, 700);
  const disk = new SimulatedDisk(5);
  const clock = new SimulatedClock();
  const { journal } = await openSimulated(disk, clock);
  for (const pad of ['', 'x', 'xx', 'xxx', 'xxxx', 'xxxxx', 'xxxxxx', 'xxxxxxx']) {
    journal.append(putting('a', pad + inside));
  }
  await journal.flush();
  const later = disk.kill();
  later.corrupt(firstSegment, (bytes) => bytes.fill(0xaa, 520, 528));
  const { report } = await openSimulated(later);
  t.equal(report.tornTail?.offset, 512);
});

async function homeOf(newDataSetId: string): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(2);
  const { journal } = await openSimulated(disk, undefined, { newDataSetId });
  await putEach(journal, ['x', 'y']);
  return disk.kill();
}
