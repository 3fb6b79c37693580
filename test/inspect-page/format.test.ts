// Numbers and times as people read them.

import t from 'tap';
import {
  formatBytes,
  formatCompact,
  formatCount,
  formatMoment,
  formatMs,
  formatRate,
  formatSpan,
  formatState,
  formatTime,
  formatValue,
} from '../../src/inspect/page/format.ts';

t.test('numbers', async (t) => {
  t.equal(formatCount(1_000_000), '1,000,000');
  t.strictSame([0, 0.44, 9.96, 12.5, 1234.6].map(formatRate), ['0', '0.4', '10', '13', '1,235']);
  t.strictSame([9_999, 12_345, 2_000_000].map(formatCompact), ['9,999', '12.3K', '2M']);
  t.strictSame([0, 1023, 1536, 1024 ** 3 * 2.25].map(formatBytes), [
    '0 B',
    '1,023 B',
    '1.5 KiB',
    '2.3 GiB',
  ]);
  t.strictSame([0.42, 999, 1500].map(formatMs), ['0.4 ms', '999 ms', '1.5 s']);
});

t.test('spans of time', async (t) => {
  const second = 1000;
  const spans = [-5 * second, 12 * second, 245 * second, 3_725 * second, 183_600 * second];
  t.strictSame(spans.map(formatSpan), ['0 s', '12 s', '4 min 05 s', '1 h 02 min', '2 d 3 h']);
});

t.test('points in time, in the zone of the reader', async (t) => {
  const time = new Date(2026, 10, 21, 3, 5, 9, 7);
  t.equal(formatTime(time.getTime()), '03:05:09.007');
  t.equal(formatMoment(time.toISOString()), '2026-11-21 03:05:09');
  for (const value of [undefined, null, '', 'never']) t.equal(formatMoment(value), '');
  t.equal(formatTime(Number.NaN), '');
});

t.test('values of a record', async (t) => {
  for (const value of [undefined, null, '', [], {}]) t.equal(formatValue(value), '–');
  t.strictSame([0, false, 'a'].map(formatValue), ['0', 'false', 'a']);
  t.equal(formatValue({ a: 1 }), '{\n "a": 1\n}');
  t.match(formatValue('2026-11-21T03:05:09.007Z'), /^2026-11-2\d \d\d:\d\d:\d\d$/);
});

t.test('states of machines with parallel regions', async (t) => {
  t.equal(formatState('full'), 'full');
  t.equal(formatState('certificate:current,life:existing'), 'current · existing');
  t.equal(formatState('certificate:none,life:none'), 'none');
});
