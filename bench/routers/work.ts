// Work that routers ask of the controller, many requests at a time, in batches that are removed
// again.

import type { RouterTwin } from '../../test/simulated/router-twin.ts';
import { Histogram } from '../load/histogram.ts';
import { cpuBetween, sampleCpu } from '../server/process-figures.ts';
import type { DialRight, WorkAnswer, WorkJob } from './traffic-job.ts';

/** Something that was created, or why it was not. */
export interface Made {
  readonly id: string;
  readonly twin: RouterTwin | undefined;
  readonly wrong?: string;
}

/** How one kind of thing is created and removed. */
export interface Work {
  readonly create: (twin: RouterTwin | undefined) => Promise<Made>;
  /** Resolves when all of them are gone. */
  readonly remove: (made: readonly Made[]) => Promise<void>;
}

/**
 * Calls `begin` for each number below `count`, `width` at a time. @returns all results, in order
 */
export async function inFlight<T>(
  count: number,
  width: number,
  begin: (n: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const n = next++;
      results[n] = await begin(n);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
  return results;
}

/** Creates and removes batches for the time of the job; the first one is not counted. */
export async function measureWork(
  job: WorkJob<DialRight>,
  twins: readonly RouterTwin[],
  { create, remove }: Work,
): Promise<WorkAnswer> {
  const { batch, serverPid, measureMs } = job;
  const histogram = new Histogram();
  const sums = { created: 0, createdMs: 0, createCpuMs: 0, mainThreadMs: 0, removeCpuMs: 0 };
  const wrongs: string[] = [];
  for (let round = 0; round === 0 || sums.createdMs < measureMs; round++) {
    const isCounted = round > 0;
    const before = sampleCpu(serverPid);
    const startMs = performance.now();
    const made = await inFlight(batch, job.inFlight, async (n) => {
      const askedMs = performance.now();
      const one = await create(twins[n % twins.length]);
      if (isCounted) histogram.record(performance.now() - askedMs);
      return one;
    });
    const tookMs = performance.now() - startMs;
    const between = sampleCpu(serverPid);
    wrongs.push(...made.flatMap(({ wrong }) => wrong ?? []));
    await remove(made.filter(({ wrong }) => wrong === undefined));
    if (!isCounted) continue;
    const creating = cpuBetween(before, between, serverPid);
    sums.created += batch;
    sums.createdMs += tookMs;
    sums.createCpuMs += creating.cpuMs;
    sums.mainThreadMs += creating.mainThreadMs;
    sums.removeCpuMs += cpuBetween(between, sampleCpu(serverPid), serverPid).cpuMs;
    if (wrongs.length > 0) break;
  }
  const microsEach = (ms: number): number => (ms * 1000) / Math.max(1, sums.created);
  return {
    created: sums.created,
    perSecond: (sums.created / Math.max(1, sums.createdMs)) * 1000,
    latencyMs: histogram.figures(),
    createMicros: microsEach(sums.createCpuMs),
    removeMicros: microsEach(sums.removeCpuMs),
    mainThreadMicros: microsEach(sums.mainThreadMs),
    wrong: wrongs.length,
    wrongSample: wrongs[0],
  };
}
