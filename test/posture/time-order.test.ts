// The order of times agrees with a sorted list after any changes.

import t from 'tap';
import { TimeOrder } from '../../src/posture/time-order.ts';
import * as fc from '../properties.ts';

const slots = 12;

t.test('slots come in the order of their times, whatever was added and removed', async (t) => {
  const step = fc.record({ slot: fc.nat(slots - 1), at: fc.integer({ min: 1, max: 20 }) });
  const property = fc.property(fc.array(step), fc.integer({ min: 0, max: 22 }), (steps, from) => {
    const order = new TimeOrder();
    // In the order they were given a time: those of the same time stay in it.
    const naive: { slot: number; at: number }[] = [];
    for (const { slot, at } of steps) {
      const known = naive.findIndex((one) => one.slot === slot);
      if (known >= 0) {
        order.remove(slot);
        naive.splice(known, 1);
      } else {
        order.add(slot, at);
        naive.push({ slot, at });
      }
    }
    const sorted = naive.map((one, i) => ({ ...one, i })).sort((a, b) => a.at - b.at || a.i - b.i);
    const expected = sorted.filter(({ at }) => at >= from).map(({ slot }) => slot);
    const found: number[] = [];
    for (let slot = order.from(from); slot !== undefined; slot = order.after(slot)) {
      found.push(slot);
    }
    const back: number[] = [];
    for (let slot = order.before(undefined); slot !== undefined; slot = order.before(slot)) {
      back.unshift(slot);
    }
    const all = sorted.map(({ slot }) => slot);
    return JSON.stringify([found, back]) === JSON.stringify([expected, all]);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2000, seed: 1 }));
});
