// Routers at rest that report what circuits carry, against the same routers that report none.

import { type Figure, type RatioMeasurement, ratioRow, takeTurns } from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import { grouped } from '../report/goal-line.ts';
import type { MadeAnswer } from '../routers/traffic-job.ts';
import { mustMake } from '../routers/traffic-routers.ts';
import { hostedService, onTrafficStage, type TrafficStage } from '../routers/traffic-stage.ts';
import { cpuBetween, sampleCpu } from '../server/process-figures.ts';
import { dialCircuits, linkToHosts } from './circuit-stage.ts';

const circuitsEach = 10;
/** Routers that host. With more of them, setting up would search paths to those without a link. */
const hosts = 1;

const sizes = {
  full: { routers: 10_000, clients: 100, restMs: 30_000, everyMs: 60_000 },
  smoke: { routers: 20, clients: 2, restMs: 1500, everyMs: 1000 },
} as const;

/** Measures the row. */
export async function measureUsage({ smoke, turns }: RowOptions): Promise<RatioMeasurement> {
  const { routers, clients, restMs, everyMs } = sizes[smoke ? 'smoke' : 'full'];
  const how = { smoke, measureMs: restMs, profileDirectory: undefined, listening: hosts, routers };
  return await onTrafficStage({ ...how, name: 'usage' }, async (stage) => {
    await linkToHosts(stage, hosts);
    const service = await hostedService(stage, 'carried', hosts, clients);
    await dialCircuits(stage, service, routers * circuitsEach);
    const resting = (reportsUsage: boolean) => rest(stage, { ms: restMs, everyMs, reportsUsage });
    // The first reports of a router cost more than later ones.
    await resting(false);
    const all = await takeTurns(
      turns,
      () => resting(true),
      () => resting(false),
    );
    const path = `/edge/management/v1/services/${service.serviceId}/usage`;
    const counted = (await stage.admin.call('GET', path)) as readonly object[];
    const work = `${grouped(routers)} routers that report usage of ${circuitsEach} circuits a minute`;
    const row = { work, against: 'no usage', figure: `CPU ms in ${restMs / 1000} s`, goal: 1.5 };
    const found = ratioRow(row, all);
    return counted.length > 0 ? found : { ...found, wrong: found.wrong + 1 };
  });
}

/** CPU of the controller in a time in which its routers only report, in ms. */
async function rest(
  { fleet, controller: { pid }, routers }: TrafficStage,
  how: { readonly ms: number; readonly everyMs: number; readonly reportsUsage: boolean },
): Promise<Figure> {
  const before = sampleCpu(pid);
  const rested = await fleet.ask<MadeAnswer>({ kind: 'rest', ...how, routers });
  const { cpuMs } = cpuBetween(before, sampleCpu(pid), pid);
  mustMake(rested, routers);
  return { value: cpuMs, wrong: 0 };
}
