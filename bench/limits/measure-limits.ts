// The physical limits of a run: the most that the machine can do, with which the other figures are
// compared.

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { forkBench } from '../child.ts';
import { rivalArgon2 } from '../home.ts';
import type { LoadGenerator } from '../load/generator-process.ts';
import { Histogram, type SparseHistogram } from '../load/histogram.ts';
import type { JobResult } from '../load/job.ts';
import type { BenchOptions } from '../options.ts';
import type { LimitMeasurement } from '../results.ts';
import type { Argon2Job, Argon2Result } from './argon2.ts';
import { measureDiskSync } from './disk-sync.ts';
import type { EmptyHandlerReady } from './empty-handler.ts';

/**
 * Measures all three limits, with the keys of `home`, on which a controller must have been started.
 */
export async function measureLimits(
  home: string,
  generator: LoadGenerator,
  options: BenchOptions,
): Promise<LimitMeasurement[]> {
  return [
    await diskSync(home, options),
    ...(await argon2(options)),
    ...(await emptyHandler(home, generator, options)),
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

async function emptyHandler(
  home: string,
  generator: LoadGenerator,
  options: BenchOptions,
): Promise<LimitMeasurement[]> {
  const child = forkBench(new URL('empty-handler.ts', import.meta.url), [home]);
  const measured: LimitMeasurement[] = [];
  try {
    const { port, directPort } = (await child.hear()) as EmptyHandlerReady;
    for (const listener of ['front', 'direct'] as const) {
      for (const connections of options.connections) {
        const result = await generator.run({
          host: '127.0.0.1',
          port: listener === 'front' ? port : directPort,
          caFile: `${home}/pki/ca.pem`,
          serverPid: child.pid,
          connections,
          warmUpMs: options.warmUpMs,
          measureMs: options.measureMs,
          firstRequest: 0,
          requestsMax: Number.MAX_SAFE_INTEGER,
          request: { method: 'GET', path: '/', headers: {}, body: '', slots: {} },
          expect: { status: 200 },
          collectIds: false,
        });
        measured.push(emptyHandlerFigures(listener, connections, result));
      }
    }
  } finally {
    child.stop();
  }
  return measured;
}

function emptyHandlerFigures(
  listener: 'front' | 'direct',
  connections: number,
  result: JobResult,
): LimitMeasurement {
  if (result.wrong > 0) throw new Error(`the empty handler: ${result.wrongSamples[0]}`);
  const { answered, windowMs, latency, server } = result;
  return {
    limit: `empty-${listener}`,
    title: `empty uWS handler, ${listener === 'front' ? 'TLS workers' : 'direct listener'}`,
    connections,
    ...rates(answered, windowMs, latency),
    cpuMicros: ((server?.cpuMs ?? 0) * 1000) / Math.max(1, answered),
  };
}

function rates(count: number, windowMs: number, latency: SparseHistogram) {
  const histogram = new Histogram();
  histogram.add(latency);
  return { perSecond: (count / windowMs) * 1000, latencyMs: histogram.figures() };
}
