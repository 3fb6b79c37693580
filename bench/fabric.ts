// The scenes of the fabric: what its API and its events cost.

import { measureCircuitPages } from './fabric/circuit-pages.ts';
import { beforeEvents, measureReadEvents, measureUnreadEvents } from './fabric/events.ts';
import type { FabricRatio } from './fabric/ratio.ts';
import { measureUsage } from './fabric/usage.ts';
import type { HomeRun } from './local-homes.ts';
import { buildRevision } from './revision.ts';

/** Turns of each row unless the options say otherwise. */
const turnsUsual = 7;

/** Pages of circuits. */
export async function measureFabricPages(run: HomeRun): Promise<void> {
  run.progress('pages of circuits');
  for (const row of await measureCircuitPages(rowOptions(run))) told(run, row);
}

/** What readers of events cost others. */
export async function measureFabricEvents(run: HomeRun): Promise<void> {
  const { options, progress, other } = run;
  progress('events');
  told(run, await measureReadEvents(rowOptions(run)));
  // A smoke run builds no other revision.
  const isBuilt = !options.smoke && other === undefined;
  const built = isBuilt ? buildRevision(beforeEvents, progress) : undefined;
  try {
    told(run, await measureUnreadEvents(rowOptions(run), other ?? built));
  } finally {
    built?.remove();
  }
}

/** What the usage that routers report costs. */
export async function measureFabricUsage(run: HomeRun): Promise<void> {
  run.progress('usage');
  told(run, await measureUsage(rowOptions(run)));
}

function rowOptions({ options: { smoke, measureMs, turns = smoke ? 1 : turnsUsual } }: HomeRun) {
  return { smoke, measureMs, turns };
}

function told({ found, progress }: HomeRun, row: FabricRatio): void {
  found.fabricRatios.push(row);
  const spread = `${row.ratioMin.toFixed(2)} to ${row.ratioMax.toFixed(2)}`;
  progress(`  ${row.work} against ${row.against}: ${row.ratio.toFixed(2)} (${spread})`);
}
