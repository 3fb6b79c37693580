// The log of a clustered home: it takes frames that are stamped already, and what is unsound at its
// end is cut, never damage.

import t from 'tap';
import { checkLog, type FileFinding } from '../../snapshots/check/check-log.ts';
import { LogCorrupt } from '../../snapshots/errors.ts';
import type { Frame } from '../../snapshots/journal.ts';
import { frameBytesAt } from '../../snapshots/log/frame.ts';
import { readFrames } from '../../snapshots/log/read-frames.ts';
import { type ReplayedLog, replayLog } from '../../snapshots/log/replay.ts';
import { listSegments } from '../../snapshots/log/segment-list.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { beginLog, clusterDataSetId, Stamping, writeAll } from './clustered-home.ts';
import { firstSegment } from './home.ts';

function replayed(disk: SimulatedDisk): ReplayedLog & { readonly ids: string } {
  const ids: string[] = [];
  const log = replayLog(disk, '/home', {
    dataSetId: clusterDataSetId,
    snapshotLsn: 0,
    snapshotTimeMs: 0,
    recoverToLsn: undefined,
    apply: (_kind, id) => ids.push(id),
  });
  return { ...log, ids: ids.join(' ') };
}

t.test('stamped frames are written as they are', (t) => {
  const disk = new SimulatedDisk(1);
  const stamping = new Stamping();
  const groups = [stamping.term(3), stamping.puts('a', 'b'), stamping.puts('c')];
  const writer = beginLog(disk);
  writeAll(writer, ...groups);
  t.match(writer.progress, { lsn: 4, groups: 3 });
  const frames = Buffer.concat(groups.map((group) => group.frames));
  t.ok(
    disk
      .bytesOf(firstSegment)
      .subarray(512, 512 + frames.length)
      .equals(frames),
  );
  const { position, term, isClustered, ids, lastTimeMs } = replayed(disk.kill());
  t.match({ term, isClustered, ids }, { term: 3, isClustered: true, ids: 'a b c' });
  t.match(position, stamping.last);
  t.equal(lastTimeMs, 2000, 'the time of a term counts');
  t.end();
});

t.test('a frame that does not follow is the end of the writer', (t) => {
  const disk = new SimulatedDisk(1);
  const stamping = new Stamping();
  const writer = beginLog(disk);
  writeAll(writer, stamping.puts('a'));
  stamping.puts('lost');
  t.throws(() => writeAll(writer, stamping.puts('c')), /LSN 3 does not follow/);
  t.equal(replayed(disk.kill()).ids, 'a');
  t.end();
});

t.test('segments of a cluster carry its newest term', (t) => {
  const disk = new SimulatedDisk(1);
  const stamping = new Stamping();
  const writer = beginLog(disk, 1024);
  for (const term of [4, 5]) {
    const ids = Array.from({ length: 8 }, (_, n) => `${term}.${n}`);
    writeAll(writer, stamping.term(term), ...ids.map((id) => stamping.puts(id)));
  }
  const headers = listSegments(disk, '/home').flatMap(({ header }) => header ?? []);
  t.ok(headers.length > 2);
  t.ok(headers.every(({ isClustered }) => isClustered));
  t.equal(headers[0]?.term, 0);
  t.equal(headers.at(-1)?.term, 5);
  t.equal(replayed(disk.kill()).term, 5);
  t.end();
});

t.test('readers pass over the frame of a term, and name it', (t) => {
  const disk = new SimulatedDisk(1);
  const stamping = new Stamping();
  writeAll(beginLog(disk), stamping.puts('a'), stamping.term(2), stamping.puts('b'));
  const entries = [...readFrames(disk, '/home')];
  t.strictSame(
    entries.map(({ entry }) => entry),
    ['transaction', 'term', 'transaction'],
  );
  t.match(entries[1], { lsn: 2, term: 2, timeMs: 2000 });
  const [frames, findings] = checked(disk);
  t.strictSame(
    frames.map(({ lsn }) => lsn),
    [1, 3],
  );
  t.strictSame(findings, []);
  t.end();
});

function checked(disk: SimulatedDisk): [Frame[], FileFinding[]] {
  const frames: Frame[] = [];
  const findings: FileFinding[] = [];
  checkLog({
    disk,
    home: '/home',
    dataSetId: clusterDataSetId,
    isServed: false,
    found: (finding) => findings.push(finding),
    take: (frame) => frames.push(frame),
    reading: () => undefined,
  });
  return [frames, findings];
}

t.test('whatever is unsound in the newest segment is a torn tail', (t) => {
  const stamping = new Stamping();
  const groups = ['a', 'b', 'c', 'd'].map((id) => stamping.puts(id));
  const bytes = groups.reduce((sum, { frames }) => sum + frames.length, 0);
  for (let bit = 512 * 8; bit < (512 + bytes) * 8; bit += 3) {
    const disk = new SimulatedDisk(1);
    writeAll(beginLog(disk), ...groups);
    disk.corrupt(firstSegment, (file) => {
      file[bit >> 3] = (file[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    });
    const { position, repair, ids } = replayed(disk);
    const frame = Math.floor((bit / 8 - 512) / (bytes / 4));
    const expected = ['a', 'b', 'c', 'd'].slice(0, frame).join(' ');
    if (ids !== expected) t.fail(`bit ${bit}: ${ids}, not ${expected}`);
    if (position.offset !== repair.cutFrom || repair.cutTo <= repair.cutFrom) {
      t.fail(`bit ${bit}: nothing is cut`);
    }
    if (repair.rewriteFrom !== (frame === 0 ? 0 : 512))
      t.fail(`bit ${bit}: frames are not written again`);
    const [, findings] = checked(disk);
    if (!findings.every(({ what }) => what.startsWith('a torn tail'))) t.fail(`bit ${bit}: damage`);
  }
  t.end();
});

t.test('a frame that is missing in the newest segment, with sound ones after it', (t) => {
  const disk = new SimulatedDisk(1);
  const stamping = new Stamping();
  writeAll(beginLog(disk), stamping.puts('a'), stamping.puts('b'), stamping.puts('c'));
  const second = 512 + frameBytesAt(disk.bytesOf(firstSegment), 512);
  disk.corrupt(firstSegment, (file) => file.fill(0, second, second + frameBytesAt(file, second)));
  t.equal(replayed(disk).ids, 'a');
  t.end();
});

t.test('an older segment is damaged as in any home', (t) => {
  const disk = new SimulatedDisk(1);
  const stamping = new Stamping();
  const writer = beginLog(disk, 1024);
  for (let n = 0; n < 12; n++) writeAll(writer, stamping.puts(`i${n}`));
  disk.corrupt(firstSegment, (file) => file.fill(0xee, 600, 610));
  t.throws(() => replayed(disk), LogCorrupt);
  t.end();
});
