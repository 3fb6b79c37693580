// The reader's thread: it starts on request, ends when idle, and is restarted after a failure.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Test, t } from 'tap';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { openHome } from '../../snapshots/home/open.ts';
import type { Journal } from '../../snapshots/journal.ts';
import { LogReader, type LogReaderOptions } from '../../src/inspect/server/log/log-reader.ts';
import { detachedStore } from '../../src/resources/detached-store.ts';
import { DurableFrames } from '../../src/store/durable-frames.ts';
import { SimulatedClock } from '../simulated/clock.ts';

const clock = new SimulatedClock();
const order = { fromLsn: 1, toLsn: 1e9, bytesMax: 1e6 };

/** A home on the real disk with three frames. */
async function openSmall(t: Test): Promise<{ home: string; journal: Journal }> {
  const home = t.testdir({});
  const { journal } = await openHome({
    home,
    disk: nodeDisk,
    clock,
    level: 'disk',
    writer: 'inline',
    snapshotsKept: 2,
    newDataSetId: '00112233445566778899aabbccddeeff',
    segmentBytes: 1 << 20,
    frameBytesMax: 1 << 18,
    pendingBytesMax: 1 << 22,
    load: () => undefined,
  });
  for (const to of ['enabled', 'disabled', 'enabled']) {
    journal.append({
      timeMs: 1,
      actor: 'somebody',
      requestId: '',
      operation: 'test',
      causeLsn: 0,
      events: [['identity', 'one', 'turn', 'none', to]],
      changes: [],
    });
  }
  const flushed = journal.flush();
  clock.drain();
  await flushed;
  t.teardown(async () => {
    const closed = journal.close();
    clock.drain();
    await closed;
  });
  return { home, journal };
}

function optionsOf(home: string, journal: Journal): LogReaderOptions {
  const bounds = { logReaderIdleMs: 5000 };
  return {
    home,
    durable: new DurableFrames({ journal, clock, lateMs: 1000 }),
    clock,
    disk: nodeDisk,
    writer: 'worker',
    bounds,
    store: detachedStore(clock),
  };
}

t.test('begins with the first request, and ends after a rest', async (t) => {
  const { home, journal } = await openSmall(t);
  const reader = new LogReader(optionsOf(home, journal));
  t.notOk(reader.isRunning, 'nobody asked');
  const page = await reader.frames(order);
  t.equal(page.lines.length, 3);
  t.match(page.lines[0], /^\{"lsn":1,.*"actor":\{"id":"somebody"\},.*"operation":"test"/);
  t.ok(reader.isRunning);
  clock.advance(4999);
  t.ok(reader.isRunning);
  t.equal((await reader.frames({ ...order, fromLsn: 3 })).lines.length, 1);
  clock.advance(4999);
  t.ok(reader.isRunning, 'asked meanwhile');
  clock.advance(1);
  t.notOk(reader.isRunning);
  t.match(await reader.transitionsOf('identity', 'one', { beforeLsn: 9, limit: 9 }), {
    transitions: [],
    oldestLsn: 1,
    hasMore: false,
  });
  t.ok(reader.isRunning, 'restarted');
  t.match(await reader.frameAt(2, 2), { operation: 'test', transitionsTotal: 1, hasMore: false });
  t.equal(await reader.frameAt(9, 9), undefined);
  const { transitions, fromLsn } = await reader.recentTransitions(9);
  t.same(
    transitions.map(({ lsn, to }) => [lsn, to]),
    [
      [3, 'enabled'],
      [2, 'disabled'],
      [1, 'enabled'],
    ],
  );
  t.equal(fromLsn, 1);
  await reader.stop();
  t.notOk(reader.isRunning);
});

t.test('a thread that dies fails its own request, and no other', async (t) => {
  const { home, journal } = await openSmall(t);
  const module = join(home, 'dying-disk.mjs');
  const doomed = join(home, 'doomed');
  const real = new URL('../../snapshots/home/disk.ts', import.meta.url).href;
  writeFileSync(
    module,
    `import { existsSync, rmSync } from 'node:fs';
    import { nodeDisk as real } from ${JSON.stringify(real)};
    const doomed = ${JSON.stringify(doomed)};
    export const nodeDisk = Object.assign(Object.create(Object.getPrototypeOf(real)), real, {
      list(path) {
        if (existsSync(doomed)) {
          rmSync(doomed);
          process.exit(1);
        }
        return real.list(path);
      },
    });`,
  );
  const diskModule = pathToFileURL(module).href;
  const reader = new LogReader({ ...optionsOf(home, journal), diskModule });
  t.equal((await reader.frames(order)).lines.length, 3);
  writeFileSync(doomed, '');
  const [first, second] = await Promise.allSettled([reader.frames(order), reader.frames(order)]);
  t.equal(first.status, 'rejected');
  t.equal(second.status, 'fulfilled', 'by another thread');
  t.equal((await reader.frames(order)).lines.length, 3);
  await reader.stop();
});

t.test('what cannot be read is told', async (t) => {
  const { home, journal } = await openSmall(t);
  const reader = new LogReader({ ...optionsOf(join(home, 'nowhere'), journal) });
  await t.rejects(reader.frames(order), /the log has no segment that reads/);
  await reader.stop();
});

t.test('a read under way does not hold up the stop', async (t) => {
  const { home, journal } = await openSmall(t);
  const module = join(home, 'stuck-disk.mjs');
  const real = new URL('../../snapshots/home/disk.ts', import.meta.url).href;
  writeFileSync(
    module,
    `import { nodeDisk as real } from ${JSON.stringify(real)};
    export const nodeDisk = Object.assign(Object.create(Object.getPrototypeOf(real)), real, {
      list: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
    });`,
  );
  const diskModule = pathToFileURL(module).href;
  const reader = new LogReader({ ...optionsOf(home, journal), diskModule });
  const reading = reader.frames(order);
  await clock.settle();
  t.ok(reader.isRunning);
  const timers = clock.timers;
  const stopped = reader.stop();
  t.equal(clock.timers, timers + 1, 'it has a short time to come to its end');
  clock.advance(100);
  await t.rejects(reading, /the log reader ended/);
  await stopped;
  t.notOk(reader.isRunning);
  t.equal(clock.timers, timers);
});
