// The ring between the threads: frames come out whole and in order, whatever the sizes.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { frameBytes, frameBytesAt, frameHeaderBytes } from '../../snapshots/log/frame.ts';
import { FrameRing, ringMemory } from '../../snapshots/log/frame-ring.ts';
import * as fc from '../properties.ts';
import { Dice } from '../system/dice.ts';
import type { Taken } from './ring-taker.ts';

const frameBytesMax = 200;
const nothing = { lsn: 0, bytes: 0, groups: 0 };

/** The first payload byte of each frame. */
function marksOf(regions: readonly Buffer[]): number[] {
  const marks: number[] = [];
  for (const region of regions) {
    for (let at = 0; at < region.length; at += frameBytesAt(region, at)) {
      marks.push(region[at + frameHeaderBytes] ?? -1);
    }
  }
  return marks;
}

t.test('any mix of appending and taking keeps order and loses nothing', async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1, max: frameBytesMax }) },
    { weight: 1, arbitrary: fc.constant('take' as const) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const memory = ringMemory(1000, frameBytesMax);
      const appending = new FrameRing(memory);
      const taking = new FrameRing(memory);
      const waiting: number[] = [];
      let pendingBytes = 0;
      let mark = 0;
      for (const step of steps) {
        if (step === 'take') {
          const taken = taking.take();
          assert.deepEqual(marksOf(taken), waiting.splice(0));
          taking.release(taken, nothing);
          pendingBytes = 0;
        } else if (pendingBytes < 1000) {
          mark = (mark + 1) % 256;
          assert.ok(
            appending.append(1, Buffer.alloc(step, mark)),
            'within the bound there is room',
          );
          waiting.push(mark);
          pendingBytes += frameBytes(step);
        }
      }
      assert.deepEqual(marksOf(taking.take()), waiting);
    }),
    { numRuns: 200 },
  );
});

t.test('two threads at once: each frame comes once, in order, and there is room', async (t) => {
  const memory = ringMemory(1000, frameBytesMax);
  const worker = new Worker(new URL('./ring-taker.ts', import.meta.url), {
    workerData: memory,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const answered = once(worker, 'message');
  const ring = new FrameRing(memory);
  const dice = new Dice('frames');
  const bytes: number[] = [];
  let pendingBytes = 0;
  let seen = 0;
  const look = () => {
    for (const { lsn } = ring.progress(); seen < lsn; seen++) pendingBytes -= bytes[seen] ?? 0;
  };
  for (let number = 0; number < 300_000; number++) {
    const payload = Buffer.alloc(dice.integer(4, frameBytesMax));
    payload.writeUInt32LE(number);
    do look();
    while (pendingBytes >= 1000);
    if (!ring.append(1, payload))
      return t.fail(`no room for frame ${number}: ${pendingBytes} wait`);
    bytes.push(frameBytes(payload.length));
    pendingBytes += frameBytes(payload.length);
  }
  ring.requestStop();
  const [taken] = (await answered) as [Taken];
  t.strictSame(taken, { frames: 300_000, firstWrong: undefined });
});

t.test('what is released has room before the progress says so', async (t) => {
  const memory = ringMemory(1000, frameBytesMax);
  const ring = new FrameRing(memory);
  const writer = new FrameRing(memory);
  ring.append(1, Buffer.alloc(8));
  const taken = writer.take();
  const lsns: number[] = [];
  for (const name of ['store', 'exchange'] as const) {
    const write = Atomics[name];
    t.intercept(Atomics, name, {
      value: (words: Int32Array, index: number, value: number) => {
        lsns.push(ring.progress().lsn);
        return write(words, index, value);
      },
    });
  }
  writer.release(taken, { lsn: 1, bytes: 24, groups: 1 });
  t.same(lsns, [0]);
  t.equal(ring.progress().lsn, 1);
});

t.test('a full ring refuses and stays whole', async (t) => {
  const memory = ringMemory(1000, frameBytesMax);
  const ring = new FrameRing(memory);
  let appended = 0;
  while (ring.append(1, Buffer.alloc(100, appended + 1))) appended++;
  const marks = marksOf(ring.take());
  t.strictSame(
    marks,
    Array.from({ length: appended }, (_, index) => index + 1),
  );
});

t.test('stamped frames are copied in one piece, or not at all', (t) => {
  const memory = ringMemory(1000, frameBytesMax);
  const ring = new FrameRing(memory);
  const writer = new FrameRing(memory);
  const group = Buffer.concat([7, 8, 9].map((mark) => frameOf(mark)));
  t.ok(ring.appendStamped(group));
  t.ok(writer.take()[0]?.equals(group));
  while (ring.appendStamped(group)) writer.take();
  const marks = marksOf(writer.take());
  t.equal(marks.length % 3, 0);
  t.notOk(ring.appendStamped(Buffer.alloc(memory.frames.byteLength)));
  t.end();
});

t.test('a taker with an event loop is woken by what is appended, and by a sync', async (t) => {
  const memory = ringMemory(1000, frameBytesMax);
  const ring = new FrameRing(memory);
  const taker = new FrameRing(memory);
  const woken = taker.woken();
  ring.append(1, Buffer.alloc(8, 5));
  ring.wake();
  await woken;
  t.strictSame(marksOf(taker.take()), [5]);
  await taker.woken();
  taker.release(taker.take(), nothing);
  const again = taker.woken();
  ring.requestSync();
  await again;
  t.equal(taker.syncRequested, 1);
});

function frameOf(mark: number): Buffer {
  const frame = Buffer.alloc(frameBytes(20), mark);
  frame.writeUInt32LE(frameHeaderBytes + 20);
  return frame;
}

t.test('progress, syncs and the stop cross over', async (t) => {
  const memory = ringMemory(1000, frameBytesMax);
  const main = new FrameRing(memory);
  const writer = new FrameRing(memory);
  main.append(1, Buffer.alloc(8));
  writer.release(writer.take(), { lsn: 2 ** 40, bytes: 77, groups: 3 });
  t.strictSame(main.progress(), { lsn: 2 ** 40, bytes: 77, groups: 3 });
  t.equal(writer.syncRequested, undefined);
  const ticket = main.requestSync();
  t.equal(writer.syncRequested, ticket);
  writer.serveSync(ticket);
  t.equal(main.syncServed, ticket);
  t.equal(writer.syncRequested, undefined);
  t.equal(writer.stopRequested, false);
  main.requestStop();
  t.equal(writer.stopRequested, true);
  writer.sleep(60_000);
  writer.pause(60_000);
  t.pass('told to stop, it does not sleep');
});
