// Two revisions in turns: ratios of pairs, their median and their spread.

import t from 'tap';
import { compareFigure, compareTurns, medianOf } from '../../bench/compare.ts';
import type { Measurement } from '../../bench/results.ts';

const what = { subject: 's', figure: 'f', unit: 'ms' };

t.test('the ratio is that of the turns, not of the medians', async (t) => {
  // The machine slowed down by half between the turns: both noticed.
  t.match(compareFigure(what, [10, 20, 30], [20, 40, 50]), [
    { ...what, ratio: 0.5, ratioMin: 0.5, ratioMax: 0.6 },
  ]);
});

t.test('a turn that one of them missed is ignored', async (t) => {
  const [found] = compareFigure(what, [10, undefined, 30], [20, 40]);
  t.match(found, { here: [10], there: [20], ratio: 0.5 });
  t.same(compareFigure(what, [10], []), []);
  t.same(compareFigure(what, [10], [0]), [], 'nothing can be told against nothing');
});

t.test('medians', async (t) => {
  t.equal(medianOf([3, 1, 2]), 2);
  t.equal(medianOf([4, 1, 2, 3]), 2.5);
  t.equal(medianOf([7]), 7);
});

t.test('scenarios are compared figure by figure, those that are missing left out', async (t) => {
  const latencyMs = { p50: 1, p90: 2, p99: 3, max: 4 };
  const found = { perSecond: 1000, latencyMs, cpuMicros: 50 } as Measurement;
  const other = { ...found, perSecond: 500 };
  const compared = compareTurns('s', [found, found], [other, other]);
  t.same(
    compared.map(({ figure, ratio }) => [figure, ratio]),
    [
      ['rate', 2],
      ['p50', 1],
      ['p99', 1],
      ['CPU', 1],
    ],
  );
});
