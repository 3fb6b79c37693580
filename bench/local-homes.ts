// A home of a size for each revision under measurement, made through its API, with what is measured
// on it.

import type { Findings, Progress } from './findings.ts';
import { type BenchHome, makeHome, rivalArgon2 } from './home.ts';
import { homeSize } from './home-size.ts';
import { measureLimits } from './limits/measure-limits.ts';
import type { LoadGenerator } from './load/generator-process.ts';
import { makeNetwork } from './network.ts';
import type { BenchOptions } from './options.ts';
import type { HomeMeasurement } from './results.ts';
import type { Revision } from './revision.ts';
import type { Scenario } from './scenario.ts';
import { type ControllerProcess, startController } from './server/controller-process.ts';
import { inspectorFlags } from './server/inspector.ts';
import { readLogFigures } from './server/log-figures.ts';
import { sampleMemory } from './server/process-figures.ts';
import { Side } from './side.ts';
import { Turns } from './turns.ts';

/** The parts of a run that measuring on homes needs. */
export interface HomeRun {
  readonly options: BenchOptions;
  readonly generator: LoadGenerator;
  readonly found: Findings;
  readonly progress: Progress;
  /** The other revision, if two are measured. */
  readonly other: Revision | undefined;
}

/**
 * Measures scenarios on a home with this number of `identities` and, on request, the machine's
 * limits with its keys.
 */
export async function measureOnHome(
  run: HomeRun,
  identities: number,
  wanted: readonly Scenario[],
  withLimits: boolean,
): Promise<void> {
  const { options, generator, found, progress, other } = run;
  const here = await openHome(run, identities);
  const there = other === undefined ? undefined : await openHome(run, identities, other.root);
  try {
    if (withLimits) {
      progress('physical limits');
      found.limits.push(...(await measureLimits({ home: here.bench.home, generator, options })));
    }
    if (wanted.length === 0) return;
    progress(`a home of ${identities} identities`);
    const side = await fill(run, identities, here.controller);
    const against = there && (await fill(run, identities, there.controller));
    const turns = new Turns(options, generator, found, progress);
    for (const scenario of wanted) await turns.run(scenario, { here: side, there: against });
  } finally {
    await here.controller.stop();
    await there?.controller.stop();
  }
  here.bench.remove();
  there?.bench.remove();
}

interface OpenHome {
  readonly bench: BenchHome;
  readonly controller: ControllerProcess;
}

async function openHome(
  { options }: HomeRun,
  identities: number,
  root?: string,
): Promise<OpenHome> {
  const bench = makeHome(`identities-${identities}${root === undefined ? '' : '-there'}`, root);
  bench.configure(rivalArgon2);
  const { home, logFile } = bench;
  const nodeFlags = options.profiled ? inspectorFlags : [];
  const controller = await startController({ home, logFile, direct: true, nodeFlags, root });
  return { bench, controller };
}

async function fill(
  { options, generator, found, progress }: HomeRun,
  identities: number,
  controller: ControllerProcess,
): Promise<Side> {
  const startedAt = performance.now();
  const size = homeSize(identities, options.smoke);
  const network = await makeNetwork(controller, generator, size);
  const madeMs = performance.now() - startedAt;
  const { services } = size;
  const home: HomeMeasurement = {
    identities,
    services,
    madeMs,
    createsPerSecond: ((identities + services) / madeMs) * 1000,
    residentBytes: sampleMemory(controller.pid).residentBytes,
    logBytes: wholeLogBytes(controller.home),
  };
  found.homes.push(home);
  progress(`  made in ${(madeMs / 1000).toFixed(1)} s`);
  return new Side(controller, network, controller);
}

/** Bytes of all frames since the first; undefined once snapshots have removed the oldest. */
function wholeLogBytes(home: string): number | undefined {
  const { frames, frameBytes, lastLsn } = readLogFigures(home);
  return frames === lastLsn ? frameBytes : undefined;
}
