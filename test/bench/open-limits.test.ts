// Which limits a home is given of a checkout that another revision may be in.

import t from 'tap';
import { openLimits } from '../../bench/open-limits.ts';

const text = 'export const limitTable = {\n  writesPerSecondMax: {\n    fallback: 1,\n  },\n};\n';

t.test('a checkout gets the limits that it knows, wherever its table of them is', async (t) => {
  const present = t.testdir({ src: { settings: { 'limits.ts': text } } });
  t.same(openLimits(present), { writesPerSecondMax: 0 });
});

t.test('revisions from before the table moved are measured, too', async (t) => {
  const earlier = t.testdir({ src: { 'limits.ts': text } });
  t.same(openLimits(earlier), { writesPerSecondMax: 0 });
});
