// The scenes of the fabric: what its API and its events cost.

import { measureCircuitPages } from './fabric/circuit-pages.ts';
import type { HomeRun } from './local-homes.ts';

/** Turns of each row unless the options say otherwise. */
const turnsUsual = 7;

/** Pages of circuits. */
export async function measureFabricPages({ options, found, progress }: HomeRun): Promise<void> {
  const { smoke, measureMs, turns = smoke ? 1 : turnsUsual } = options;
  progress('pages of circuits');
  for (const row of await measureCircuitPages({ smoke, measureMs, turns })) {
    found.fabricRatios.push(row);
    const spread = `${row.ratioMin.toFixed(2)} to ${row.ratioMax.toFixed(2)}`;
    progress(`  ${row.work} against ${row.against}: ${row.ratio.toFixed(2)} (${spread})`);
  }
}
