// An order that is filled while its times go on changing.

import t from 'tap';
import { fillOrder, TimeOrder } from '../../src/posture/time-order.ts';
import * as fc from '../properties.ts';

const slots = 40;

interface Change {
  readonly slot: number;
  readonly at: number | undefined;
  /** Steps that others take before it. */
  readonly steps: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  slot: fc.nat(slots - 1),
  at: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  steps: fc.nat(3),
});

/** Times by slot with their order, as expiries keep them. */
class Times {
  readonly order = new TimeOrder();
  /** The one that is being filled. */
  fresh: TimeOrder | undefined;
  readonly #times = new Map<number, number>();
  slots = 0;

  inSlot(slot: number): number | undefined {
    return this.#times.get(slot);
  }

  set({ slot, at }: Change): void {
    if (this.#times.delete(slot)) {
      this.fresh?.remove(slot);
      this.order.remove(slot);
    }
    if (at === undefined) return;
    this.slots = Math.max(this.slots, slot + 1);
    this.#times.set(slot, at);
    this.order.add(slot, at);
    this.fresh?.add(slot, at);
  }

  get sorted(): readonly (readonly [number, number])[] {
    return [...this.#times].sort(([a, at], [b, bt]) => at - bt || a - b);
  }
}

/** Slots by time; those of one time by slot, whatever order they came in. */
function listed(order: TimeOrder): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  for (let slot = order.first; slot !== undefined; slot = order.after(slot)) {
    if (!order.isLinked(slot)) throw new Error(`${slot} is not linked`);
    found.push([slot, order.timeOf(slot)]);
  }
  return found.sort(([a, at], [b, bt]) => at - bt || a - b);
}

const histories = [
  fc.array(change, { maxLength: 60 }),
  fc.array(change, { maxLength: 40 }),
] as const;

t.test('what is filled is as the times are in the end', async (t) => {
  const property = fc.property(...histories, (before, meanwhile) => {
    const times = new Times();
    for (const one of before) times.set(one);
    const fresh = new TimeOrder();
    times.fresh = fresh;
    const work = fillOrder(fresh, times, (at) => at);
    let isDone = false;
    for (const one of meanwhile) {
      for (let step = 0; step < one.steps; step++) isDone ||= work.next().done === true;
      // From then on it stands in the place of the other one.
      if (isDone) break;
      times.set(one);
    }
    while (!isDone) isDone = work.next().done === true;
    return JSON.stringify(listed(fresh)) === JSON.stringify(times.sorted);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000 }));
});
