// Pages of circuits of a large network against those of a small one, and against a page of
// identities. Both controllers run at the same time, so that they are measured in turns.

import type { JobResult } from '../load/job.ts';
import { targetOf } from '../others.ts';
import { cpuFigure, type RatioGoal, type RatioMeasurement, ratioRow, takeTurns } from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import { grouped } from '../report/goal-line.ts';
import { get } from '../requests.ts';
import { hostedService, onTrafficStage, type TrafficStage } from '../routers/traffic-stage.ts';
import { dialCircuits, linkToHosts } from './circuit-stage.ts';

const rows = 100;
/** A session may have 10,000 circuits. */
const clients = 100;
/** Routers that host; circuits through any other one cross a link to one of them. */
const hosts = 4;
const connections = 8;

const sizes = {
  full: { few: 1000, many: 100_000, paged: 500 },
  smoke: { few: 200, many: 400, paged: 100 },
} as const;

/** A network with circuits, whose pages are asked for. */
interface Pages {
  readonly stage: TrafficStage;
  readonly paths: Readonly<Record<'circuits' | 'ofService' | 'identities', string>>;
}

/** Measures all rows. */
export async function measureCircuitPages(
  options: RowOptions,
): Promise<readonly RatioMeasurement[]> {
  const { smoke, measureMs } = options;
  const { few, many, paged } = sizes[smoke ? 'smoke' : 'full'];
  const how = { smoke, measureMs, profileDirectory: undefined, listening: hosts };
  return await onTrafficStage({ ...how, name: 'many-circuits' }, async (largeStage) => {
    const large = await pagesOf(largeStage, many, paged);
    return await onTrafficStage({ ...how, name: 'few-circuits' }, async (smallStage) => {
      const small = await pagesOf(smallStage, few, paged);
      return await measureAll(options, large, small, [many, few]);
    });
  });
}

/** Dials `circuits`, of which `paged` are of a service of their own. */
async function pagesOf(stage: TrafficStage, circuits: number, paged: number): Promise<Pages> {
  await linkToHosts(stage, hosts);
  const carried = await hostedService(stage, 'carried', hosts, clients);
  const page = await hostedService(stage, 'paged', hosts, clients);
  await dialCircuits(stage, page, paged);
  await dialCircuits(stage, carried, circuits - paged);
  const asked = (path: string, filter?: string) => {
    const query = new URLSearchParams({ limit: String(rows), ...(filter && { filter }) });
    return `${path}?${query}`;
  };
  return {
    stage,
    paths: {
      circuits: asked('/fabric/v1/circuits'),
      ofService: asked('/fabric/v1/circuits', `service = "${page.serviceId}"`),
      identities: asked('/edge/management/v1/identities'),
    },
  };
}

async function measureAll(
  { turns, measureMs, smoke }: RowOptions,
  large: Pages,
  small: Pages,
  [many, few]: readonly [number, number],
): Promise<readonly RatioMeasurement[]> {
  const windowMs = smoke ? measureMs : Math.min(2000, measureMs);
  const figure = 'CPU µs';
  const sized = { figure, against: `${grouped(few)} circuits` };
  const compared: readonly (readonly [goal: RatioGoal, work: Page, against: Page])[] = [
    [
      { ...sized, work: `page of 100 by id of ${grouped(many)} circuits`, goal: 1.5 },
      [large, 'circuits'],
      [small, 'circuits'],
    ],
    [
      { ...sized, work: `page of 100 by filter on service of ${grouped(many)} circuits`, goal: 2 },
      [large, 'ofService'],
      [small, 'ofService'],
    ],
    [
      { figure, work: 'page of 100 circuits', against: 'page of 100 identities', goal: 1.5 },
      [small, 'circuits'],
      [small, 'identities'],
    ],
  ];
  const found: RatioMeasurement[] = [];
  for (const [goal, work, against] of compared) {
    const asked = (page: Page) => async () => cpuFigure(await ask(page, windowMs));
    found.push(ratioRow(goal, await takeTurns(turns, asked(work), asked(against))));
  }
  return found;
}

type Page = readonly [pages: Pages, name: keyof Pages['paths']];

async function ask([{ stage, paths }, name]: Page, measureMs: number): Promise<JobResult> {
  const { controller, generator, network } = stage;
  return await generator.run({
    ...targetOf(controller),
    connections,
    warmUpMs: measureMs / 5,
    measureMs,
    requestsMax: Number.MAX_SAFE_INTEGER,
    request: get(paths[name], network.adminToken),
    expect: { status: 200, rows },
  });
}
