// The HTML page of a run: plots and tables in one file that needs nothing else.

import { upperMs } from '../load/histogram.ts';
import type { BenchResults, Measurement } from '../results.ts';
import { type Chart, escapeText, lineChart, logarithmicTicks, type Series } from './chart.ts';
import { grouped } from './goals.ts';
import { machineSentence, methodText } from './markdown.ts';
import type { TextTable } from './table.ts';
import {
  endingTable,
  goalTable,
  limitTable,
  logTable,
  microTable,
  profileTable,
  restartTable,
  scenarioTable,
  snapshotTable,
  stormTable,
} from './tables.ts';

/** The whole page. */
export function benchmarksPage(results: BenchResults): string {
  const sections = [
    section('Goals', htmlTable(goalTable(results))),
    section('Latency', figures(latencyCharts(results))),
    section('Growth with size', figures(growthCharts(results))),
    section('Scenarios', `<p>${escapeText(methodText)}</p>${htmlTable(scenarioTable(results))}`),
    section('Physical limits', htmlTable(limitTable(results))),
    section('Bytes written', htmlTable(logTable(results))),
    section('Pieces by themselves', htmlTable(microTable(results))),
    section('Reconnect storm', htmlTable(stormTable(results))),
    section('Changes that end sessions', htmlTable(endingTable(results))),
    section('Snapshots while serving', htmlTable(snapshotTable(results))),
    section('Restart and memory', htmlTable(restartTable(results))),
    ...results.measurements
      .filter(({ profile }) => profile !== undefined)
      .map((found) => section(`Profile: ${nameOf(found)}`, htmlTable(profileTable(found)))),
  ];
  const intro = escapeText(machineSentence(results).replaceAll(/[`*]/g, ''));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Edge Control benchmarks</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head>
<body><h1>Edge Control benchmarks</h1><p>${intro}</p>${sections.join('\n')}</body></html>
`;
}

/**
 * A plot for each scenario and size: which share of the answers took how long, a line a
 * concurrency.
 */
export function latencyCharts({ measurements }: BenchResults): Chart[] {
  const charts: Chart[] = [];
  for (const found of groups(measurements, (one) => `${one.scenario} ${one.identities}`)) {
    const series = found.map((one) => ({
      name: `${one.connections} connections`,
      points: quantileCurve(one),
    }));
    const values = series.flatMap(({ points }) => points.map(([, ms]) => ms));
    const [first] = found;
    if (first === undefined || values.length === 0) continue;
    const from = Math.min(...values) / 1.2;
    const to = Math.max(...values) * 1.2;
    charts.push({
      title: `${first.title}, ${grouped(first.identities)} identities`,
      x: { title: 'share of answers', from: 0, to: 4, logarithmic: false, ticks: shareTicks },
      y: {
        ...{ title: 'ms', from, to, logarithmic: true },
        ticks: logarithmicTicks(from, to, String),
      },
      series,
    });
  }
  return charts;
}

/** A plot for each figure that must not grow: CPU a request over identities, a line a scenario. */
export function growthCharts({ measurements }: BenchResults): Chart[] {
  const connections = Math.max(...measurements.map((found) => found.connections), 0);
  const busiest = measurements.filter((found) => found.connections === connections);
  const sizes = [...new Set(busiest.map((found) => found.identities))].sort((a, b) => a - b);
  const [smallest = 1] = sizes;
  const largest = sizes.at(-1) ?? 1;
  if (sizes.length < 2) return [];
  const chart = (title: string, unit: string, value: (found: Measurement) => number): Chart => {
    const series: Series[] = groups(busiest, (found) => found.scenario).map((found) => ({
      name: found[0]?.scenario ?? '',
      points: found
        .toSorted((a, b) => a.identities - b.identities)
        .map((one) => [one.identities, value(one)] as const),
    }));
    const values = series.flatMap(({ points }) => points.map(([, y]) => y));
    const from = Math.min(...values) / 1.2;
    const to = Math.max(...values) * 1.2;
    return {
      title: `${title}, ${connections} connections`,
      x: {
        ...{ title: 'identities', from: smallest, to: largest, logarithmic: true },
        ticks: sizes.map((at) => ({ at, label: grouped(at) })),
      },
      y: {
        ...{ title: unit, from, to, logarithmic: true },
        ticks: logarithmicTicks(from, to, String),
      },
      series,
    };
  };
  return [
    chart('CPU a request', 'µs', (found) => found.cpuMicros),
    chart('p99', 'ms', (found) => found.latencyMs.p99),
    chart('rate', '1/s', (found) => found.perSecond),
  ];
}

/** Nines on a scale of their own: half of the width for the last hundredth. */
const shareTicks = [
  { at: 0, label: '0' },
  { at: 1, label: '90%' },
  { at: 2, label: '99%' },
  { at: 3, label: '99.9%' },
  { at: 4, label: '99.99%' },
];

function quantileCurve({ histogram }: Measurement): (readonly [number, number])[] {
  const total = histogram.reduce((sum, [, count]) => sum + count, 0);
  const points: (readonly [number, number])[] = [];
  let seen = 0;
  for (const [bucket, count] of histogram) {
    const nines = -Math.log10(1 - seen / total);
    if (nines > 4) break;
    points.push([nines, Math.max(upperMs(bucket), 1e-4)]);
    seen += count;
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

function nameOf({ title, identities, connections }: Measurement): string {
  return `${title}, ${grouped(identities)} identities, ${connections} connections`;
}

function section(heading: string, content: string): string {
  return content === '' ? '' : `<h2>${escapeText(heading)}</h2>${content}`;
}

function figures(charts: readonly Chart[]): string {
  if (charts.length === 0) return '';
  return `<div class="charts">${charts.map((chart) => lineChart(chart)).join('\n')}</div>`;
}

function htmlTable({ columns, rows }: TextTable): string {
  if (rows.length === 0) return '';
  const cells = (row: readonly string[], tag: 'th' | 'td'): string =>
    row
      .map((cell, index) => {
        const numeric = columns[index]?.numeric === true ? ' class="n"' : '';
        return `<${tag}${numeric}>${escapeText(cell)}</${tag}>`;
      })
      .join('');
  const head = cells(
    columns.map(({ heading }) => heading),
    'th',
  );
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

const style = `
:root { color-scheme: light dark; --ink: #1c2430; --faint: #d8dde4; --paper: #fff;
  --line-0: #1565c0; --line-1: #c62828; --line-2: #2e7d32; --line-3: #7b1fa2; --line-4: #b26a00;
  --line-5: #00838f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ef; --faint: #39424f; --paper: #14181f;
  --line-0: #64b5f6; --line-1: #ef9a9a; --line-2: #81c784; --line-3: #ce93d8; --line-4: #ffb74d;
  --line-5: #4dd0e1; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 1200px; margin: 2rem auto; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 10px; border-bottom: 1px solid var(--faint); text-align: left;
  white-space: nowrap; }
.n { text-align: right; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(380px, 1fr)); gap: 1rem; }
svg { width: 100%; font-size: 11px; fill: var(--ink); }
svg .title { font-weight: 600; font-size: 12px; }
svg .grid { stroke: var(--faint); }
svg .line { fill: none; stroke-width: 1.6; }
`;
