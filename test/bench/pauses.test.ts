// Pauses from what was seen of a timer: how late it was, and how long it only lacked a core.

import t from 'tap';
import { pausesOf } from '../../bench/server/pauses.ts';

t.test('quantiles are of all lateness, the longest of its own without the waits', async (t) => {
  const found = Array.from({ length: 1000 }, (_, n): [number, number] => [n / 1000, 0]);
  found.push([12, 9], [7, 0.5]);
  const { p99Ms, longestMs, longestOwnMs } = pausesOf(found);
  t.equal(p99Ms, 0.991);
  t.equal(longestMs, 12);
  t.equal(longestOwnMs, 6.5, 'the one of 12 ms waited for most of it');
});

t.test('nothing seen is no pause', async (t) => {
  t.same(pausesOf([]), { p99Ms: 0, p999Ms: 0, longestMs: 0, longestOwnMs: 0 });
});
