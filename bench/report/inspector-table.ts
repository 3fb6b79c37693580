// The cost of attached inspectors in the report.

import type { BenchResults } from '../results.ts';
import { columns, type TextTable } from './table.ts';
import { megabytes } from './tables.ts';

/** How the figures are measured. */
export const inspectorText = [
  'Windows of full load over 64 connections, without inspectors and with them, in turns. Of the',
  'attached inspectors, those that do not read never read a byte after the greeting. The readers are',
  'a separate process on the same cores, so their work is included in the ratio; the CPU of the',
  'server alone is in its own column. Session creates send nothing to inspectors, because sessions',
  'have no machine; each identity create sends one transition.',
].join('\n');

/** One row per load. */
export function inspectorTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      'load',
      '#inspectors',
      '#reading',
      '#requests/s without',
      '#with',
      '#ratio',
      '#least',
      '#greatest',
      '#server CPU per request, ratio',
      '#received/s per reader',
      '#missed/s',
      '#MB before',
      '#MB most',
      '#wrong',
    ),
    rows: results.inspectors.map((found) => [
      found.load,
      String(found.inspectors),
      String(found.reading),
      ...[mean(found.without), mean(found.attached)].map((rate) => rate.toFixed(0)),
      ...[found.ratio, found.ratioMin, found.ratioMax, found.cpuRatio].map((x) => x.toFixed(2)),
      ...[found.toldPerSecond, found.missedPerSecond].map((rate) => rate.toFixed(0)),
      ...[found.residentBytes, found.attachedResidentBytes].map(megabytes),
      String(found.wrong),
    ]),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
