// The lease: how long a leader may answer, on which clock, and who notices that it hangs.

import { Worker } from 'node:worker_threads';
import t from 'tap';
import { Lease, LeaseReader, leaseMemory, leaseMs } from '../../src/cluster/node/lease.ts';
import { sharedClock } from '../../src/platform/clock-and-random.ts';
import { SimulatedClock } from '../simulated/clock.ts';

/** Both clocks now. */
function momentOf(clock: SimulatedClock) {
  return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
}

function twoSides() {
  const clock = new SimulatedClock();
  clock.advance(5000);
  const memory = leaseMemory();
  return { clock, lease: new Lease(memory, clock), reader: new LeaseReader(memory, clock) };
}

t.test('nothing is answered before a message was acknowledged', async (t) => {
  t.notOk(twoSides().reader.mayAnswer());
});

t.test('the lease counts from the first send, not from the acknowledgement', async (t) => {
  const { clock, lease, reader } = twoSides();
  const sent = momentOf(clock);
  clock.advance(1500);
  lease.renew(sent);
  t.ok(reader.mayAnswer());
  clock.advance(499);
  t.ok(reader.mayAnswer());
  clock.advance(1);
  t.notOk(reader.mayAnswer());
});

t.test('the clock on which more time has passed decides', async (t) => {
  const { clock, lease, reader } = twoSides();
  lease.renew(momentOf(clock));
  clock.jump(leaseMs);
  t.notOk(reader.mayAnswer(), 'the wall clock counts a sleep of the machine');
  clock.jump(-60_000 - leaseMs);
  t.ok(reader.mayAnswer());
  clock.advance(leaseMs);
  t.notOk(reader.mayAnswer(), 'a wall clock that was set back gives no time');
  lease.renew(momentOf(clock));
  t.ok(reader.mayAnswer(), 'the next message counts on the clock as it was set');
});

t.test('an earlier message that is acknowledged later shortens nothing', async (t) => {
  const { clock, lease, reader } = twoSides();
  const earlier = momentOf(clock);
  clock.advance(500);
  lease.renew(momentOf(clock));
  lease.renew({ ...earlier, wallMs: clock.now() });
  clock.advance(leaseMs - 1);
  t.ok(reader.mayAnswer());
});

t.test('an ended lease is over at once and for good', async (t) => {
  const { clock, lease, reader } = twoSides();
  lease.renew(momentOf(clock));
  lease.end();
  t.notOk(reader.mayAnswer());
  lease.renew(momentOf(clock));
  t.notOk(reader.mayAnswer());
});

t.test('a main thread that hangs is noticed', async (t) => {
  const { clock, lease, reader } = twoSides();
  t.notOk(lease.isMainThreadAlive, 'it has not begun yet');
  reader.showLife();
  clock.advance(1000);
  t.ok(lease.isMainThreadAlive);
  clock.advance(1);
  t.notOk(lease.isMainThreadAlive);
  reader.showLife();
  t.ok(lease.isMainThreadAlive);
});

t.test('two threads see the same lease on the same clock', async (t) => {
  const memory = leaseMemory();
  const source = `
    const { parentPort, workerData } = require('node:worker_threads');
    const figures = new Float64Array(workerData);
    const [seconds, nanoseconds] = process.hrtime();
    figures[2] = seconds * 1000 + nanoseconds / 1e6;
    parentPort.postMessage('shown');
  `;
  const worker = new Worker(source, { eval: true, workerData: memory });
  const before = sharedClock.monotonic();
  await new Promise((resolve) => worker.once('message', resolve));
  await worker.terminate();
  const [, , shown = 0] = new Float64Array(memory);
  t.ok(before <= shown && shown <= sharedClock.monotonic());
  t.ok(Number.isInteger(sharedClock.now()));
});
