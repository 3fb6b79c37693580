// A node finds its place in the stream from any LSN of the log, and reads the rest from there.

import t from 'tap';
import { frameBytesAt, stampOf } from '../../snapshots/log/frame.ts';
import { groupMessage } from '../../src/cluster/log/group-message.ts';
import { Reader } from '../../src/cluster/log/reader.ts';
import { findPlace, LogFork } from '../../src/cluster/node/resume-point.ts';
import type { Group, LogPoint } from '../../src/cluster/stream.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedStream } from '../simulated/stream.ts';
import { groupOf, leadership, trust } from './groups.ts';

const start: LogPoint = { lsn: 0, crc: 0 };
const [first, second] = [leadership(1), leadership(2, 'b')];

/** Two terms, with messages of the first one behind the beginning of the second. */
function log(): { groups: Group[]; points: LogPoint[] } {
  const groups: Group[] = [];
  let last = start;
  const add = (by: typeof first, kind: Group['kind'], count = 0) => {
    const values = Array.from({ length: count }, (_, index) => `${groups.length} ${index}`);
    const group = groupOf(by, last, values, kind);
    groups.push(group);
    last = group.last;
  };
  add(first, 'term');
  for (let count = 1; count < 6; count++) add(first, 'frames', count);
  add(first, 'heartbeat');
  const before = last;
  const late = [groupOf(first, before, ['late', 'later'])];
  late.push(groupOf(first, late[0]?.last ?? before, ['latest']));
  add(second, 'term');
  groups.push(...late);
  add(second, 'heartbeat');
  for (let count = 1; count < 6; count++) add(second, 'frames', count);
  add(second, 'heartbeat');
  const points = [start];
  for (const { frames } of groups.filter((group) => !late.includes(group))) {
    for (let at = 0; at < frames.length; at += frameBytesAt(frames, at)) {
      const { lsn, crc } = stampOf(frames, at);
      points.push({ lsn, crc });
    }
  }
  return { groups, points };
}

function streamOf(groups: readonly Group[]) {
  const clock = new SimulatedClock();
  const stream = new SimulatedStream({ clock });
  for (const group of groups) stream.take(groupMessage(group, stream.last + 1, trust.key));
  return { clock, stream, connection: stream.connect() };
}

/** Lets time go by until a promise is settled. */
async function settled<T>(clock: SimulatedClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const end = promise.finally(() => {
    isSettled = true;
  });
  end.catch(() => {});
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isSettled) return end;
    clock.advance(1);
  }
}

t.test('from each LSN the rest of the log follows', async (t) => {
  const { groups, points } = log();
  const end = points.at(-1) ?? start;
  for (const home of points) {
    const { clock, connection } = streamOf(groups);
    const place = await settled(clock, findPlace(connection, trust, home));
    if (place === undefined) throw new Error('nothing was purged');
    let { lsn } = home;
    const wrong: unknown[] = [];
    const reader = new Reader({
      stream: connection,
      trust,
      clock,
      events: {
        apply: (frames, last) => {
          for (let at = 0; at < frames.length; at += frameBytesAt(frames, at)) {
            lsn += 1;
            const found = stampOf(frames, at);
            t.same({ lsn: found.lsn, crc: found.crc }, points[lsn], `${home.lsn}: ${lsn}`);
          }
          t.equal(last.lsn, lsn);
        },
        message: () => {},
        wrong: (error) => wrong.push(error),
        missed: () => wrong.push('missed'),
      },
    });
    reader.begin(place, home);
    for (let ms = 0; ms < 200; ms++) clock.advance(1);
    t.same(wrong, []);
    t.same(reader.last, end);
    t.equal(reader.sequence, groups.length);
    t.equal(reader.term, 2);
  }
});

t.test('what was purged, lost or changed is told apart', async (t) => {
  const { groups, points } = log();
  const { clock, stream, connection } = streamOf(groups);
  const find = (home: LogPoint) => settled(clock, findPlace(connection, trust, home));
  const [, , third = start] = points;
  const end = points.at(-1) ?? start;
  await t.rejects(find({ ...third, crc: third.crc + 1 }), LogFork);
  const beyond = find({ lsn: end.lsn + 1, crc: 5 });
  await t.rejects(beyond, new LogFork('the stream ends at LSN 32, and this node has LSN 33', true));
  stream.purge(4);
  t.equal(await find(start), undefined);
  t.not(await find(end), undefined);
  stream.recreate();
  t.same(await find(end), { sequence: 0, message: undefined });
});
