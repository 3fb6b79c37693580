// A client that floods the controller is told to wait, and honest clients beside it are served.

import t from 'tap';
import { makeHome, serve } from '../process.ts';
import { flood } from './flood.ts';

t.test('a flood of logins, writes and filters', async (t) => {
  // Buckets that are used up within the short time of a test.
  const limits = {
    writesBurstMax: 100,
    writesPerSecondMax: 1,
    filterStepsBurstMax: 200_000,
    filterStepsPerSecondMax: 1000,
  };
  const { url, ca } = await serve(t, makeHome(t, { limits }));
  const { failures, honest } = await flood({ url, ca, seconds: 2 });
  t.same(failures, []);
  t.ok(honest.sent > 0);
});
