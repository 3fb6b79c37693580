// Work for many routers that connect at the same time.

import t from 'tap';
import { PacedWork, pacedWorkBounds } from '../../src/routers/paced-work.ts';
import { SimulatedClock } from '../simulated/clock.ts';

/** Paced work for routers that read all that they are sent. */
function pacedWork(bounds: Partial<typeof pacedWorkBounds> = {}) {
  const clock = new SimulatedClock();
  const paced = new PacedWork(clock, { ...pacedWorkBounds, ...bounds });
  const done: number[] = [];
  const add = (number: number) => {
    const router = { channel: { unsentBytes: 0, isClosed: false } };
    paced.add(router, () => void done.push(number));
    return router.channel;
  };
  return { clock, paced, done, add };
}

t.test('work is done in order, in a later turn, and not for closed channels', async (t) => {
  const { clock, paced, done, add } = pacedWork();
  add(1);
  add(2).isClosed = true;
  add(3);
  t.strictSame(done, []);
  t.equal(paced.size, 3);
  clock.drain();
  t.strictSame(done, [1, 3]);
  t.equal(paced.size, 0);
});

t.test('a router that does not read holds up others for two seconds at most', async (t) => {
  const { clock, done, add } = pacedWork({ pacedBytesMax: 1000 });
  add(1).unsentBytes = 1000;
  clock.drain();
  add(2);
  clock.advance(1990);
  t.strictSame(done, [1]);
  clock.advance(20);
  t.strictSame(done, [1, 2]);
});

t.test('while a fleet comes back, work waits for the handshakes', async (t) => {
  const { clock, paced, done, add } = pacedWork();
  for (let number = 0; number < pacedWorkBounds.waveRoutersMin - 1; number++) {
    paced.arrived();
    add(number);
    clock.advance(1);
  }
  t.equal(done.length, pacedWorkBounds.waveRoutersMin - 1, 'these are no fleet yet');
  for (let number = 0; number < 100; number++) {
    paced.arrived();
    add(100 + number);
    clock.advance(10);
  }
  t.equal(done.length, pacedWorkBounds.waveRoutersMin - 1, 'they come at 100 per second');
  clock.advance(pacedWorkBounds.waveMs);
  t.equal(paced.size, 0, 'no more come');
  t.equal(done.at(-1), 199);
});

t.test('work waits for a fleet no longer than its bound', async (t) => {
  const { clock, paced, done, add } = pacedWork();
  for (let number = 0; number < pacedWorkBounds.waveRoutersMin; number++) paced.arrived();
  add(1);
  const stepMs = 10;
  let waitedMs = 0;
  while (done.length === 0) {
    paced.arrived();
    clock.advance(stepMs);
    waitedMs += stepMs;
  }
  t.ok(waitedMs >= pacedWorkBounds.heldMsMax);
  t.ok(waitedMs <= pacedWorkBounds.heldMsMax + 2 * stepMs);
});
