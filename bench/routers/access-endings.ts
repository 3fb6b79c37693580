// A right is taken away while many circuits rest on it: how soon all routers were told.

import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../api-client.ts';
import type { ProfileLine } from '../results.ts';
import { type Pauses, pausesWhile } from '../server/pauses.ts';
import { type CpuFigures, cpuBetween, sampleCpu } from '../server/process-figures.ts';
import { profileWhile } from '../server/profiler.ts';
import { type ArrivalsAnswer, type MadeAnswer, machineMs } from './traffic-job.ts';
import { mustMake } from './traffic-routers.ts';
import { type HostedService, hostedService, type TrafficStage } from './traffic-stage.ts';

/** One change. */
export interface AccessEndingMeasurement {
  readonly title: string;
  readonly circuits: number;
  readonly routers: number;
  /** From the request of the change until its answer. */
  readonly answerMs: number;
  /** From the request until the last message by which a router takes the access away arrived. */
  readonly lastToldMs: number;
  /** Messages that ended circuits, and those that ended sessions. */
  readonly unroutes: number;
  readonly sessionRemovals: number;
  /** CPU of the controller meanwhile: of its process, and of its main thread. */
  readonly serverCpu: CpuFigures;
  /** Pauses of the main thread meanwhile. */
  readonly pauses: Pauses;
  readonly wrong: number;
  readonly profile?: readonly ProfileLine[];
}

/** A change that ends all circuits. */
interface Change {
  readonly title: string;
  /** How many clients have the circuits. */
  clients(circuits: number): number;
  apply(stage: TrafficStage, service: HostedService): Promise<unknown>;
}

const changes: readonly Change[] = [
  {
    title: 'a policy is deleted under clients with a circuit each',
    clients: (circuits) => circuits,
    apply: ({ admin }, { dialPolicyId }) =>
      admin.call('DELETE', `/edge/management/v1/service-policies/${dialPolicyId}`),
  },
  {
    title: 'the one client of all circuits logs out',
    clients: () => 1,
    apply: ({ controller }, { clients }) => {
      const client = new ApiClient(controller);
      client.token = clients[0]?.apiSessionToken ?? '';
      return client.call('DELETE', '/edge/client/v1/current-api-session');
    },
  },
];

/** Measures each change. */
export async function measureAccessEndings(
  stage: TrafficStage,
): Promise<readonly AccessEndingMeasurement[]> {
  const found: AccessEndingMeasurement[] = [];
  for (const [n, change] of changes.entries()) found.push(await measureOne(stage, change, n));
  return found;
}

async function measureOne(
  stage: TrafficStage,
  change: Change,
  n: number,
): Promise<AccessEndingMeasurement> {
  const { controller, fleet, routers, smoke } = stage;
  const circuits = smoke ? 20 : 1000;
  const service = await hostedService(stage, `guarded-${n}`, routers, change.clients(circuits));
  const { clients } = service;
  mustMake(await fleet.ask<MadeAnswer>({ kind: 'dial', clients, circuits, routers }), circuits);
  await sleep(smoke ? 0 : 2000);
  const end = async () => {
    const before = sampleCpu(controller.pid);
    const startMs = machineMs();
    await change.apply(stage, service);
    const answerMs = machineMs() - startMs;
    const job = { kind: 'arrivals', circuits, timeoutMs: 10_000 } as const;
    const arrived = await fleet.ask<ArrivalsAnswer>(job);
    const serverCpu = cpuBetween(before, sampleCpu(controller.pid), controller.pid);
    return { startMs, answerMs, arrived, serverCpu };
  };
  const { result, pauses, profile } = await watched(stage, `ending-${n}`, end);
  const { startMs, answerMs, arrived, serverCpu } = result;
  const { lastAtMs, unroutes, sessionRemovals } = arrived;
  return {
    title: change.title,
    circuits,
    routers,
    answerMs,
    lastToldMs: lastAtMs - startMs,
    unroutes,
    sessionRemovals,
    serverCpu,
    pauses,
    profile,
    wrong: Math.max(0, circuits - unroutes),
  };
}

/** Watches the main thread; where a profile is wanted, the profiler is its only watcher. */
async function watched<T>(
  { controller, profileDirectory }: TrafficStage,
  name: string,
  work: () => Promise<T>,
): Promise<{
  readonly result: T;
  readonly pauses: Pauses;
  readonly profile?: readonly ProfileLine[];
}> {
  if (profileDirectory === undefined) return await pausesWhile(controller, work);
  const pauses = { p99Ms: 0, p999Ms: 0, longestMs: 0, longestOwnMs: 0 };
  return { ...(await profileWhile(controller, profileDirectory, name, work)), pauses };
}
