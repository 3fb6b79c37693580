// The parts that all loads of a cluster share: the network, the rate, and figures of single turns.

import { figuresOf, type LatencyFigures } from '../load/histogram.ts';
import type { Job, JobResult } from '../load/job.ts';
import type { NetworkSize } from '../network.ts';
import { cpuBetween, sampleCpu } from '../server/process-figures.ts';

/** How long and how often a cluster is loaded. */
export interface LoadOptions {
  readonly smoke: boolean;
  readonly turns: number;
  readonly measureMs: number;
}

/** Connections of each load. */
export function connectionsOf({ smoke }: Pick<LoadOptions, 'smoke'>): number {
  return smoke ? 8 : 64;
}

/** Of the rate that is reached, as seven processes and the clients share the machine's cores. */
export const shareOfReached = 0.6;

/** The network of all loads. */
export function networkSize(smoke: boolean): NetworkSize {
  return {
    identities: smoke ? 40 : 1000,
    services: smoke ? 50 : 1000,
    visibleServices: 10,
    routers: 2,
    callers: smoke ? 20 : 250,
    viewers: 0,
    apiSessionsEach: smoke ? 2 : 4,
  };
}

/** The times of a job. */
export function timesOf({ measureMs }: LoadOptions): Pick<Job, 'warmUpMs' | 'measureMs'> {
  return { warmUpMs: measureMs / 5, measureMs };
}

/** Answers per second. */
export function perSecond({ answered, windowMs }: JobResult): number {
  return (answered / Math.max(1, windowMs)) * 1000;
}

/** CPU of the job's server process per answer, in µs. */
export function microsOf({ server, answered }: JobResult): number {
  return ((server?.cpuMs ?? 0) * 1000) / Math.max(1, answered);
}

/** Latencies of a job. */
export function latencyOf({ latency }: JobResult): LatencyFigures {
  return figuresOf(latency);
}

/** The faults of a run, in words. */
export function wrongsOf({ wrong, wrongSamples, arrivals }: JobResult): readonly string[] {
  const overrun = arrivals?.isOverrun === true ? ['the server did not keep up with the rate'] : [];
  const further = Math.max(0, wrong - wrongSamples.length);
  const rest = further > 0 ? [`and ${further} further wrong answers`] : [];
  return [...wrongSamples, ...rest, ...overrun];
}

/** CPU of further processes while a job runs, per request that it sent, in µs. */
export async function cpuBeside(
  pids: readonly (number | undefined)[],
  run: () => Promise<JobResult>,
): Promise<{ readonly result: JobResult; readonly besideMicros: readonly number[] }> {
  const known = pids.filter((pid) => pid !== undefined);
  const before = known.map(sampleCpu);
  const result = await run();
  const besideMicros = known.map((pid, index) => {
    const from = before[index];
    const cpuMs = from === undefined ? 0 : cpuBetween(from, sampleCpu(pid), pid).cpuMs;
    return (cpuMs * 1000) / Math.max(1, result.sent);
  });
  return { result, besideMicros };
}
