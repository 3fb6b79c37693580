// Circuits and terminators that routers create: their rate, and what they cost the controller.

import type { WorkAnswer, WorkJob } from './fleet-job.ts';
import { hostedService, type TrafficStage } from './traffic-stage.ts';

/** One kind of work of routers. */
export interface RouterWorkMeasurement extends WorkAnswer {
  readonly work: 'circuit create' | 'terminator create';
  readonly routers: number;
  readonly inFlight: number;
}

/** Requests that wait for their answers at the same time. */
const inFlight = 64;

/** Routers that create terminators: what one may create per second is bounded. */
const terminatingRouters = 20;

/** Measures both, one after the other. */
export async function measureRouterWork(
  stage: TrafficStage,
): Promise<readonly RouterWorkMeasurement[]> {
  const { controller, fleet, smoke, measureMs, routers } = stage;
  const { host, clients } = await hostedService(stage, 'carried', 1, 1);
  const [client] = clients;
  if (client === undefined) throw new Error('there is no client');
  const common = { serverPid: controller.pid, inFlight, measureMs };
  const circuits: WorkJob = { ...common, tokens: client, routers: 1, batch: smoke ? 64 : 2000 };
  const terminators: WorkJob = {
    ...common,
    tokens: host,
    routers: Math.min(terminatingRouters, routers),
    batch: smoke ? 64 : 2000,
  };
  return [
    {
      work: 'circuit create',
      ...sizeOf(circuits),
      ...(await fleet.ask<WorkAnswer>({ kind: 'circuits', ...circuits })),
    },
    {
      work: 'terminator create',
      ...sizeOf(terminators),
      ...(await fleet.ask<WorkAnswer>({ kind: 'terminators', ...terminators })),
    },
  ];
}

function sizeOf({ routers, inFlight: width }: WorkJob) {
  return { routers, inFlight: width };
}
