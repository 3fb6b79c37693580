// The first so many items in order: as sorting all of them, whatever comes in.

import { deepEqual } from 'node:assert/strict';
import t from 'tap';
import { FirstItems } from '../../src/store/first-items.ts';
import * as fc from '../properties.ts';

t.test('it holds what a sort of everything would begin with', async (t) => {
  const ascending = (a: number, b: number) => a - b;
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 50 })),
      fc.nat(20),
      fc.nat(20),
      (items, skipped, wanted) => {
        const first = new FirstItems<number>(skipped + wanted, ascending);
        for (const item of items) first.add(item);
        const page = items.toSorted(ascending).slice(skipped, skipped + wanted);
        deepEqual(first.takeBehind(skipped), page);
      },
    ),
  );
  t.pass('with every page');
});
