// The rows about the fabric, and their goals.

import type { BenchResults } from '../results.ts';
import { atMost, type GoalLine, grouped, times } from './goal-line.ts';
import { columns, type TextTable } from './table.ts';

/** How the rows are measured. */
export const fabricText = [
  'Each row compares two kinds of work of one run, in turns. The figures are medians of the turns, and',
  'the ratio is the median of the ratios of single turns. Circuits are those of 100 simulated',
  'routers, of which four host; all others are linked with one of these. The two networks of',
  'different sizes have a controller each, and both run at the same time. Readers of events subscribe to',
  'those of sessions. Usage is that of circuits over two routers each.',
].join('\n');

/** All rows. */
export function fabricTable(results: BenchResults): TextTable {
  return {
    columns: columns(
      'work',
      'against',
      'figure',
      '#turns',
      '#work',
      '#against',
      '#ratio',
      '#least',
      '#greatest',
      '#wrong',
    ),
    rows: results.fabricRatios.map((found) => [
      found.work,
      found.against,
      found.figure,
      String(found.turns),
      found.value.toFixed(1),
      found.base.toFixed(1),
      found.ratio.toFixed(2),
      found.ratioMin.toFixed(2),
      found.ratioMax.toFixed(2),
      grouped(found.wrong),
    ]),
  };
}

/** The goals of the rows that were measured. */
export function fabricGoals({ fabricRatios }: BenchResults): GoalLine[] {
  return fabricRatios.map(({ work, against, figure, ratio, goal }) => {
    const [what = ''] = figure.split(' ', 1);
    return atMost(`${work} against ${against}: ${what}`, '–', ratio, goal, times);
  });
}
