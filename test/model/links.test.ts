// An enrolled router that reports links which do not exist, again and again, while honest routers
// dial, lose links, leave, return, and the controller restarts: where true links lead to a host,
// each dial gets there, and each circuit goes on.

import t from 'tap';
import { isNightly } from '../campaigns.ts';
import * as fc from '../properties.ts';
import { LinksModel, type LinksStep } from './links-model.ts';

const honest = fc.nat({ max: 3 });
const link = fc.nat({ max: 4 });
const steps: fc.Arbitrary<LinksStep[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('lie' as const),
        linksEach: fc.integer({ min: 1, max: 4 }),
        isRefresh: fc.boolean(),
      }),
    },
    { weight: 8, arbitrary: fc.record({ do: fc.constant('dial' as const), from: honest }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('break' as const, 'redial' as const, 'steal' as const),
        link,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom('leave' as const, 'return' as const),
        router: honest,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('minute' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('restart' as const),
        order: fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
      }),
    },
  ),
  { minLength: 10, maxLength: 40, size: 'max' },
);

t.setTimeout(300_000);

t.test('random lives beside a liar', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (life) => {
      const model = await LinksModel.boot();
      for (const step of life) await model.take(step);
      await model.stop();
    }),
    { numRuns: isNightly ? 25 : 10 },
  );
});
