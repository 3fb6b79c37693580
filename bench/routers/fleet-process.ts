// A process of routers. It takes one job per message, and answers it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { Histogram } from '../load/histogram.ts';
import { createCircuit, measureCircuits, unrouted } from './circuit-work.ts';
import {
  type ArrivalsAnswer,
  type ClientTokens,
  type ConnectAnswer,
  type FleetJob,
  type LookAnswer,
  type MadeAnswer,
  machineMs,
} from './fleet-job.ts';
import { FleetRouter } from './fleet-router.ts';
import { createTerminator, measureTerminators } from './terminator-work.ts';
import { inFlight } from './work.ts';

/** One router in so many reads the messages of its sync, which costs more than receiving them. */
const readingEvery = 100;
/** After the last expected message, others may follow for so long. */
const quietMs = 300;

let routers: FleetRouter[] = [];
let apiSessionsEach = 0;
let failures = 0;
let onSynced: () => void = () => undefined;
const taken = { lastAtMs: 0, unroutes: 0, sessionRemovals: 0 };

function prepare(job: Extract<FleetJob, { kind: 'prepare' }>): LookAnswer {
  const events = { synced: () => onSynced(), failed: () => void failures++, taken: take };
  apiSessionsEach = job.apiSessionsEach;
  routers = job.routers.map(
    (identity, n) => new FleetRouter(identity, job.target, events, n % readingEvery === 0),
  );
  return look();
}

async function connectAll(spreadMs: number, timeoutMs: number): Promise<ConnectAnswer> {
  const startedMs = machineMs();
  const cpu = process.cpuUsage();
  const histogram = new Histogram();
  let lastSyncedMs = 0;
  const failuresBefore = failures;
  const all = new Promise<void>((resolve) => {
    onSynced = () => {
      lastSyncedMs = machineMs() - startedMs;
      histogram.record(lastSyncedMs);
      if (histogram.total === routers.length) resolve();
    };
  });
  for (const [n, router] of routers.entries()) {
    setTimeout(() => router.dial(), (spreadMs * n) / routers.length);
  }
  await Promise.race([all, sleep(timeoutMs, undefined, { ref: false })]);
  const { user, system } = process.cpuUsage(cpu);
  const wrong = routers.filter(
    (router, n) =>
      !router.isSynced || (n % readingEvery === 0 && router.apiSessions !== apiSessionsEach),
  );
  return {
    syncedMs: histogram.sparse(),
    // Never less than the whole time when some were not.
    lastSyncedMs: histogram.total === routers.length ? lastSyncedMs : timeoutMs,
    synced: histogram.total,
    failures: failures - failuresBefore,
    wrong: wrong.length,
    cpuMs: (user + system) / 1000,
  };
}

function look(): LookAnswer {
  return { connected: routers.filter(({ twin }) => twin !== undefined).length, failures };
}

function take({ contentType, body }: Frame): void {
  taken.lastAtMs = machineMs();
  if (contentType === contentTypes.unroute) {
    taken.unroutes += 1;
    unrouted(body);
  } else taken.sessionRemovals += 1;
}

function forgetTaken(): void {
  Object.assign(taken, { lastAtMs: 0, unroutes: 0, sessionRemovals: 0 });
}

/** Each router hosts the service once. */
async function host(tokens: ClientTokens, count: number): Promise<MadeAnswer> {
  const hosts = twins(count);
  const answers = await inFlight(hosts.length, 16, (n) => createTerminator(hosts[n], tokens));
  return madeOf(answers.map(({ wrong }) => wrong));
}

async function dial(job: Extract<FleetJob, { kind: 'dial' }>): Promise<MadeAnswer> {
  const { clients, circuits } = job;
  const through = twins(job.routers);
  const answers = await inFlight(circuits, 16, (n) =>
    createCircuit(through[n % through.length], clients[n % clients.length]),
  );
  forgetTaken();
  return madeOf(answers.map(({ wrong }) => wrong));
}

function madeOf(wrongs: readonly (string | undefined)[]): MadeAnswer {
  const samples = wrongs.filter((wrong) => wrong !== undefined);
  return { made: wrongs.length - samples.length, wrongSample: samples[0] };
}

async function arrivals(circuits: number, timeoutMs: number): Promise<ArrivalsAnswer> {
  const untilMs = machineMs() + timeoutMs;
  const isDue = () => taken.unroutes < circuits || machineMs() - taken.lastAtMs < quietMs;
  while (isDue() && machineMs() < untilMs) await sleep(20);
  const found = { ...taken };
  forgetTaken();
  return found;
}

/** The twins of the first routers. */
function twins(count: number) {
  return routers.slice(0, count).flatMap(({ twin }) => twin ?? []);
}

async function run(job: FleetJob): Promise<object> {
  switch (job.kind) {
    case 'prepare':
      return prepare(job);
    case 'connect':
      return await connectAll(job.spreadMs, job.timeoutMs);
    case 'look':
      return look();
    case 'host':
      return await host(job.tokens, job.routers);
    case 'circuits':
      return await measureCircuits(job, twins(job.routers));
    case 'terminators':
      return await measureTerminators(job, twins(job.routers));
    case 'dial':
      return await dial(job);
    case 'arrivals':
      return await arrivals(job.circuits, job.timeoutMs);
  }
}

process.on('message', (job: FleetJob) => {
  run(job)
    .then((answer) => process.send?.(answer))
    .catch((error: unknown) => process.send?.({ error: String(error) }));
});
process.on('disconnect', () => process.exit(0));
