// The text of times in answers.

import t from 'tap';
import { isoTime } from '../../src/declare/resources/view.ts';

t.test('a time has the same text whatever times were shown before it', async (t) => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
  for (const ms of [now, now + 1, now, now, now + 2, now + 1, now + 2, 0, now, 0, now + 1]) {
    t.equal(isoTime(ms), new Date(ms).toISOString());
  }
  t.throws(() => isoTime(Number.NaN), RangeError);
  t.equal(isoTime(now), new Date(now).toISOString(), 'a refused time leaves nothing behind');
});
