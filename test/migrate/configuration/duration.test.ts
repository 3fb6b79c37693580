// Durations of the peer's configuration.

import t from 'tap';
import { durationMs } from '../../../src/migrate/configuration/duration.ts';
import fc from '../../properties.ts';

t.test('durations', async (t) => {
  const cases: Readonly<Record<string, number | undefined>> = {
    '30m': 1_800_000,
    '1h30m': 5_400_000,
    '1.5h': 5_400_000,
    '.5s': 500,
    '+2s': 2000,
    '100ms': 100,
    '1us': 0.001,
    '1µs': 0.001,
    '1000000ns': 1,
    '0': 0,
    '30': undefined,
    '-1m': undefined,
    '1 m': undefined,
    '1d': undefined,
    m: undefined,
    '': undefined,
  };
  for (const [text, ms] of Object.entries(cases)) t.equal(durationMs(text), ms, text);
  t.equal(durationMs('1m'.repeat(17)), undefined);
});

t.test('hours, minutes and seconds add up', async (t) => {
  const amount = fc.nat(10_000);
  fc.assert(
    fc.property(amount, amount, amount, (hours, minutes, seconds) => {
      const ms = durationMs(`${hours}h${minutes}m${seconds}s`);
      return ms === (hours * 3600 + minutes * 60 + seconds) * 1000;
    }),
  );
  t.pass();
});
