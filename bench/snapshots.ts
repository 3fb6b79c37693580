// A snapshot while sessions are created: its cost for the clients and the main thread.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../snapshots/home/disk.ts';
import { readManifest } from '../snapshots/home/manifest.ts';
import { ApiClient } from './api-client.ts';
import type { LoadGenerator } from './load/generator-process.ts';
import { figuresOf, Histogram, type LatencyFigures } from './load/histogram.ts';
import type { Job, JobResult } from './load/job.ts';
import type { Network } from './network.ts';
import { targetOf } from './others.ts';
import { sessionCreate, sessionCreated } from './requests.ts';
import { readLogFigures } from './server/log-figures.ts';
import { type Pauses, pausesWhile } from './server/pauses.ts';
import { onStage } from './stage.ts';

/** One snapshot of a home. */
export interface SnapshotMeasurement {
  readonly records: number;
  /**
   * From the request until its answer, when the snapshot is durable, verified and in the manifest.
   */
  readonly tookMs: number;
  /** Bytes per record of the file, and of the frames that created the home. */
  readonly recordBytes: number;
  readonly logBytes: number;
  /** Session creates over 64 connections: before the snapshot, and while it was written. */
  readonly inPeace: Creates;
  readonly meanwhile: Creates;
  readonly wrong: number;
}

/** Session creates of one period, and the main thread during it. */
export interface Creates {
  readonly perSecond: number;
  readonly latencyMs: LatencyFigures;
  readonly pauses: Pauses;
}

/** Identities of the homes, which have few other records. */
export const snapshotSizes: readonly number[] = [100_000, 1_000_000];

/** Measures a snapshot on a home of its own. */
export async function measureSnapshot(
  identities: number,
  smoke: boolean,
): Promise<SnapshotMeasurement> {
  const size = {
    identities,
    services: smoke ? 50 : 1000,
    visibleServices: 10,
    routers: 2,
    callers: smoke ? 20 : 250,
    viewers: 10,
    apiSessionsEach: smoke ? 2 : 4,
  };
  // No automatic snapshot: only the requested one is measured.
  const settings = { snapshot: { logBytes: 64 * 1024 ** 3 } };
  const stage = { name: 'snapshot', size, settings, isWatched: true, givesWay: true };
  return await onStage(stage, async ({ controller, generator, network }) => {
    const { home } = controller;
    const creating = new Creating(generator, { ...targetOf(controller), ...createJob(network) });
    const measureMs = smoke ? 300 : 3000;
    const peace = await pausesWhile(controller, () => creating.run(measureMs));
    const before = readLogFigures(home);
    const admin = new ApiClient(controller);
    admin.token = network.adminToken;
    const busy = await pausesWhile(controller, () => snapshotUnder(creating, admin, smoke));
    const kept = readManifest(nodeDisk, home)?.snapshots[0];
    const records = kept?.records ?? 0;
    const { size: fileBytes } = statSync(join(home, 'snapshots', kept?.file ?? ''));
    return {
      records,
      tookMs: busy.result.tookMs,
      recordBytes: fileBytes / Math.max(1, records),
      logBytes: before.frameBytes / Math.max(1, records),
      inPeace: createsOf([peace.result], peace.pauses),
      meanwhile: createsOf(busy.result.runs, busy.pauses),
      wrong: [peace.result, ...busy.result.runs].reduce((sum, { wrong }) => sum + wrong, 0),
    };
  });
}

/** Session creates for the duration of a snapshot that an administrator requests. */
async function snapshotUnder(
  creating: Creating,
  admin: ApiClient,
  smoke: boolean,
): Promise<{ readonly runs: readonly JobResult[]; readonly tookMs: number }> {
  const askedAt = performance.now();
  let tookMs: number | undefined;
  const taken = admin.call('POST', '/edge/management/v1/database/snapshot').then(() => {
    tookMs = performance.now() - askedAt;
  });
  const runs: JobResult[] = [];
  while (tookMs === undefined) runs.push(await creating.run(smoke ? 100 : 500));
  await taken;
  return { runs, tookMs };
}

/** Session creates in runs that follow each other, so that no two requests are the same. */
class Creating {
  readonly #generator: LoadGenerator;
  readonly #job: Omit<Job, 'measureMs'>;
  #sent = 0;

  constructor(generator: LoadGenerator, job: Omit<Job, 'measureMs'>) {
    this.#generator = generator;
    this.#job = job;
  }

  async run(measureMs: number): Promise<JobResult> {
    const result = await this.#generator.run({
      ...this.#job,
      measureMs,
      firstRequest: this.#sent,
    });
    this.#sent += result.sent;
    return result;
  }
}

function createJob(network: Network) {
  return {
    connections: 64,
    warmUpMs: 0,
    requestsMax: Number.MAX_SAFE_INTEGER,
    request: sessionCreate(network.callerTokens, network.serviceIds),
    expect: sessionCreated,
  } as const;
}

function createsOf(runs: readonly JobResult[], pauses: Pauses): Creates {
  const latencies = new Histogram();
  for (const { latency } of runs) latencies.add(latency);
  const answered = runs.reduce((sum, run) => sum + run.answered, 0);
  const windowMs = runs.reduce((sum, run) => sum + run.windowMs, 0);
  const perSecond = (answered / Math.max(1, windowMs)) * 1000;
  return { perSecond, latencyMs: figuresOf(latencies.sparse()), pauses };
}
