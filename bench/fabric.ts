// The scenes of the fabric: what its API, its events, usage and the model of routers cost.

import { measureCircuitPages } from './fabric/circuit-pages.ts';
import { beforeEvents, measureReadEvents, measureUnreadEvents } from './fabric/events.ts';
import { measureModelChanges } from './fabric/model-changes.ts';
import { measureModelReturns } from './fabric/model-returns.ts';
import { measureUsage } from './fabric/usage.ts';
import type { HomeRun } from './local-homes.ts';
import type { RatioMeasurement } from './ratio.ts';
import { noteRows, rowOptions, withRevision } from './ratio-rows.ts';

/** Pages of circuits. */
export async function measureFabricPages(run: HomeRun): Promise<void> {
  run.progress('pages of circuits');
  note(run, await measureCircuitPages(rowOptions(run)));
}

/** Measures how much readers of events slow other work down. */
export async function measureFabricEvents(run: HomeRun): Promise<void> {
  run.progress('events');
  note(run, [await measureReadEvents(rowOptions(run))]);
  note(run, [
    await withRevision(run, beforeEvents, (before) => measureUnreadEvents(rowOptions(run), before)),
  ]);
}

/** Measures the CPU time that reports of usage take. */
export async function measureFabricUsage(run: HomeRun): Promise<void> {
  run.progress('usage');
  note(run, [await measureUsage(rowOptions(run))]);
}

/** Changes of the network while routers subscribe to its model. */
export async function measureFabricModel(run: HomeRun): Promise<void> {
  run.progress('changes of the model of routers');
  note(run, await measureModelChanges(rowOptions(run)));
}

/** Routers that come back and know the model, or do not. @throws Lacking where there is no Go */
export async function measureFabricReturns(run: HomeRun): Promise<void> {
  run.progress('return of routers with a model');
  note(run, await measureModelReturns(rowOptions(run)));
}

function note(run: HomeRun, rows: readonly RatioMeasurement[]): void {
  noteRows(run, 'fabricRatios', rows);
}
