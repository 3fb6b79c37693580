// The parts that the stages of ratio rows share: their options, their progress, and the controller
// of another revision.

import type { Findings } from './findings.ts';
import type { HomeRun } from './local-homes.ts';
import type { RatioMeasurement } from './ratio.ts';
import { buildRevision, type Revision } from './revision.ts';

/** How rows are measured. */
export interface RowOptions {
  readonly smoke: boolean;
  readonly measureMs: number;
  readonly turns: number;
}

/** Turns of each row unless the options say otherwise. */
const turnsUsual = 7;

/** How the rows of a run are measured. */
export function rowOptions({ options }: HomeRun): RowOptions {
  const { smoke, measureMs, turns = smoke ? 1 : turnsUsual } = options;
  return { smoke, measureMs, turns };
}

/** Keeps rows, and reports them. */
export function noteRows(
  { found, progress }: HomeRun,
  list: keyof Pick<Findings, 'cliRatios' | 'fabricRatios' | 'migrateRatios' | 'oidcRatios'>,
  rows: readonly RatioMeasurement[],
): void {
  for (const row of rows) {
    found[list].push(row);
    const spread = `${row.ratioMin.toFixed(2)} to ${row.ratioMax.toFixed(2)}`;
    const figures = `${row.value.toFixed(1)} to ${row.base.toFixed(1)} ${row.figure}`;
    const wrong = row.wrong > 0 ? `, ${row.wrong} WRONG` : '';
    progress(
      `  ${row.work} against ${row.against}: ${row.ratio.toFixed(2)} (${spread}), ${figures}${wrong}`,
    );
  }
}

/**
 * Runs `play` with the other revision of a run, or builds `reference` for it. A smoke run builds
 * none, so that this checkout is compared with itself.
 */
export async function withRevision<T>(
  { options, progress, other }: HomeRun,
  reference: string,
  play: (before: Revision | undefined) => Promise<T>,
): Promise<T> {
  const isBuilt = !options.smoke && other === undefined;
  const built = isBuilt ? buildRevision(reference, progress) : undefined;
  try {
    return await play(other ?? built);
  } finally {
    built?.remove();
  }
}
