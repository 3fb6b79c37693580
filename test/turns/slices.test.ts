// Long work runs in slices: in order, urgent work first, and each slice ends in time.

import t from 'tap';
import { inSlices, Slices } from '../../src/turns/slices.ts';
import { SimulatedClock } from '../simulated/clock.ts';

/** A clock on which each step takes time. */
class WorkClock extends SimulatedClock {
  workedMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.workedMs;
  }
}

/** Slices of 2 ms for work whose steps take 1 ms each. */
function scene() {
  const clock = new WorkClock();
  const done: string[] = [];
  const failures: unknown[] = [];
  const slices = new Slices({ clock, sliceMs: 2, failed: (error) => void failures.push(error) });
  function* work(name: string, steps: number): Generator<undefined> {
    for (let step = 1; step <= steps; step++) {
      clock.workedMs += 1;
      done.push(`${name}${step}`);
      if (step < steps) yield;
    }
  }
  return { clock, slices, done, failures, work };
}

t.test('work begins in a later turn and goes on in the next ones, in order', async (t) => {
  const { clock, slices, done, work } = scene();
  t.ok(slices.isIdle);
  slices.add(work('a', 3));
  slices.add(work('b', 1));
  t.notOk(slices.isIdle);
  t.strictSame(done, []);
  t.equal(clock.turn(), 1);
  t.strictSame(done, ['a1', 'a2']);
  clock.turn();
  t.strictSame(done, ['a1', 'a2', 'a3', 'b1']);
  t.ok(slices.isIdle);
  t.equal(clock.turn(), 0);
});

t.test('urgent work goes before the further steps of other work', async (t) => {
  const { clock, slices, done, work } = scene();
  slices.add(work('a', 4));
  clock.turn();
  slices.addUrgent(work('u', 2));
  slices.addUrgent(work('v', 1));
  clock.drain();
  t.strictSame(done, ['a1', 'a2', 'u1', 'u2', 'v1', 'a3', 'a4']);
});

t.test('work that fails is given up and reported, and the next goes on', async (t) => {
  const { clock, slices, done, failures, work } = scene();
  const failure = new Error('no');
  slices.add(
    (function* () {
      yield;
      throw failure;
    })(),
  );
  slices.add(work('a', 1));
  clock.drain();
  t.strictSame(failures, [failure]);
  t.strictSame(done, ['a1']);
  t.ok(slices.isIdle);
});

t.test('a step may add work, and may stop all of it', async (t) => {
  const { clock, slices, done, work } = scene();
  slices.add(
    (function* () {
      slices.add(work('a', 1));
      yield;
      slices.add(work('b', 1));
    })(),
  );
  clock.drain();
  t.strictSame(done, ['a1', 'b1']);
  slices.add(
    (function* () {
      slices.stop();
      yield;
      done.push('not reached');
    })(),
  );
  slices.add(work('c', 1));
  clock.drain();
  slices.addUrgent(work('d', 1));
  clock.drain();
  t.strictSame(done, ['a1', 'b1']);
  t.ok(slices.isIdle);
});

t.test('a promise for work in slices settles like its last step', async (t) => {
  const { clock, done, work } = scene();
  function* sum(): Generator<undefined, number> {
    yield* work('a', 4);
    return done.length;
  }
  const summed = inSlices(sum(), clock, 2);
  t.strictSame(done, ['a1']);
  await clock.settle();
  t.equal(await summed, 4);
  function* failing(): Generator<undefined> {
    yield;
    throw new Error('no');
  }
  const failed = inSlices(failing(), clock, 2);
  void clock.settle();
  await t.rejects(failed, { message: 'no' });
});
