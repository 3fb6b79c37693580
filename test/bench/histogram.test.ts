// The histogram: known quantiles, bounded error, adding up.

import t from 'tap';
import { Histogram, upperMs } from '../../bench/load/histogram.ts';
import * as fc from '../properties.ts';

t.test('quantiles of known durations', async (t) => {
  const histogram = new Histogram();
  for (let ms = 1; ms <= 100; ms++) histogram.record(ms);
  const { p50, p90, p99, max } = histogram.figures();
  for (const [found, wanted] of [
    [p50, 50],
    [p90, 90],
    [p99, 99],
    [max, 100],
  ] as const) {
    t.ok(found >= wanted && found <= wanted * (1 + 1 / 64), `${found} for ${wanted}`);
  }
});

t.test('nothing recorded is zero', async (t) => {
  t.same(new Histogram().figures(), { p50: 0, p90: 0, p99: 0, max: 0 });
});

t.test('values out of range are recorded at its edge', async (t) => {
  const histogram = new Histogram();
  histogram.record(-1);
  t.equal(histogram.quantile(1), 0);
  histogram.record(1e9);
  t.ok(histogram.quantile(1) > 400_000, 'seven minutes');
  t.equal(histogram.total, 2);
});

t.test('a duration is reported at most a 64th too long, and never too short', async () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 400_000, noNaN: true }), (ms) => {
      const histogram = new Histogram();
      histogram.record(ms);
      const told = histogram.quantile(0.5);
      return told >= ms - 1e-4 && told <= ms * (1 + 1 / 64) + 1e-4;
    }),
  );
});

t.test('two histograms add up to one of all durations', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1000, noNaN: true })),
      fc.array(fc.double({ min: 0, max: 1000, noNaN: true })),
      (some, others) => {
        const all = new Histogram();
        for (const ms of [...some, ...others]) all.record(ms);
        const left = new Histogram();
        for (const ms of some) left.record(ms);
        const right = new Histogram();
        for (const ms of others) right.record(ms);
        left.add(right.sparse());
        t.same(left.sparse(), all.sparse());
        return left.total === all.total;
      },
    ),
  );
});

t.test('bounds of buckets rise', async (t) => {
  for (let bucket = 1; bucket < 27 * 64; bucket++) {
    if (upperMs(bucket) <= upperMs(bucket - 1)) t.fail(`bucket ${bucket}`);
  }
});
