// The physical limits of a run: the most that the machine can do, with which the other figures are
// compared.

import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { forkBench } from '../child.ts';
import { rivalArgon2 } from '../home.ts';
import type { LoadGenerator } from '../load/generator-process.ts';
import { Histogram, type SparseHistogram } from '../load/histogram.ts';
import type { Job, JobResult } from '../load/job.ts';
import type { BenchOptions } from '../options.ts';
import { foreignShareMax } from '../report/tables.ts';
import type { LimitMeasurement } from '../results.ts';
import { attemptsMax } from '../turns.ts';
import type { Argon2Job, Argon2Result } from './argon2.ts';
import type { BareAnswerReady } from './bare-answer.ts';
import { measureDiskSync } from './disk-sync.ts';
import { handshakePath, startHandshakeServer } from './raw-handshake.ts';

/** The parts that a measurement of the limits needs. */
export interface LimitRun {
  /** A home on which a controller was started before: its keys are used. */
  readonly home: string;
  readonly generator: LoadGenerator;
  readonly options: BenchOptions;
}

/** Measures all limits. That of handshakes is left out on a machine without `openssl`. */
export async function measureLimits(run: LimitRun): Promise<LimitMeasurement[]> {
  const { home, options } = run;
  return [
    await diskSync(home, options),
    ...(await argon2(options)),
    ...(await bareAnswers(run)),
    ...(await rawHandshakes(run)),
  ];
}

async function diskSync(home: string, { measureMs }: BenchOptions): Promise<LimitMeasurement> {
  const directory = dirname(home);
  mkdirSync(directory, { recursive: true });
  const { syncs, windowMs, latency } = measureDiskSync(directory, measureMs);
  return {
    limit: 'disk-sync',
    title: 'raw fdatasync, 4 KiB',
    connections: 1,
    ...rates(syncs, windowMs, latency),
  };
}

async function argon2({ connections, measureMs }: BenchOptions): Promise<LimitMeasurement[]> {
  const child = forkBench(new URL('argon2.ts', import.meta.url), []);
  const { memoryKib, timeCost, parallelism } = rivalArgon2;
  const measured: LimitMeasurement[] = [];
  try {
    for (const concurrency of connections) {
      const job: Argon2Job = { parameters: rivalArgon2, concurrency, measureMs };
      const result = (await child.ask(job)) as Argon2Result;
      measured.push({
        limit: 'argon2',
        title: `raw Argon2id ${memoryKib / 1024} MiB, t=${timeCost}, p=${parallelism}`,
        connections: concurrency,
        ...rates(result.hashes, result.windowMs, result.latency),
        cpuMicros: (result.cpuMs * 1000) / Math.max(1, result.hashes),
      });
    }
  } finally {
    child.stop();
  }
  return measured;
}

/** How often the bare server is started; the times of a restart are medians of as many. */
const bareStarts = 3;

/** The bare server's starts, and its answers. */
async function bareAnswers(run: LimitRun): Promise<LimitMeasurement[]> {
  const starts = new Histogram();
  const start = async () => {
    const at = performance.now();
    const child = forkBench(new URL('bare-answer.ts', import.meta.url), [run.home]);
    const { port } = (await child.hear()) as BareAnswerReady;
    starts.record(performance.now() - at);
    return { child, port };
  };
  const startedAt = performance.now();
  for (let round = 1; round < bareStarts; round++) (await start()).child.stop();
  const { child, port } = await start();
  const windowMs = performance.now() - startedAt;
  try {
    const limit = { limit: 'bare-answer', title: 'answer of bare uWS over TLS' };
    const figures = rates(starts.total, windowMs, starts.sparse());
    return [
      { limit: 'bare-start', title: 'start of bare uWS', connections: 1, ...figures },
      ...(await served(run, limit, { port, serverPid: child.pid })),
    ];
  } finally {
    child.stop();
  }
}

/** None on a machine without `openssl`. */
async function rawHandshakes(run: LimitRun): Promise<LimitMeasurement[]> {
  const server = await startHandshakeServer(run.home);
  if (server === undefined) return [];
  try {
    const limit = { limit: 'raw-handshake', title: 'TLS handshake of openssl s_server' };
    const { port, pid } = server;
    return await served(run, limit, { port, serverPid: pid, isFresh: true, path: handshakePath });
  } finally {
    server.stop();
  }
}

/** Loads a server with requests that take no work, at every concurrency of the run. */
async function served(
  { home, generator, options }: LimitRun,
  limit: Pick<LimitMeasurement, 'limit' | 'title'>,
  { path = '/', ...server }: Pick<Job, 'port' | 'serverPid' | 'isFresh'> & { path?: string },
): Promise<LimitMeasurement[]> {
  const measured: LimitMeasurement[] = [];
  for (const connections of options.connections) {
    const result = await leastDisturbed(options, () =>
      generator.run({
        host: '127.0.0.1',
        ...server,
        caFile: `${home}/pki/ca.pem`,
        connections,
        warmUpMs: options.warmUpMs,
        measureMs: options.measureMs,
        firstRequest: 0,
        requestsMax: Number.MAX_SAFE_INTEGER,
        request: { method: 'GET', path, headers: {}, body: '', slots: {} },
        expect: { status: 200 },
        collectIds: false,
      }),
    );
    if (result.wrong > 0) throw new Error(`${limit.title}: ${result.wrongSamples[0]}`);
    const { answered, windowMs, latency } = result;
    measured.push({
      ...limit,
      connections,
      ...rates(answered, windowMs, latency),
      cpuMicros: ((result.server?.cpuMs ?? 0) * 1000) / Math.max(1, answered),
      foreignShare: foreignShareOf(result),
    });
  }
  return measured;
}

/** Other work would make a limit, and with it all goals that refer to it, easier to reach. */
async function leastDisturbed(
  { smoke }: BenchOptions,
  run: () => Promise<JobResult>,
): Promise<JobResult> {
  let best = await run();
  for (let left = smoke ? 0 : attemptsMax - 1; left > 0; left--) {
    if (best.wrong > 0 || foreignShareOf(best) <= foreignShareMax) break;
    const other = await run();
    if (other.wrong > 0 || foreignShareOf(other) < foreignShareOf(best)) best = other;
  }
  return best;
}

function foreignShareOf({ foreignCpuMs = 0, windowMs }: JobResult): number {
  return foreignCpuMs / (windowMs * availableParallelism());
}

function rates(count: number, windowMs: number, latency: SparseHistogram) {
  const histogram = new Histogram();
  histogram.add(latency);
  return { perSecond: (count / windowMs) * 1000, latencyMs: histogram.figures() };
}
