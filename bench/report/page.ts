// The HTML page of a run: plots and tables in one file that needs nothing else.

import type { BenchResults, Measurement } from '../results.ts';
import { type Chart, escapeText, lineChart } from './chart.ts';
import { growthCharts, latencyCharts } from './charts.ts';
import { grouped } from './goal-line.ts';
import { isSmoke } from './goals.ts';
import { machineSentence, originOf, packageSentence } from './markdown.ts';
import { type Section, sectionsOf } from './sections.ts';
import type { TextTable } from './table.ts';
import { profileTable } from './tables.ts';

/** The whole page. */
export function benchmarksPage(results: BenchResults, beside?: BenchResults): string {
  const plots = [
    section('Latency', paragraph(latencyText) + figures(latencyCharts(results))),
    section('Growth with size', figures(growthCharts(results))),
  ];
  const [first, ...others] = sectionsOf(results, beside).map(sectionHtml);
  const profiles = results.measurements
    .filter(({ profile }) => profile !== undefined)
    .map((found) => section(`Profile: ${nameOf(found)}`, htmlTable(profileTable(found))));
  const intro = [machineSentence(results), packageSentence(results), ...results.leftOut];
  const title = `Edge Control benchmarks${isSmoke(results) ? ': smoke run' : ''}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head>
<body><h1>${title}</h1>${intro.map(paragraph).join('')}
${[first, ...plots, ...others, ...profiles].join('\n')}</body></html>
`;
}

const latencyText = [
  'The share of answers that took no longer than a given time. Both axes are logarithmic, and each',
  'nine of the share has the same width. Latencies of open loops count from the moment at which a',
  'request should have been sent.',
].join(' ');

function sectionHtml(one: Section): string {
  const tables = one.tables.map(htmlTable).join('');
  return section(one.heading, paragraph(one.text) + paragraph(originOf(one)) + tables);
}

/** Markdown's marks are removed, because they mean nothing in HTML. */
function paragraph(text: string): string {
  return text === '' ? '' : `<p>${escapeText(text.replaceAll(/[`*]/g, ''))}</p>`;
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
  --line-5: #00838f; --line-6: #6d4c41; --line-7: #546e7a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ef; --faint: #39424f; --paper: #14181f;
  --line-0: #64b5f6; --line-1: #ef9a9a; --line-2: #81c784; --line-3: #ce93d8; --line-4: #ffb74d;
  --line-5: #4dd0e1; --line-6: #bcaaa4; --line-7: #b0bec5; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 1200px; margin: 2rem auto; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 10px; border-bottom: 1px solid var(--faint); text-align: left;
  vertical-align: top; min-width: 5em; }
th:first-child, td:first-child { position: sticky; left: 0; background: var(--paper);
  min-width: min(16em, 40vw); max-width: 26em; overflow-wrap: anywhere; }
td.n { white-space: nowrap; }
.n { text-align: right; min-width: 0; }
.charts { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(380px, 100%), 1fr)); }
svg { width: 100%; font-size: 11px; fill: var(--ink); }
svg .title { font-weight: 600; font-size: 12px; }
svg .title.long { font-size: 10px; }
svg .grid { stroke: var(--faint); }
svg .line { fill: none; stroke-width: 1.6; }
`;
