// Circuits over links, which stay.

import { setTimeout as sleep } from 'node:timers/promises';
import type { MadeAnswer } from '../routers/traffic-job.ts';
import { mustMake } from '../routers/traffic-routers.ts';
import type { HostedService, TrafficStage } from '../routers/traffic-stage.ts';

/** Links each router with one of the first ones, which host. */
export async function linkToHosts({ fleet, routers }: TrafficStage, hosts: number): Promise<void> {
  mustMake(await fleet.ask<MadeAnswer>({ kind: 'link', to: hosts, routers }), routers - hosts);
  // Links are not answered.
  await sleep(500);
}

/** Dials circuits through all routers in turns. */
export async function dialCircuits(
  { fleet, routers }: TrafficStage,
  { clients }: HostedService,
  circuits: number,
): Promise<void> {
  mustMake(await fleet.ask<MadeAnswer>({ kind: 'dial', clients, circuits, routers }), circuits);
}
