// Circuits and terminators that routers create: their rate, and what they cost the controller.

import type { ProfileLine } from '../results.ts';
import { profileWhile } from '../server/profiler.ts';
import type { WorkAnswer, WorkJob } from './traffic-job.ts';
import { type HostedService, hostedService, type TrafficStage } from './traffic-stage.ts';

/** One kind of work of routers. */
export interface RouterWorkMeasurement extends WorkAnswer {
  readonly work: 'circuit create' | 'terminator create';
  readonly routers: number;
  readonly inFlight: number;
  readonly profile?: readonly ProfileLine[];
}

/** Requests that wait for their answers at the same time. */
const inFlight = 64;

/** Routers that create terminators: what one may create per second is bounded. */
const terminatingRouters = 20;

/** Measures both, one after the other. */
export async function measureRouterWork(
  stage: TrafficStage,
): Promise<readonly RouterWorkMeasurement[]> {
  const service = await hostedService(stage, 'carried', 1, 1);
  const circuits = circuitsOf(stage, service);
  const terminators: WorkJob = {
    ...circuits,
    tokens: service.host,
    routers: Math.min(terminatingRouters, stage.routers),
  };
  return [
    await measured(stage, 'circuit create', { kind: 'circuits', ...circuits }),
    await measured(stage, 'terminator create', { kind: 'terminators', ...terminators }),
  ];
}

/** Circuits of a client and its service through one router. */
export async function circuitWork(stage: TrafficStage): Promise<WorkJob> {
  return circuitsOf(stage, await hostedService(stage, 'carried', 1, 1));
}

/** Circuits of the first client of a service through one router. */
export function circuitsOf(
  { controller, measureMs, smoke }: TrafficStage,
  { clients: [client] }: HostedService,
): WorkJob {
  if (client === undefined) throw new Error('there is no client');
  const batch = smoke ? 64 : 2000;
  return { serverPid: controller.pid, inFlight, measureMs, tokens: client, routers: 1, batch };
}

async function measured(
  { controller, fleet, profileDirectory }: TrafficStage,
  work: RouterWorkMeasurement['work'],
  job: WorkJob & { readonly kind: 'circuits' | 'terminators' },
): Promise<RouterWorkMeasurement> {
  const { routers } = job;
  const run = () => fleet.ask<WorkAnswer>(job);
  if (profileDirectory === undefined) return { ...(await run()), work, routers, inFlight };
  const name = `router-${job.kind}`;
  const { result, profile } = await profileWhile(controller, profileDirectory, name, run);
  return { ...result, work, routers, inFlight, profile };
}
