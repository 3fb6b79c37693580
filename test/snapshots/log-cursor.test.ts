// A cursor over a log that is written, cut off at its beginning, and spoiled meanwhile.

import { t } from 'tap';
import { LogCorrupt } from '../../snapshots/errors.ts';
import { segmentPath } from '../../snapshots/home/layout.ts';
import { FrameFinder } from '../../snapshots/log/frame-finder.ts';
import { LogCursor } from '../../snapshots/log/log-cursor.ts';
import { isBegun, listSegments } from '../../snapshots/log/segment-list.ts';
import { flushed } from '../commands/offline/looking.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const limits = { segmentBytes: 64 * 1024, frameBytesMax: 48 * 1024 };

async function write(network: Network, count: number): Promise<void> {
  const { journal } = network.core;
  for (let i = 0; i < count; i++) {
    journal.append({
      timeMs: i,
      actor: 'test',
      requestId: 'x'.repeat(5000),
      operation: 'write',
      causeLsn: 0,
      events: [],
      changes: [],
    });
  }
  await flushed(network);
}

function cursorOf({ disk }: Network, fromLsn: number, isServed = false): LogCursor {
  return new LogCursor({ disk, home: '/home', fromLsn, isServed: () => isServed });
}

/** LSNs of all frames that are there, and of what is said to be gone. */
function rest(cursor: LogCursor): (number | string)[] {
  const lsns: (number | string)[] = [];
  for (let step = cursor.next(); step !== undefined; step = cursor.next()) {
    lsns.push('header' in step ? step.header.lsn : `${step.fromLsn} to ${step.toLsn}`);
  }
  return lsns;
}

t.test('goes on where it stopped, across segments', async (t) => {
  const network = await bootNetwork({ limits });
  const cursor = cursorOf(network, 1);
  t.same(rest(cursor), [1, 2]);
  t.notOk(cursor.isMidWrite);
  await write(network, 30);
  t.same(
    rest(cursor),
    Array.from({ length: 30 }, (_, at) => at + 3),
  );
  t.equal(cursor.next(), undefined);
  t.match(cursor.end(), { lsn: 32, tornBytes: 0 });
  t.equal(cursor.nextLsn, 33);
  cursor.close();
});

t.test('begins with the segment that holds an LSN', async (t) => {
  const network = await bootNetwork({ limits });
  await write(network, 40);
  const segments = listSegments(network.disk, '/home').filter(isBegun);
  const first = segments[2]?.header.firstLsn ?? 0;
  const cursor = cursorOf(network, first + 1);
  t.equal(cursor.nextLsn, first);
  t.equal(rest(cursor).at(-1), 42);
});

t.test('another one goes on at a bookmark, also with a small window', async (t) => {
  const network = await bootNetwork({ limits });
  await write(network, 40);
  const { disk } = network;
  const options = { disk, home: '/home', fromLsn: 1, isServed: () => false };
  let bookmark = new LogCursor(options).bookmark;
  for (let lsn = 1; lsn <= 42; lsn++) {
    const cursor = new LogCursor({ ...options, bookmark, windowBytes: 100 });
    t.equal(cursor.nextLsn, lsn);
    t.match(cursor.next(), { header: { lsn } });
    bookmark = cursor.bookmark;
    cursor.close();
  }
  t.match(bookmark, { lsn: 42 });
  disk.remove(bookmark.segment.path);
  t.throws(() => new LogCursor({ ...options, bookmark }), { code: 'ENOENT' });
});

t.test('says what went while it was behind', async (t) => {
  const network = await bootNetwork({ limits });
  const cursor = cursorOf(network, 1);
  t.ok(cursor.next());
  await write(network, 60);
  const segments = listSegments(network.disk, '/home').filter(isBegun);
  for (const { path } of segments.slice(0, 3)) network.disk.remove(path);
  const from = (segments[1]?.header.firstLsn ?? 0) - 1;
  const to = (segments[3]?.header.firstLsn ?? 0) - 1;
  const seen = rest(cursor);
  t.equal(seen[from - 1], `${from + 1} to ${to}`, 'the segment it was in was held open');
  t.equal(seen.at(-1), 62);
});

t.test('a segment that is missing in the middle is damage', async (t) => {
  const network = await bootNetwork({ limits });
  await write(network, 60);
  network.disk.remove(segmentPath('/home', 3));
  t.throws(() => rest(cursorOf(network, 1)), /0003\.log is damaged.*missing before/);
});

t.test('a frame that does not follow is evaluated', async (t) => {
  const network = await bootNetwork({ limits });
  await write(network, 4);
  await write(network, 1);
  const cursor = cursorOf(network, 1);
  for (let i = 0; i < 3; i++) cursor.next();
  const step = cursor.next();
  const offset = step !== undefined && 'header' in step ? step.offset + step.bytes : 0;
  const path = segmentPath('/home', 1);
  const spoil = (bytes: Buffer) => bytes.writeUInt8(bytes.readUInt8(offset + 40) ^ 1, offset + 40);
  network.disk.corrupt(path, spoil);
  const again = cursorOf(network, 1);
  t.same(rest(again), [1, 2, 3, 4]);
  t.ok(again.isMidWrite);
  t.throws(() => again.end(), LogCorrupt);
  network.disk.corrupt(path, spoil);
  t.same(rest(again), [5, 6, 7], 'and goes on once it is there');
});

t.test('what it shows of a log that is written is durable', async (t) => {
  const network = await bootNetwork({ limits });
  const { journal } = network.core;
  journal.append({
    timeMs: 1,
    actor: 'test',
    requestId: '',
    operation: 'write',
    causeLsn: 0,
    events: [],
    changes: [],
  });
  await flushed(network);
  const { disk } = network;
  const cursor = cursorOf(network, 1, true);
  const { calls } = disk;
  disk.failCall(1, 'EIO');
  t.throws(() => cursor.next(), { code: 'EIO' }, 'nothing is shown without a sync');
  t.equal(disk.calls, calls + 1);
});

t.test('a finder finds any frame', async (t) => {
  const network = await bootNetwork({ limits });
  await write(network, 10);
  const { disk } = network;
  const finder = new FrameFinder(disk, '/home');
  for (const lsn of [12, 1, 7, 3]) t.equal(finder.find(lsn)?.lsn, lsn);
  t.equal(finder.find(13), undefined);
  await write(network, 200);
  for (const lsn of [13, 212, 100, 99, 1]) t.equal(finder.find(lsn)?.lsn, lsn);
  finder.close();
  disk.remove(segmentPath('/home', 1));
  t.equal(finder.find(1), undefined, 'gone');
  t.equal(finder.find(212)?.lsn, 212);
  finder.close();
});
