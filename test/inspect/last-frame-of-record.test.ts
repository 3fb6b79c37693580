// The search for the last change of a record that is gone: what it takes for one, and its bounds.

import { type Test, t } from 'tap';
import { openHome } from '../../snapshots/home/open.ts';
import type { Frame } from '../../snapshots/journal.ts';
import { isBegun, listSegments } from '../../snapshots/log/segment-list.ts';
import {
  type ChangeSearch,
  newestChange,
} from '../../src/inspect/server/log/last-frame-of-record.ts';
import { LogReader } from '../../src/inspect/server/log/log-reader.ts';
import { detachedStore } from '../../src/resources/detached-store.ts';
import { DurableFrames } from '../../src/store/durable-frames.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedDisk } from '../simulated/disk.ts';

type Told = Pick<Frame, 'actor' | 'events' | 'changes'>;

const nothing: Told = { actor: 'somebody', events: [], changes: [] };

function change(kind: string, id: string, previousLsn = 0): Told {
  return { ...nothing, changes: [{ kind, id, previousLsn, version: 1, values: null }] };
}

/** An event that no change goes with: what is searched for is in its bytes. */
function event(kind: string, id: string): Told {
  return { ...nothing, events: [[kind, id, 'turn', 'none', 'enabled']] };
}

/** A log of these frames, in segments of 64 KiB. */
async function logOf(t: Test, frames: readonly Told[]) {
  const [disk, clock, home] = [new SimulatedDisk(1), new SimulatedClock(), '/home'];
  disk.makeDirectory(home);
  const opening = openHome({
    home,
    disk,
    clock,
    level: 'disk',
    writer: 'inline',
    snapshotsKept: 2,
    newDataSetId: '00112233445566778899aabbccddeeff',
    segmentBytes: 65_536,
    frameBytesMax: 1 << 15,
    pendingBytesMax: 1 << 22,
    load: () => undefined,
  });
  await clock.settle();
  const { journal } = await opening;
  for (const frame of frames) {
    journal.append({ timeMs: 1, requestId: '', operation: 'test', causeLsn: 0, ...frame });
  }
  const flushed = journal.flush();
  await clock.settle();
  await flushed;
  t.teardown(async () => {
    const closed = journal.close();
    await clock.settle();
    await closed;
  });
  const search = (asked: Partial<ChangeSearch>) =>
    newestChange({
      disk,
      home,
      kind: 'identity',
      id: 'i',
      toLsn: frames.length,
      framesMax: 1e9,
      bytesMax: 1e9,
      ...asked,
    });
  return { disk, clock, home, journal, search };
}

t.test('what only has the id in its bytes is not looked at', async (t) => {
  const { search } = await logOf(t, [
    change('identity', 'i'),
    change('identity', 'ii', 1),
    change('identity', 'xi', 1),
    change('router', 'i', 1),
    { ...nothing, actor: 'i' },
    event('router', 'i'),
  ]);
  // A single frame may be unpacked: any false one would stop the search before it.
  t.same(search({ framesMax: 1 }), { lsn: 1 });
  t.same(search({ framesMax: 1, kind: 'router' }), { lsn: 0, beforeLsn: 5 });
  t.same(search({ kind: 'router' }), { lsn: 4 });
  t.same(search({ framesMax: 1, id: 'x' }), { lsn: 0 });
  t.same(search({ framesMax: 1, kind: 'identit' }), { lsn: 0 });
  for (const length of [31, 32, 255, 256, 70_000]) {
    t.same(search({ framesMax: 1, id: 'i'.repeat(length) }), { lsn: 0 });
  }
});

t.test('ids of every length are found, the newest change of several', async (t) => {
  const ids = [1, 31, 32, 255, 256, 5000].map((length) => 'ä'.repeat(length));
  const { search } = await logOf(t, [
    ...ids.map((id) => change('identity', id)),
    ...ids.map((id, at) => change('identity', id, at + 1)),
  ]);
  for (const [at, id] of ids.entries()) {
    t.same(search({ id, framesMax: 1 }), { lsn: ids.length + at + 1 });
    t.same(search({ id, framesMax: 1, toLsn: ids.length }), { lsn: at + 1 });
  }
});

t.test('unpacks so many frames at a time', async (t) => {
  const told = [
    change('identity', 'i'),
    ...Array.from({ length: 9 }, () => event('identity', 'i')),
  ];
  const { search } = await logOf(t, told);
  const pages: unknown[] = [];
  let toLsn = told.length;
  for (;;) {
    const found = search({ toLsn, framesMax: 4 });
    pages.push(found);
    if (found.beforeLsn === undefined) break;
    toLsn = found.beforeLsn - 1;
  }
  t.same(pages, [{ lsn: 0, beforeLsn: 7 }, { lsn: 0, beforeLsn: 3 }, { lsn: 1 }]);
});

t.test('a page of transitions searches so many bytes, and the next one goes on', async (t) => {
  const filling = { ...nothing, actor: 'x'.repeat(10_000) };
  const first = { ...change('identity', 'i'), events: event('identity', 'i').events };
  const world = await logOf(t, [first, ...Array.from({ length: 40 }, () => filling)]);
  const { disk, clock, home, journal } = world;
  const segments = listSegments(disk, home).filter(isBegun);
  t.ok(segments.length > 5);
  const reader = new LogReader({
    home,
    disk,
    clock,
    durable: new DurableFrames({ journal, clock, lateMs: 1000 }),
    writer: 'inline',
    store: detachedStore(clock),
    bounds: { logReadSearchBytesMax: 100_000 },
  });
  const bounds: number[] = [];
  let beforeLsn = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page = await reader.transitionsOf('identity', 'i', { beforeLsn, limit: 5 });
    bounds.push(page.nextBeforeLsn);
    beforeLsn = page.nextBeforeLsn;
    if (page.transitions.length > 0) {
      t.match(page, { transitions: [{ lsn: 1, event: 'turn' }], hasMore: false });
      break;
    }
    t.ok(page.hasMore);
  }
  const starts = segments.map(({ header }) => header.firstLsn);
  // Two segments a page, the newest ones first, until the one with the change.
  const newestFirst = starts.toReversed().filter((_, at) => at % 2 === 1);
  t.same(
    bounds.slice(0, -1),
    newestFirst.filter((lsn) => lsn > 1),
  );
  t.equal(bounds.at(-1), 1);
  t.match(await reader.transitionsOf('identity', 'j', { beforeLsn: starts[1] ?? 0, limit: 5 }), {
    transitions: [],
    hasMore: false,
  });
  await reader.stop();
});
