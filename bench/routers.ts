// The scenes with routers: a fleet that comes back and rests, and routers that carry traffic.

import { Lacking } from '../test/system/endings.ts';
import { outDirectory } from './home.ts';
import type { HomeRun } from './local-homes.ts';
import { bytesEach, forNothingEach, routersOf } from './report/router-goals.ts';
import { measureAccessEndings } from './routers/access-endings.ts';
import {
  compareRouterFigures,
  fleetFigures,
  type RouterFigure,
  trafficFigures,
} from './routers/figures.ts';
import { measureFleets } from './routers/reconnect.ts';
import { measureSharedLogins } from './routers/shared-logins.ts';
import { onTrafficStage } from './routers/traffic-stage.ts';
import { measureRouterWork } from './routers/work-rows.ts';

/** Turns of each of two revisions unless the options say otherwise. */
const turnsUsual = 3;

/** A large fleet after a restart of the controller, and at rest. */
export async function measureRouterFleet(run: HomeRun): Promise<void> {
  const { options, found, progress } = run;
  const { smoke, profiled } = options;
  const profileDirectory = profiled ? `${outDirectory}/profiles` : undefined;
  const title = 'a fleet of routers after a restart of the controller';
  progress(title);
  try {
    await inTurns(
      run,
      (root) => measureFleets({ smoke, profileDirectory, root }),
      (fleets) => fleets.flatMap(fleetFigures),
      (fleets) => found.fleets.push(...fleets),
    );
  } catch (thrown) {
    if (!(thrown instanceof Lacking)) throw thrown;
    const sentence = `Not measured: ${title}, because ${thrown.message}.`;
    progress(`  ${sentence}`);
    found.leftOut.push(sentence);
  }
  for (const made of found.fleets) {
    const { backOff, lastHelloMs, allSyncedMs, othersMs, restCores, syncCpu, wrongSamples } = made;
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    progress(
      `  ${routersOf(made)} routers, ${backOff} back-off: last hello after ${seconds(lastHelloMs)} s, ` +
        `synced after ${seconds(allSyncedMs)} s, ${forNothingEach(made).toFixed(2)} attempts for ` +
        `nothing each, p99 of others ${othersMs.p99.toFixed(1)} ms`,
    );
    progress(
      `  CPU of the fleet ${(syncCpu.fleetMs / syncCpu.serverMs).toFixed(2)} of the controller's, ` +
        `at rest ${restCores.toFixed(3)} cores, ${(bytesEach(made) / 1000).toFixed(0)} KB each`,
    );
    for (const sample of wrongSamples) progress(`  wrong: ${sample}`);
  }
}

/** Circuits, terminators, logins, and rights that are taken away. */
export async function measureTraffic(run: HomeRun): Promise<void> {
  const { options, found, progress } = run;
  const { smoke, measureMs, profiled } = options;
  const profileDirectory = profiled ? `${outDirectory}/profiles` : undefined;
  progress('routers that carry traffic');
  const measure = (root: string | undefined) =>
    onTrafficStage({ smoke, measureMs, profileDirectory, root }, async (stage) => ({
      work: await measureRouterWork(stage),
      logins: await measureSharedLogins(stage),
      endings: await measureAccessEndings(stage),
    }));
  await inTurns(run, measure, trafficFigures, ({ work, logins, endings }) => {
    found.routerWork.push(...work);
    found.sharedLogins.push(...logins);
    found.accessEndings.push(...endings);
  });
  for (const { work, perSecond, createMicros, wrongSample = '' } of found.routerWork) {
    progress(
      `  ${work}: ${perSecond.toFixed(0)}/s, ${createMicros.toFixed(0)} µs CPU ${wrongSample}`,
    );
  }
  for (const { connections, routers, ratio } of found.sharedLogins) {
    progress(
      `  logins with ${routers} shared routers, ${connections}: ${ratio.toFixed(2)} times the CPU`,
    );
  }
  for (const { title, lastToldMs, pauses } of found.accessEndings) {
    progress(
      `  ${title}: last told after ${lastToldMs.toFixed(0)} ms, ` +
        `longest pause ${pauses.longestOwnMs.toFixed(1)} ms`,
    );
  }
}

/**
 * Measures this checkout, and the other revision of the run in turns with it.
 * @param keep - is called with the first result of this checkout
 */
async function inTurns<Result>(
  { options, found, progress, other }: HomeRun,
  measure: (root: string | undefined) => Promise<Result>,
  figuresOf: (result: Result) => readonly RouterFigure[],
  keep: (result: Result) => void,
): Promise<void> {
  const first = await measure(undefined);
  keep(first);
  if (other === undefined) return;
  const here = [figuresOf(first)];
  const there = [figuresOf(await measure(other.root))];
  const { smoke, turns = smoke ? 1 : turnsUsual } = options;
  while (here.length < turns) {
    here.push(figuresOf(await measure(undefined)));
    there.push(figuresOf(await measure(other.root)));
  }
  const compared = compareRouterFigures(here, there);
  found.comparisons.push(...compared);
  for (const { subject, figure, ratio, ratioMin, ratioMax } of compared) {
    const spread = `${ratioMin.toFixed(2)} to ${ratioMax.toFixed(2)}`;
    progress(`  ${subject}, ${figure} against ${other.name}: ${ratio.toFixed(2)} (${spread})`);
  }
}
