// Token buckets keep their burst and their rate, with a simulated clock.

import t from 'tap';
import { TokenBuckets } from '../../src/turns/token-buckets.ts';
import * as fc from '../properties.ts';

t.test('a full bucket gives its burst, then its refill', (t) => {
  const buckets = new TokenBuckets({ perSecond: 100, burst: 3 });
  let now = 5000;
  const take = () => buckets.take(7, now);
  t.same([take(), take(), take()], [0, 0, 0]);
  t.equal(take(), 10, 'says in how many ms there will be one');
  t.equal(take(), 10, 'and a refusal costs nothing');
  now += 9;
  t.equal(take(), 1);
  now += 1;
  t.equal(take(), 0);
  t.ok(take() > 0);
  now += 1e6;
  t.equal(buckets.left(7, now), 3, 'it never holds more than its burst');
  t.equal(buckets.take(8, 5000), 0, 'each slot has its own');
  t.end();
});

t.test('work that was done is charged, even beyond the contents of the bucket', (t) => {
  const buckets = new TokenBuckets({ perSecond: 1000, burst: 500 });
  t.equal(buckets.left(0, 0), 500);
  buckets.charge(0, 0, 200);
  t.equal(buckets.left(0, 0), 300);
  buckets.charge(0, 0, 1300);
  t.equal(buckets.left(0, 0), 0);
  t.equal(buckets.waitMs(0, 0), 1001);
  t.equal(buckets.left(0, 1001), 1);
  t.equal(buckets.waitMs(0, 1001), 0);
  buckets.reset(0);
  t.equal(buckets.left(0, 1001), 500, 'a slot that is used again begins full');
  buckets.reset(1e6);
  t.end();
});

t.test('a rate of 0 bounds nothing', (t) => {
  const buckets = new TokenBuckets({ perSecond: 0, burst: 1 });
  buckets.charge(0, 0, 1e9);
  for (let n = 0; n < 10; n++) t.equal(buckets.take(0, 0), 0);
  t.equal(buckets.left(0, 0), Number.POSITIVE_INFINITY);
  t.end();
});

t.test('behaves like a naive bucket', (t) => {
  const steps = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 200 });
  const size = fc.record({
    perSecond: fc.integer({ min: 1, max: 250 }),
    burst: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(size, steps, ({ perSecond, burst }, all) => {
      const buckets = new TokenBuckets({ perSecond, burst });
      // In thousandths of a token, which are whole in every ms.
      let held = burst * 1000;
      let now = 0;
      for (const pause of all) {
        now += pause;
        held = Math.min(burst * 1000, held + pause * perSecond);
        const isThere = held >= 1000;
        if (buckets.left(3, now) !== Math.floor(held / 1000)) return false;
        if ((buckets.take(3, now) === 0) !== isThere) return false;
        if (isThere) held -= 1000;
      }
      return true;
    }),
    { numRuns: 300 },
  );
  t.pass('property held');
  t.end();
});
