// Two revisions measured in turns: the ratio of each figure, and how far the turns spread.

import type { Comparison, Measurement } from './results.ts';

/** The figures of a scenario that are compared. */
const figures: readonly (readonly [
  figure: string,
  unit: string,
  value: (found: Measurement) => number | undefined,
])[] = [
  ['rate', '/s', ({ perSecond }) => perSecond],
  ['p50', 'ms', ({ latencyMs }) => latencyMs.p50],
  ['p99', 'ms', ({ latencyMs }) => latencyMs.p99],
  ['CPU', 'µs', ({ cpuMicros }) => cpuMicros],
  ['main thread', 'µs', ({ mainThreadMicros }) => mainThreadMicros],
  ['resident', 'MB', ({ residentBytes }) => residentBytes && residentBytes / 1e6],
];

/** Compares the results of both, turn by turn. A turn that one of them missed is ignored. */
export function compareTurns(
  subject: string,
  here: readonly Measurement[],
  there: readonly Measurement[],
): Comparison[] {
  return figures.flatMap(([figure, unit, value]) =>
    compareFigure({ subject, figure, unit }, here.map(value), there.map(value)),
  );
}

/** Compares one figure; nothing if there is no turn in which both have it. */
export function compareFigure(
  what: Pick<Comparison, 'subject' | 'figure' | 'unit'>,
  here: readonly (number | undefined)[],
  there: readonly (number | undefined)[],
): Comparison[] {
  const pairs: (readonly [number, number])[] = [];
  for (const [turn, mine] of here.entries()) {
    const other = there[turn];
    if (mine !== undefined && other !== undefined && other > 0) pairs.push([mine, other]);
  }
  if (pairs.length === 0) return [];
  const ratios = pairs.map(([mine, other]) => mine / other).sort((a, b) => a - b);
  return [
    {
      ...what,
      here: pairs.map(([mine]) => mine),
      there: pairs.map(([, other]) => other),
      ratio: medianOf(ratios),
      ratioMin: ratios[0] ?? Number.NaN,
      ratioMax: ratios.at(-1) ?? Number.NaN,
    },
  ];
}

/** The median; of an even number of values, the mean of the middle two. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}
