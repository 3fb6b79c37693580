// An order that is walked along, and made anew, while its times go on changing.

import t from 'tap';
import { OrderRenewal } from '../../src/posture/order-renewal.ts';
import { OrderWalk, type OrderWatcher } from '../../src/posture/order-walk.ts';
import { TimeOrder } from '../../src/posture/time-order.ts';
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

/** Times by slot with their order, as lapses keep them. */
class Times {
  readonly order = new TimeOrder();
  readonly watchers = new Set<OrderWatcher>();
  readonly #times = new Map<number, number>();
  slots = 0;

  timeOf(slot: number): number | undefined {
    return this.#times.get(slot);
  }

  set({ slot, at }: Change): void {
    if (this.#times.delete(slot)) {
      for (const watcher of this.watchers) watcher.leave(slot);
      this.order.remove(slot);
    }
    if (at === undefined) return;
    this.slots = Math.max(this.slots, slot + 1);
    this.#times.set(slot, at);
    this.order.add(slot, at);
    for (const watcher of this.watchers) watcher.join(slot, at);
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

t.test('what is made anew is as the times are in the end', async (t) => {
  const property = fc.property(...histories, (before, meanwhile) => {
    const times = new Times();
    for (const one of before) times.set(one);
    const renewal = new OrderRenewal(times);
    times.watchers.add(renewal);
    const work = renewal.work();
    let isDone = false;
    for (const one of meanwhile) {
      for (let step = 0; step < one.steps; step++) isDone ||= work.next().done === true;
      // From then on it stands in the place of the other one.
      if (isDone) break;
      times.set(one);
    }
    while (!isDone) isDone = work.next().done === true;
    return JSON.stringify(listed(renewal.order)) === JSON.stringify(times.sorted);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000 }));
});

t.test('a walk reaches all that is there in the end', async (t) => {
  const property = fc.property(...histories, (before, meanwhile) => {
    const times = new Times();
    for (const one of before) times.set(one);
    const walk = new OrderWalk(times.order);
    times.watchers.add(walk);
    const steps = walk.slots();
    let last = steps.next();
    for (const one of meanwhile) {
      for (let step = 0; step < one.steps && !last.done; step++) last = steps.next();
      times.set(one);
    }
    while (!last.done) last = steps.next();
    const missed = times.sorted.filter(([slot]) => !walk.hasReached(slot));
    const there = new Set(times.sorted.map(([slot]) => slot));
    const gone = Array.from({ length: slots }, (_, slot) => slot).filter((one) => !there.has(one));
    return last.value === 'through' && missed.length === 0 && !gone.some((s) => walk.hasReached(s));
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000 }));
});

t.test('a slot far out, and an order that leads round', async (t) => {
  const order = new TimeOrder();
  for (const slot of [5, 9000, 7]) order.add(slot, slot);
  const walk = new OrderWalk(order);
  order.parts.next[9000] = 5;
  const steps = walk.slots();
  t.same(
    [5, 7, 9000].map(() => steps.next().value),
    [5, 7, 9000],
  );
  t.same(steps.next(), { done: true, value: 'round' });
  t.ok(walk.hasReached(9000));
  t.notOk(walk.hasReached(6));
});
