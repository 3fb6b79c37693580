// Durations as Go writes them.

import t from 'tap';
import { goDurationMs } from '../../src/resources/identities/go-duration.ts';

t.test('what Go takes', (t) => {
  const taken: readonly (readonly [string, number])[] = [
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['1h2m3s', 3_723_000],
    ['1.5s', 1500],
    ['.5s', 500],
    ['5.s', 5000],
    ['250ms', 250],
    ['7us', 0.007],
    ['7µs', 0.007],
    ['7μs', 0.007],
    ['3ns', 0.000003],
    ['+2s', 2000],
    ['-2s', -2000],
    ['0', 0],
    ['-0', 0],
    ['0s', 0],
    ['1m1m', 120_000],
  ];
  for (const [text, ms] of taken) t.equal(goDurationMs(text), ms, text);
  t.end();
});

t.test('what it does not', (t) => {
  const refused = ['', ' ', '10', '10 m', 'm', '1d', '1h-3m', '1e3s', '.s', '--1s', '1m ', 's10'];
  for (const text of refused) t.equal(goDurationMs(text), undefined, text);
  t.equal(goDurationMs(`${'9'.repeat(100)}s`), undefined, 'a text that is too long');
  t.end();
});
