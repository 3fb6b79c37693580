// Slot sets agree with a plain Set on both sides of the bound where they become bitsets.

import type { Test } from 'tap';
import t from 'tap';
import { commonSlots, SlotSet, sortedSlots } from '../../src/containers/slot-set.ts';
import * as fc from '../properties.ts';

/** Up to so many members a set keeps them in an array. */
const fewMembersMax = 1024;

t.test('agrees with a Set under random adds and deletes', async (t) => {
  const command = fc.tuple(fc.boolean(), fc.nat({ max: 40 }));
  // Close together, at the bound where few are too few for bits, and far apart.
  const scale = fc.constantFrom(1, 31, 33, 1000);
  holds(
    t,
    fc.property(fc.array(command, { maxLength: 60 }), fc.boolean(), scale, (commands, many, by) => {
      const set = new SlotSet();
      const model = new Set<number>();
      // Started just below the bound, the same commands walk over it and back.
      for (let at = 20; many && at < fewMembersMax + 10; at++) {
        set.add(at * by);
        model.add(at * by);
      }
      for (const [add, at] of commands) {
        const slot = at * by;
        const known = model.has(slot);
        if (add ? set.add(slot) === known : set.delete(slot) !== known) return false;
        if (add) model.add(slot);
        else model.delete(slot);
      }
      const expected = [...model].sort((left, right) => left - right);
      const seen: number[] = [];
      set.forEach((slot) => {
        seen.push(slot);
      });
      return (
        set.size === model.size &&
        JSON.stringify(seen) === JSON.stringify(expected) &&
        JSON.stringify(set.toArray()) === JSON.stringify(expected) &&
        JSON.stringify([...set]) === JSON.stringify(expected) &&
        JSON.stringify(walked(set)) === JSON.stringify(expected) &&
        expected.every((slot) => set.has(slot)) &&
        !set.has(5_000_000)
      );
    }),
  );
});

t.test('turns into a bitset above the bound and back at half of it', async (t) => {
  const set = new SlotSet();
  for (let slot = 0; slot < 3 * fewMembersMax; slot++) set.add(slot * 7);
  t.equal(set.size, 3 * fewMembersMax);
  t.ok(set.has(7 * fewMembersMax));
  t.notOk(set.add(7));
  t.notOk(set.delete(8));
  for (let slot = 10; slot < 3 * fewMembersMax; slot++) t.ok(set.delete(slot * 7));
  t.same(set.toArray(), [0, 7, 14, 21, 28, 35, 42, 49, 56, 63]);
});

t.test(
  'what is far apart stays an array, and a bitset that is left alone turns back',
  async (t) => {
    const slots = Array.from({ length: 5000 }, (_, at) => at * 100);
    const sparse = new SlotSet();
    for (const slot of slots) sparse.add(slot);
    t.notOk(sparse.isBitset);
    t.same(sparse.toArray(), slots);
    const dense = new SlotSet();
    for (let slot = 0; slot < 5000; slot++) dense.add(slot);
    t.ok(dense.isBitset);
    t.ok(dense.add(5_000_000));
    t.notOk(dense.isBitset);
    t.ok(dense.has(5_000_000) && dense.has(4999));
    t.equal(dense.size, 5001);
  },
);

t.test('an array a caller got is its own', async (t) => {
  const set = new SlotSet();
  set.add(1);
  set.toArray().push(9);
  t.same(set.toArray(), [1]);
});

t.test('sorts slots and drops doubles, few and many', async (t) => {
  holds(
    t,
    fc.property(fc.array(fc.nat({ max: 999 })), fc.constantFrom(1000, 100_000), (list, bound) => {
      const expected = [...new Set(list)].sort((left, right) => left - right);
      return JSON.stringify([...sortedSlots(list, bound)]) === JSON.stringify(expected);
    }),
  );
});

t.test('finds common bits of words of different lengths', async (t) => {
  const left = Uint32Array.of(0x80000001, 0xffffffff, 1);
  const right = Uint32Array.of(0xc0000001, 0x80000000);
  t.same([...commonSlots(left, right)], [0, 31, 63]);
});

t.test('is walked while it changes', async (t) => {
  for (const step of [1, 7]) {
    const set = new SlotSet();
    for (let at = 0; at < 2 * fewMembersMax; at++) set.add(at * step);
    const seen: number[] = [];
    // Each one met is gone at once: on the way the bitset becomes an array.
    for (let slot = set.next(-1); slot >= 0; slot = set.next(slot)) {
      seen.push(slot);
      set.delete(slot);
    }
    t.equal(seen.length, 2 * fewMembersMax);
    t.equal(set.size, 0);
    t.equal(set.next(-1), -1);
  }
});

function walked(set: SlotSet): number[] {
  const slots: number[] = [];
  for (let slot = set.next(-1); slot >= 0; slot = set.next(slot)) slots.push(slot);
  return slots;
}

function holds<Values>(t: Test, property: fc.IProperty<Values>): void {
  t.doesNotThrow(() => fc.assert(property));
}
