// The bounds on bodies: when they are gathered or refused, and when their memory is released.

import t from 'tap';
import { BodyGatherer } from '../../src/http/server/body.ts';
import * as fc from '../properties.ts';

/** Bytes in memory of their own, as uWebSockets.js hands them over. */
function chunk(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

const chunks = fc.array(fc.uint8Array({ maxLength: 9000 }), { minLength: 1, maxLength: 8 });

t.test('chunks within the bounds make the body, and the budget comes back', async () => {
  fc.assert(
    fc.property(chunks, (parts) => {
      const budget = { free: 200_000 };
      const gatherer = new BodyGatherer(100_000, budget);
      const outcomes = parts.map((part, index) =>
        gatherer.add(chunk(part), index === parts.length - 1),
      );
      gatherer.release();
      return (
        outcomes.slice(0, -1).every((outcome) => outcome === 'more') &&
        outcomes.at(-1) === 'whole' &&
        gatherer.body.equals(Buffer.concat(parts)) &&
        budget.free === 200_000
      );
    }),
  );
});

t.test('one byte over bodyBytesMax is too large, however it is cut', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 50 }), (max, cut) => {
      const budget = { free: 10_000 };
      const gatherer = new BodyGatherer(max, budget);
      const first = Math.min(cut, max);
      return (
        gatherer.add(new ArrayBuffer(first), false) === 'more' &&
        gatherer.add(new ArrayBuffer(max + 1 - first), true) === 'tooLarge'
      );
    }),
  );
});

t.test('all bodies together are bounded by bodiesBytesMax', async (t) => {
  const budget = { free: 10_000 };
  const first = new BodyGatherer(8_000, budget);
  const second = new BodyGatherer(8_000, budget);
  t.equal(first.add(new ArrayBuffer(3_000), false), 'more');
  t.equal(budget.free, 4_000);
  t.equal(second.add(new ArrayBuffer(3_000), false), 'noRoom');
  first.release();
  first.release();
  t.equal(budget.free, 10_000);
  t.equal(second.add(new ArrayBuffer(3_000), false), 'more');
});
