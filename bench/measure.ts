// One scenario, run once: the load, the checks on its answers and on the log, the figures.

import { availableParallelism } from 'node:os';
import type { LoadGenerator } from './load/generator-process.ts';
import { figuresOf } from './load/histogram.ts';
import type { Expectation, JobResult } from './load/job.ts';
import type { Network } from './network.ts';
import type { LogMeasurement, Measurement, ProfileLine } from './results.ts';
import type { Scenario } from './scenario.ts';
import type { ControllerProcess } from './server/controller-process.ts';
import { readLogFigures } from './server/log-figures.ts';
import { sampleDeviceBytes, sampleMemory } from './server/process-figures.ts';
import { profileWhile } from './server/profiler.ts';

/** Everything a run needs. */
export interface RunOptions {
  readonly controller: ControllerProcess;
  readonly generator: LoadGenerator;
  readonly network: Network;
  readonly scenario: Scenario;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Requests that earlier runs of this scenario sent on this network. */
  readonly sentBefore: number;
  readonly runName: string;
  readonly profiled: boolean;
  /** Where a profile goes; the run's name is added. */
  readonly outDirectory: string;
}

/** Runs a scenario. @returns the figures, and how many requests it sent in all */
export async function measure(
  options: RunOptions,
): Promise<{ readonly measurement: Measurement; readonly sent: number }> {
  const { controller, generator, network, scenario, connections } = options;
  const load = await scenario.load({
    controller,
    network,
    sentBefore: options.sentBefore,
    runName: options.runName,
  });
  const before = scenario.writes ? readLogFigures(controller.home).lastLsn : 0;
  const deviceBefore = sampleDeviceBytes(controller.home);
  const run = (): Promise<JobResult> =>
    generator.run({
      host: controller.host,
      port: scenario.listener === 'front' ? controller.port : controller.directPort,
      caFile: controller.caFile,
      serverPid: controller.pid,
      connections,
      warmUpMs: options.warmUpMs,
      measureMs: options.measureMs,
      firstRequest: load.firstRequest ?? 0,
      requestsMax: Number.MAX_SAFE_INTEGER,
      ...(load.client === undefined ? {} : { client: load.client }),
      isFresh: load.isFresh ?? false,
      request: load.request,
      expect: load.expect,
      collectIds: false,
    });
  let profile: readonly ProfileLine[] | undefined;
  let result: JobResult;
  if (options.profiled) {
    const name = `${scenario.name}-${network.size.identities}-${connections}`;
    ({ result, profile } = await profileWhile(controller, options.outDirectory, name, run));
  } else result = await run();
  const log = scenario.writes ? logOf(controller, before, deviceBefore, result) : undefined;
  const measurement: Measurement = {
    ...figures(options, result),
    ...(log === undefined ? {} : { log }),
    ...(profile === undefined ? {} : { profile }),
  };
  return { measurement: withLogChecked(measurement, result, load.expect), sent: result.sent };
}

function logOf(
  controller: ControllerProcess,
  lsnBefore: number,
  deviceBefore: number | undefined,
  result: JobResult,
): LogMeasurement {
  const { lastLsn, frameBytes } = readLogFigures(controller.home, lsnBefore);
  const requests = Math.max(1, result.sent);
  const deviceAfter = sampleDeviceBytes(controller.home);
  const device =
    deviceBefore === undefined || deviceAfter === undefined
      ? {}
      : { deviceBytes: (deviceAfter - deviceBefore) / requests };
  return {
    requests: result.sent,
    frames: lastLsn - lsnBefore,
    frameBytes: frameBytes / requests,
    ...device,
  };
}

function figures({ controller, network, scenario, connections }: RunOptions, result: JobResult) {
  const answered = Math.max(1, result.answered);
  const microsEach = (ms: number): number => (ms * 1000) / answered;
  return {
    scenario: scenario.name,
    title: scenario.title,
    identities: network.size.identities,
    connections,
    answered: result.answered,
    windowMs: result.windowMs,
    perSecond: (result.answered / result.windowMs) * 1000,
    latencyMs: figuresOf(result.latency),
    histogram: result.latency,
    cpuMicros: microsEach(result.server.cpuMs),
    mainThreadMicros: microsEach(result.server.mainThreadMs),
    clientMicros: microsEach(result.clientCpuMs),
    foreignShare: result.foreignCpuMs / (result.windowMs * availableParallelism()),
    answerBytes: result.answerBytes,
    residentBytes: sampleMemory(controller.pid).residentBytes,
    wrong: result.wrong,
    wrongSamples: result.wrongSamples,
  };
}

/**
 * A create that made no frame of its own repeated an old answer: that is wrong, however fast it
 * was.
 */
function withLogChecked(
  measurement: Measurement,
  result: JobResult,
  { idAfter }: Expectation,
): Measurement {
  const { log } = measurement;
  if (log === undefined) return measurement;
  const reasons = [...measurement.wrongSamples];
  if (log.frames < result.sent) reasons.push(`${log.frames} frames for ${result.sent} requests`);
  if (idAfter !== undefined && result.distinctIds < result.sent - result.wrong) {
    reasons.push(`${result.distinctIds} different ids for ${result.sent} requests`);
  }
  const added = reasons.length - measurement.wrongSamples.length;
  return { ...measurement, wrong: measurement.wrong + added, wrongSamples: reasons };
}
