// One run of a scenario: the load, the checks of its answers and of the log, the figures.

import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { LoadGenerator } from './load/generator-process.ts';
import { figuresOf } from './load/histogram.ts';
import type { Expectation, Job, JobResult } from './load/job.ts';
import { targetOf } from './others.ts';
import type { LogMeasurement, Measurement, OpenMeasurement, ProfileLine } from './results.ts';
import type { Load, Scenario } from './scenario.ts';
import { readLogFigures } from './server/log-figures.ts';
import { sampleDeviceBytes, sampleMemory } from './server/process-figures.ts';
import { profileWhile } from './server/profiler.ts';
import type { Side } from './side.ts';

/** Everything a run needs. */
export interface RunOptions {
  readonly side: Side;
  readonly generator: LoadGenerator;
  readonly scenario: Scenario;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** The path of a profile, if one is requested; the run's name is appended. */
  readonly profileDirectory: string | undefined;
}

/** Runs a scenario in a closed loop. */
export async function measure(options: RunOptions): Promise<Measurement> {
  const { measurement } = await runOnce(options, undefined);
  return measurement;
}

/** Runs a scenario in an open loop at `rate` requests per second. */
export async function measureOpen(
  options: RunOptions,
  rate: number,
  share: number | undefined,
): Promise<OpenMeasurement> {
  const { measurement, result } = await runOnce(options, rate);
  const { backlogMost = 0, isOverrun = false, lateness = [] } = result.arrivals ?? {};
  const latenessMs = figuresOf(lateness);
  return { ...measurement, rate, share, backlogMost, isOverrun, latenessMs };
}

/** The job of a load on a controller. */
export function jobOf(
  { target }: Side,
  scenario: Scenario,
  load: Load,
  run: Pick<Job, 'connections' | 'warmUpMs' | 'measureMs' | 'rate'>,
): Job {
  return {
    ...targetOf(target),
    ...(scenario.listener === 'direct' ? { port: target.directPort ?? 0 } : {}),
    ...run,
    firstRequest: load.firstRequest ?? 0,
    requestsMax: Number.MAX_SAFE_INTEGER,
    client: load.client,
    isFresh: load.isFresh ?? false,
    request: load.request,
    expect: load.expect,
  };
}

/** The requests of a scenario; `wanted` is their greatest number. */
export async function loadOf(side: Side, scenario: Scenario, wanted?: number): Promise<Load> {
  return await scenario.load({
    target: side.target,
    network: side.network,
    wanted,
    sentBefore: side.sentOf(scenario),
    runName: randomBytes(3).toString('hex'),
  });
}

async function runOnce(
  options: RunOptions,
  rate: number | undefined,
): Promise<{ readonly measurement: Measurement; readonly result: JobResult }> {
  const { side, generator, scenario, connections, warmUpMs, measureMs } = options;
  const wanted = rate && Math.ceil((rate * (warmUpMs + measureMs)) / 1000) + connections;
  const load = await loadOf(side, scenario, wanted);
  const { home } = side.target;
  const isLogged = scenario.writes && home !== undefined;
  const before = isLogged ? readLogFigures(home).lastLsn : 0;
  const deviceBefore = isLogged ? sampleDeviceBytes(home) : undefined;
  const job = jobOf(side, scenario, load, { connections, warmUpMs, measureMs, rate });
  const { result, profile } = await maybeProfiled(options, () => generator.run(job));
  side.addSent(scenario, result.sent);
  const log = isLogged ? logOf(home, before, deviceBefore, result) : undefined;
  const measurement = { ...figures(options, result), log, profile };
  return { measurement: withLogChecked(measurement, result, load.expect), result };
}

async function maybeProfiled(
  { side, scenario, connections, profileDirectory }: RunOptions,
  run: () => Promise<JobResult>,
): Promise<{ readonly result: JobResult; readonly profile?: readonly ProfileLine[] }> {
  const { controller, network } = side;
  if (profileDirectory === undefined || controller === undefined) return { result: await run() };
  const name = `${scenario.name}-${network.size.identities}-${connections}`;
  return await profileWhile(controller, profileDirectory, name, run);
}

function logOf(
  home: string,
  lsnBefore: number,
  deviceBefore: number | undefined,
  result: JobResult,
): LogMeasurement {
  const { lastLsn, frames, frameBytes } = readLogFigures(home, lsnBefore);
  const written = lastLsn - lsnBefore;
  const requests = Math.max(1, result.sent);
  const deviceAfter = sampleDeviceBytes(home);
  const device =
    deviceBefore === undefined || deviceAfter === undefined
      ? {}
      : { deviceBytes: (deviceAfter - deviceBefore) / requests };
  return {
    requests: result.sent,
    frames: written,
    // A snapshot in the meantime may have removed some frames; the remaining ones stand for all.
    frameBytes: ((frameBytes / Math.max(1, frames)) * written) / requests,
    ...device,
  };
}

function figures({ side, scenario, connections }: RunOptions, result: JobResult): Measurement {
  const { answered, windowMs, server, foreignCpuMs } = result;
  const { pid } = side.target;
  const microsEach = (ms: number): number => (ms * 1000) / Math.max(1, answered);
  const machineMs = windowMs * availableParallelism();
  return {
    scenario: scenario.name,
    title: scenario.title,
    connections,
    answered,
    windowMs,
    identities: side.network.size.identities,
    perSecond: (answered / Math.max(1, windowMs)) * 1000,
    latencyMs: figuresOf(result.latency),
    histogram: result.latency,
    cpuMicros: server && microsEach(server.cpuMs),
    mainThreadMicros: server && microsEach(server.mainThreadMs),
    clientMicros: microsEach(result.clientCpuMs),
    foreignShare: foreignCpuMs === undefined ? undefined : foreignCpuMs / machineMs,
    answerBytes: result.answerBytes,
    residentBytes: pid === undefined ? undefined : sampleMemory(pid).residentBytes,
    wrong: result.wrong,
    wrongSamples: result.wrongSamples,
  };
}

/**
 * A create without a frame of its own repeated an old answer, which is wrong, however fast it was.
 */
function withLogChecked(
  measurement: Measurement,
  result: JobResult,
  { idAfter }: Expectation,
): Measurement {
  const { log } = measurement;
  const reasons = [...measurement.wrongSamples];
  // Requests that an overrun loop left unfinished may or may not have been written.
  const sent = result.arrivals?.isOverrun === true ? 0 : result.sent;
  if (log !== undefined && log.frames < sent) {
    reasons.push(`${log.frames} frames for ${sent} requests`);
  }
  if (idAfter !== undefined && result.distinctIds < sent - result.wrong) {
    reasons.push(`${result.distinctIds} different ids for ${sent} requests`);
  }
  const added = reasons.length - measurement.wrongSamples.length;
  return { ...measurement, wrong: measurement.wrong + added, wrongSamples: reasons };
}
