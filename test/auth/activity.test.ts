// Stamps of API sessions and their flush.

import t from 'tap';
import { Activity, type ActivityStamp } from '../../src/auth/activity.ts';
import * as fc from '../properties.ts';

function drain(activity: Activity, stampsMax: number): ActivityStamp[][] {
  const batches: ActivityStamp[][] = [];
  while (activity.dirtyCount > 0) activity.flush(stampsMax, (stamps) => batches.push([...stamps]));
  return batches;
}

t.test('stamps', async (t) => {
  const activity = new Activity();
  t.equal(activity.lastActivityAt(7), undefined);
  t.equal(activity.lastActivityAt(7), undefined);
  activity.touch(7, 5000);
  t.equal(activity.lastActivityAt(7), 5000);
  t.equal(activity.lastActivityAt(7), 5000);
  activity.touch(7, 4000);
  t.equal(activity.lastActivityAt(7), 5000, 'never back');
  activity.touch(5000, 6000);
  t.equal(activity.lastActivityAt(7), 5000, 'growing keeps what is there');
  activity.release(7);
  t.equal(activity.lastActivityAt(7), undefined);
  activity.release(9999);
  activity.touch(7, 100);
  t.equal(activity.lastActivityAt(7), 100, 'a slot given to another starts again');
});

t.test('a flush in batches hands out each moved stamp once', async (t) => {
  const activity = new Activity();
  activity.restore(50, 10);
  for (const slot of [3, 1, 2, 3, 1]) activity.touch(slot, 100 + slot);
  activity.touch(4, 104);
  activity.release(4);
  t.equal(activity.dirtyCount, 4);
  t.same(drain(activity, 2), [
    [
      { slot: 3, atMs: 103 },
      { slot: 1, atMs: 101 },
    ],
    [{ slot: 2, atMs: 102 }],
  ]);
  t.same(drain(activity, 2), []);
  activity.touch(3, 103);
  t.equal(activity.dirtyCount, 0, 'nothing moved');
  activity.touch(3, 104);
  t.same(drain(activity, 2), [[{ slot: 3, atMs: 104 }]]);
});

t.test('a batch that could not be written stays', async (t) => {
  const activity = new Activity();
  for (const slot of [1, 2, 3]) activity.touch(slot, 100);
  const fail = (): void => {
    throw new Error('the log is stalled');
  };
  t.throws(() => activity.flush(2, fail), /stalled/);
  t.equal(activity.dirtyCount, 3);
  t.equal(drain(activity, 10).flat().length, 3);
});

t.test('flushed stamps and later ones together are what is in memory', async () => {
  const step = fc.record({
    slot: fc.nat(20),
    atMs: fc.nat(1000),
    act: fc.constantFrom('touch', 'touch', 'touch', 'release', 'flush'),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200 }),
      fc.integer({ min: 1, max: 7 }),
      (steps, batch) => {
        const activity = new Activity();
        const model = new Map<number, number>();
        const log = new Map<number, number>();
        const write = (stamps: readonly ActivityStamp[]): void => {
          for (const { slot, atMs } of stamps) log.set(slot, atMs);
        };
        for (const { slot, atMs, act } of steps) {
          if (act === 'flush') activity.flush(batch, write);
          else if (act === 'release') {
            activity.release(slot);
            model.delete(slot);
            log.delete(slot);
          } else {
            activity.touch(slot, atMs);
            model.set(slot, Math.max(atMs, model.get(slot) ?? 0));
          }
        }
        while (activity.dirtyCount > 0) activity.flush(batch, write);
        return (
          [...model].every(([slot, atMs]) => log.get(slot) === atMs) && log.size === model.size
        );
      },
    ),
  );
});
