// The load of all scenarios at once, in open loops at half of the controller's capacity, and its
// effect on the main thread.

import { availableParallelism } from 'node:os';
import type { Progress } from './findings.ts';
import { homeSize } from './home-size.ts';
import type { LoadGenerator } from './load/generator-process.ts';
import { figuresOf, type LatencyFigures } from './load/histogram.ts';
import type { Job, JobResult } from './load/job.ts';
import { jobOf, loadOf } from './measure.ts';
import { countingLimits } from './open-limits.ts';
import type { ProfileLine } from './results.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { type CoreWait, coreWaitWhile } from './server/core-wait.ts';
import { type Pauses, pausesWhile } from './server/pauses.ts';
import { profileWhile } from './server/profiler.ts';
import { Side } from './side.ts';
import { onStage } from './stage.ts';

/** A mix of scenarios, and its effect on the main thread. */
export interface MixMeasurement {
  readonly identities: number;
  readonly windowMs: number;
  /**
   * The greatest mix that the controller kept up with, as a share of what the scenarios reach
   * alone. It is less than 1, because a scenario that runs alone invalidates no results of others.
   */
  readonly saturation: number;
  /** The share of that saturation at which the mix ran. */
  readonly share: number;
  readonly parts: readonly MixPart[];
  /** Delay of the event loop: the time between two ticks of a timer of 1 ms, that 1 ms included. */
  readonly delay: Pauses;
  /** How long the main thread waited for a core: this part of the delay is not its own. */
  readonly coreWait: CoreWait;
  /** The shares of all cores' time that the controller and the load generator used, 0 to 1. */
  readonly serverShare: number;
  readonly clientShare: number;
  /** The share of one core's time that the main thread used, 0 to 1. */
  readonly mainThreadShare: number;
  readonly foreignShare: number;
  readonly wrong: number;
  readonly wrongSamples: readonly string[];
  readonly profile?: readonly ProfileLine[];
}

/** One scenario's part of the mix. */
export interface MixPart {
  readonly scenario: string;
  readonly title: string;
  /** Requests per second that it reached alone in a closed loop. */
  readonly alonePerSecond: number;
  readonly rate: number;
  readonly perSecond: number;
  readonly latencyMs: LatencyFigures;
  readonly isOverrun: boolean;
}

/** Options of a mix. */
export interface MixOptions {
  readonly identities: number;
  readonly smoke: boolean;
  /** The duration of the mix, and of each scenario alone before it. */
  readonly measureMs: number;
  readonly aloneMs: number;
  /** The path of a profile of the mix, if one is requested. */
  readonly profileDirectory: string | undefined;
}

/** The share of saturation at which the mix is measured. */
const share = 0.5;

/**
 * The most requests to prepare for finding the rate of a scenario whose requests use something up.
 */
const spentAlone = 8000;

/** The backlog, in seconds of arrivals, above which a scenario counts as not kept up with. */
const backlogSeconds = 2;

/** Connections of each scenario in the mix. */
const connectionsEach = 4;

/** Measures a mix on a home of its own. */
export async function measureMixed(
  options: MixOptions,
  progress: Progress,
): Promise<MixMeasurement> {
  const size = homeSize(options.identities, options.smoke);
  // Everything is counted, as in real use, so that the cost of the rates is measured.
  const settings = { limits: countingLimits };
  const stage = { name: 'mixed', size, isWatched: true, settings };
  return await onStage(stage, async ({ controller, generator, network }) => {
    const side = new Side(controller, network, controller);
    const alone = await aloneRates(side, generator, options);
    progress(`  ${alone.length} scenarios measured alone`);
    const saturation = await saturationOf(side, generator, alone, options, progress);
    progress(`  kept up with a mix of ${saturation.toFixed(2)} of that`);
    const entries = scaled(alone, saturation * share);
    const jobs = await mixJobs(side, entries, options.measureMs);
    const { result, pauses } = await pausesWhile(controller, () =>
      coreWaitWhile(controller.pid, () => runJobs(options, side, generator, jobs)),
    );
    const { results, profile } = result.result;
    const mix = mixOf(options, entries, results, pauses, result.coreWait);
    return { ...mix, saturation, profile };
  });
}

async function runJobs(
  { identities, profileDirectory }: MixOptions,
  { controller }: Side,
  generator: LoadGenerator,
  jobs: readonly Job[],
): Promise<{
  readonly results: readonly JobResult[];
  readonly profile?: readonly ProfileLine[];
}> {
  const run = () => generator.runTogether(jobs);
  if (profileDirectory === undefined || controller === undefined) return { results: await run() };
  const name = `mixed-${identities}`;
  const { result, profile } = await profileWhile(controller, profileDirectory, name, run);
  return { results: result, profile };
}

interface MixEntry {
  readonly scenario: Scenario;
  readonly connections: number;
  readonly alonePerSecond: number;
  readonly rate: number;
}

/** The throughput of each scenario alone; in the mix each gets an equal share of it. */
async function aloneRates(
  side: Side,
  generator: LoadGenerator,
  { smoke, aloneMs }: MixOptions,
): Promise<readonly MixEntry[]> {
  const mixed = scenarios.filter(({ listener, smoke: isSmall }) => {
    return listener === 'front' && (!smoke || isSmall);
  });
  // Codes expire, so the scenarios that need them are prepared last.
  const ordered = mixed.toSorted((a, b) => Number(a.spends ?? false) - Number(b.spends ?? false));
  const entries: MixEntry[] = [];
  for (const scenario of ordered) {
    const load = await loadOf(side, scenario, scenario.spends === true ? spentAlone : undefined);
    // One hash at a time, because a second one would only wait for the first.
    const isHash = scenario.name === 'authenticate';
    const connections = isHash ? 1 : smoke ? 8 : 64;
    const run = { connections, warmUpMs: aloneMs / 4, measureMs: aloneMs };
    const result = await generator.run(jobOf(side, scenario, load, run));
    if (result.wrong > 0) throw new Error(`${scenario.title}: ${result.wrongSamples[0]}`);
    side.addSent(scenario, result.sent);
    const alonePerSecond = (result.answered / Math.max(1, result.windowMs)) * 1000;
    const own = isHash ? 1 : connectionsEach;
    entries.push({ scenario, connections: own, alonePerSecond, rate: 0 });
  }
  return entries;
}

/** Each scenario at an equal share of what it reaches alone, all together at `scale` of it. */
function scaled(entries: readonly MixEntry[], scale: number): readonly MixEntry[] {
  return entries.map((entry) => {
    return { ...entry, rate: Math.max(0.5, (entry.alonePerSecond * scale) / entries.length) };
  });
}

/** The ratio of each try to the one before. */
const nextScale = 0.7;

/**
 * The first of ever smaller mixes that the controller keeps up with in one of two tries, as
 * machines have short disturbances.
 */
async function saturationOf(
  side: Side,
  generator: LoadGenerator,
  alone: readonly MixEntry[],
  { smoke, aloneMs }: MixOptions,
  progress: Progress,
): Promise<number> {
  let scale = 1;
  const [tries, scales] = smoke ? [1, 1] : [2, 10];
  for (let trial = 1; trial <= tries * scales; trial++) {
    const entries = scaled(alone, scale);
    const results = await generator.runTogether(await mixJobs(side, entries, aloneMs * 3));
    for (const [index, { sent }] of results.entries()) {
      const scenario = entries[index]?.scenario;
      if (scenario !== undefined) side.addSent(scenario, sent);
    }
    const late = entries.filter((_, index) => !keptUp(results[index]));
    if (late.length === 0) break;
    const names = late.map(({ scenario }) => scenario.name).join(', ');
    progress(`  a mix of ${scale.toFixed(2)} was too much for ${names}`);
    if (trial % tries === 0) scale *= nextScale;
  }
  return scale;
}

/** Whether no request was given up, and the requests of the window were answered within it. */
function keptUp(result: JobResult | undefined): boolean {
  if (result?.arrivals === undefined) return false;
  const { answered, windowMs, wrong, arrivals } = result;
  if (arrivals.isOverrun || wrong > 0) return false;
  // A few requests may be unfinished at either end.
  return answered >= (arrivals.rate * windowMs * keptUpShare) / 1000 - connectionsEach;
}

const keptUpShare = 0.95;

async function mixJobs(
  side: Side,
  entries: readonly MixEntry[],
  measureMs: number,
): Promise<Job[]> {
  const jobs: Job[] = [];
  for (const entry of entries) jobs.push(await mixJob(side, entry, measureMs));
  return jobs;
}

async function mixJob(side: Side, entry: MixEntry, measureMs: number): Promise<Job> {
  const { scenario, connections, rate } = entry;
  const warmUpMs = measureMs / 10;
  const wanted = Math.ceil((rate * (warmUpMs + measureMs)) / 1000) + connections;
  const load = await loadOf(side, scenario, wanted);
  const run = { connections, warmUpMs, measureMs, rate };
  return { ...jobOf(side, scenario, load, run), backlogMax: Math.max(50, rate * backlogSeconds) };
}

function mixOf(
  { identities }: MixOptions,
  entries: readonly MixEntry[],
  results: readonly JobResult[],
  delay: Pauses,
  coreWait: CoreWait,
): Omit<MixMeasurement, 'saturation'> {
  // Each window describes the whole machine; the windows of the parts differ only by some ms.
  const longest = results.reduce((one, other) => (other.windowMs > one.windowMs ? other : one));
  const machineMs = Math.max(1, longest.windowMs) * availableParallelism();
  return {
    identities,
    windowMs: longest.windowMs,
    share,
    delay,
    coreWait,
    parts: entries.map(({ scenario, alonePerSecond, rate }, index) => {
      const result = results[index] ?? longest;
      return {
        scenario: scenario.name,
        title: scenario.title,
        alonePerSecond,
        rate,
        perSecond: (result.answered / Math.max(1, result.windowMs)) * 1000,
        latencyMs: figuresOf(result.latency),
        isOverrun: result.arrivals?.isOverrun ?? false,
      };
    }),
    serverShare: (longest.server?.cpuMs ?? 0) / machineMs,
    clientShare: longest.clientCpuMs / machineMs,
    mainThreadShare: (longest.server?.mainThreadMs ?? 0) / Math.max(1, longest.windowMs),
    foreignShare: (longest.foreignCpuMs ?? 0) / machineMs,
    wrong: results.reduce((sum, { wrong }) => sum + wrong, 0),
    wrongSamples: results.flatMap(({ wrongSamples }) => wrongSamples).slice(0, 10),
  };
}
