// A queue by cost against a sorted list.

import t from 'tap';
import { CostQueue } from '../../src/containers/cost-queue.ts';
import * as fc from '../properties.ts';

t.test('an empty queue', async (t) => {
  const queue = new CostQueue<string>();
  t.equal(queue.pop(), undefined);
  t.equal(queue.leastCost, Number.POSITIVE_INFINITY);
});

t.test('an item that is in it twice comes out twice', async (t) => {
  const queue = new CostQueue<string>();
  queue.push(2, 'a');
  queue.push(1, 'b');
  queue.push(0, 'a');
  t.strictSame([queue.pop(), queue.pop(), queue.pop(), queue.pop()], ['a', 'b', 'a', undefined]);
});

t.test('whatever is added and taken out: the cheapest comes first', async () => {
  // A number adds an item of this cost, and undefined takes one out.
  const steps = fc.array(fc.option(fc.nat({ max: 20 }), { nil: undefined }), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (all) => {
      const queue = new CostQueue<{ cost: number }>();
      const costs: number[] = [];
      return all.every((cost) => {
        if (cost !== undefined) {
          queue.push(cost, { cost });
          costs.push(cost);
          costs.sort((a, b) => a - b);
        } else if (queue.pop()?.cost !== costs.shift()) return false;
        return queue.leastCost === (costs[0] ?? Number.POSITIVE_INFINITY);
      });
    }),
  );
});
