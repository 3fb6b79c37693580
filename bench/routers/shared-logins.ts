// Logins of identities that share connected routers with the controller's fleet, against those of
// identities that share none: each such router is told of each login before its answer.

import { clientKey } from '../client-key.ts';
import { enrolledChains } from '../enrolled.ts';
import { figuresOf } from '../load/histogram.ts';
import type { ClientCertificates, JobResult } from '../load/job.ts';
import { targetOf } from '../others.ts';
import { certificateLogin } from '../requests.ts';
import { type TrafficStage, trafficSizes } from './traffic-stage.ts';

/** Logins at one concurrency. */
export interface SharedLoginMeasurement {
  readonly connections: number;
  /** Connected routers that the identities share. */
  readonly routers: number;
  /** CPU of the controller per login in µs, the median of the turns: without routers, and with. */
  readonly aloneMicros: number;
  readonly sharedMicros: number;
  /** Ratio of the two: the median of the turns, the least and the greatest. */
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
  /** Medians of the turns' logins per second and median latencies. */
  readonly alonePerSecond: number;
  readonly sharedPerSecond: number;
  readonly aloneP50Ms: number;
  readonly sharedP50Ms: number;
  readonly wrong: number;
}

/** Identities of each kind. */
const holders = 64;

/** Measures them by certificate over kept-alive connections, in turns. */
export async function measureSharedLogins(
  stage: TrafficStage,
): Promise<readonly SharedLoginMeasurement[]> {
  const { smoke } = stage;
  const alone = await certificatesOf(stage, 'loner');
  const shared = await certificatesOf(stage, 'neighbor');
  const found: SharedLoginMeasurement[] = [];
  for (const connections of [64, 1]) {
    const turns: Turn[] = [];
    for (let turn = 0; turn < (smoke ? 1 : 5); turn++) {
      turns.push({
        alone: await logIn(stage, alone, connections),
        shared: await logIn(stage, shared, connections),
      });
    }
    found.push(measurementOf(turns, connections, trafficSizes[smoke ? 'smoke' : 'full'].near));
  }
  return found;
}

interface Turn {
  readonly alone: JobResult;
  readonly shared: JobResult;
}

async function certificatesOf(
  { controller, network, smoke }: TrafficStage,
  attribute: string,
): Promise<ClientCertificates> {
  const { adminToken, bulk, marks } = network;
  const enrolling = { target: controller, adminToken, bulk, marks, runName: attribute };
  const chains = await enrolledChains(
    { ...enrolling, attributes: [attribute] },
    smoke ? 8 : holders,
  );
  return { key: (await clientKey()).keyPem, chains };
}

async function logIn(
  { controller, generator, measureMs }: TrafficStage,
  client: ClientCertificates,
  connections: number,
): Promise<JobResult> {
  return await generator.run({
    ...targetOf(controller),
    client,
    connections,
    warmUpMs: measureMs / 5,
    measureMs,
    requestsMax: Number.MAX_SAFE_INTEGER,
    ...certificateLogin,
  });
}

function measurementOf(
  turns: readonly Turn[],
  connections: number,
  routers: number,
): SharedLoginMeasurement {
  const ratios = turns.map(({ alone, shared }) => micros(shared) / micros(alone));
  const middle = (read: (turn: Turn) => number) => medianOf(turns.map(read));
  return {
    connections,
    routers,
    aloneMicros: middle(({ alone }) => micros(alone)),
    sharedMicros: middle(({ shared }) => micros(shared)),
    ratio: medianOf(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    alonePerSecond: middle(({ alone }) => perSecond(alone)),
    sharedPerSecond: middle(({ shared }) => perSecond(shared)),
    aloneP50Ms: middle(({ alone }) => p50(alone)),
    sharedP50Ms: middle(({ shared }) => p50(shared)),
    wrong: turns.reduce((sum, { alone, shared }) => sum + alone.wrong + shared.wrong, 0),
  };
}

function micros({ server, answered }: JobResult): number {
  return ((server?.cpuMs ?? 0) * 1000) / Math.max(1, answered);
}

function perSecond({ answered, windowMs }: JobResult): number {
  return (answered / Math.max(1, windowMs)) * 1000;
}

function p50({ latency }: JobResult): number {
  return figuresOf(latency).p50;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
