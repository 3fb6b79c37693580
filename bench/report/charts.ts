// The plots of a run: the distribution of latencies, and the figures that grow with size.

import { upperMs } from '../load/histogram.ts';
import type { BenchResults, Measurement } from '../results.ts';
import { type Chart, logarithmicTicks, type Series } from './chart.ts';
import { grouped } from './goal-line.ts';

/**
 * A plot for each scenario and size: the share of answers over their latency, with one line per
 * concurrency and per open loop.
 */
export function latencyCharts({ measurements, opens }: BenchResults): Chart[] {
  const lines = [
    ...measurements.map((found) => ({ found, name: `${found.connections} connections` })),
    ...opens.map((found) => {
      const { share, rate } = found;
      const load = share === undefined ? `${grouped(rate)}/s` : `${Math.round(share * 100)}%`;
      return { found, name: `open, ${load}` };
    }),
  ];
  return groups(lines, ({ found }) => `${found.scenario} ${found.identities}`).flatMap((group) => {
    const series = group.map(({ found, name }) => ({ name, points: quantileCurve(found) }));
    const [first] = group;
    if (first === undefined || series.every(({ points }) => points.length === 0)) return [];
    const { title, identities } = first.found;
    return [
      {
        title: `${title}, ${grouped(identities)} identities`,
        x: { title: 'share of answers', from: 0, to: 4, logarithmic: false, ticks: shareTicks },
        y: axisOf('ms', series),
        series,
      },
    ];
  });
}

/** The most lines of a plot that can still be distinguished. */
const linesMax = 6;

/**
 * Plots of figures that must not grow with the number of identities, with one line per scenario.
 */
export function growthCharts(results: BenchResults): Chart[] {
  const { measurements } = results;
  const connections = Math.max(...measurements.map((found) => found.connections), 0);
  const busiest = measurements.filter((found) => found.connections === connections);
  const sizes = [...new Set(busiest.map((found) => found.identities))].sort((a, b) => a - b);
  if (sizes.length < 2) return [];
  const scenarios = groups(busiest, (found) => found.scenario);
  const bundles: Measurement[][][] = [];
  for (let at = 0; at < scenarios.length; at += linesMax) {
    bundles.push(scenarios.slice(at, at + linesMax));
  }
  return [...growths, ...memoryGrowth(results)].flatMap(({ title, unit, value }) =>
    bundles.flatMap((bundle) => {
      const series: Series[] = bundle
        .map((found) => ({ name: found[0]?.scenario ?? '', points: pointsOf(found, value) }))
        .filter(({ points }) => points.length > 1);
      if (series.length === 0) return [];
      const heading = `${title}, ${connections} connections`;
      return [{ title: heading, x: sizeAxis(sizes), y: axisOf(unit, series), series }];
    }),
  );
}

interface Growth {
  readonly title: string;
  readonly unit: string;
  value(found: Measurement): number | undefined;
}

const growths: readonly Growth[] = [
  { title: 'CPU per request', unit: 'µs', value: ({ cpuMicros }) => cpuMicros },
  { title: 'p99', unit: 'ms', value: ({ latencyMs }) => latencyMs.p99 },
  { title: 'rate', unit: '1/s', value: ({ perSecond }) => perSecond },
];

/** One line is enough for memory: all scenarios of a size run in one process. */
function memoryGrowth({ measurements }: BenchResults): Growth[] {
  const [first] = measurements;
  return [
    {
      title: 'resident memory behind it',
      unit: 'MB',
      value: ({ scenario, residentBytes }) =>
        scenario === first?.scenario ? residentBytes && residentBytes / 1e6 : undefined,
    },
  ];
}

function pointsOf(found: readonly Measurement[], value: Growth['value']): Series['points'] {
  return found
    .toSorted((a, b) => a.identities - b.identities)
    .flatMap((one) => {
      const y = value(one);
      return y === undefined || y <= 0 ? [] : [[one.identities, y] as const];
    });
}

function sizeAxis(sizes: readonly number[]): Chart['x'] {
  return {
    title: 'identities',
    from: sizes[0] ?? 1,
    to: sizes.at(-1) ?? 1,
    logarithmic: true,
    ticks: sizes.map((at) => ({ at, label: grouped(at) })),
  };
}

function axisOf(title: string, series: readonly Series[]): Chart['y'] {
  const values = series.flatMap(({ points }) => points.map(([, y]) => y));
  const from = Math.min(...values) / 1.2;
  const to = Math.max(...values) * 1.2;
  return { title, from, to, logarithmic: true, ticks: logarithmicTicks(from, to, String) };
}

/** A scale of nines (90%, 99%, 99.9% …), on which each step has the same width. */
const shareTicks = [
  { at: 0, label: '0' },
  { at: 1, label: '90%' },
  { at: 2, label: '99%' },
  { at: 3, label: '99.9%' },
  { at: 4, label: '99.99%' },
];

/**
 * Points that are closer than this are merged, so that a page with hundreds of lines stays small.
 */
const nearestNines = 0.04;

function quantileCurve({ histogram }: Measurement): (readonly [number, number])[] {
  const total = histogram.reduce((sum, [, count]) => sum + count, 0);
  const points: (readonly [number, number])[] = [];
  let seen = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (const [bucket, count] of histogram) {
    const nines = -Math.log10(1 - seen / total);
    if (nines > 4) break;
    seen += count;
    if (nines - last < nearestNines) continue;
    last = nines;
    points.push([nines, Math.max(upperMs(bucket), 1e-4)]);
  }
  return points;
}

function groups<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const group = found.get(key(item)) ?? [];
    group.push(item);
    found.set(key(item), group);
  }
  return [...found.values()];
}
