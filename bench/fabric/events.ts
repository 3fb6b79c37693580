// How much events slow other work down: session creates with readers of events, and circuits
// without one against the revision before there were events.

import { forkBench } from '../child.ts';
import { sessions, Windows } from '../inspectors.ts';
import type { EventReadersAnswer, EventReadersJob } from '../load/event-readers.ts';
import type { JobResult } from '../load/job.ts';
import type { WorkAnswer } from '../routers/traffic-job.ts';
import { onTrafficStage, type TrafficStage } from '../routers/traffic-stage.ts';
import { circuitWork } from '../routers/work-rows.ts';
import { onStage, type Stage } from '../stage.ts';
import { type FabricRatio, fabricRatio, type RatioTurn } from './ratio.ts';

/** How the rows are measured. */
export interface EventRowsOptions {
  readonly smoke: boolean;
  readonly measureMs: number;
  readonly turns: number;
}

/** The last revision without events and usage. */
export const beforeEvents = 'a803cac';

const readers = 10;

/** Session creates while programs read the events of sessions, against none. */
export async function measureReadEvents({ smoke, turns }: EventRowsOptions): Promise<FabricRatio> {
  const size = {
    identities: smoke ? 200 : 1000,
    services: smoke ? 50 : 1000,
    visibleServices: 10,
    routers: 2,
    callers: smoke ? 20 : 250,
    viewers: 1,
    apiSessionsEach: smoke ? 2 : 4,
  };
  const reading = forkBench(new URL('../load/event-readers.ts', import.meta.url), []);
  const ask = async (job: EventReadersJob) => (await reading.ask(job)) as EventReadersAnswer;
  try {
    return await onStage({ name: 'events', size }, async (stage) => {
      const window = new Windows({ ...stage, smoke }, sessions(stage.network));
      await window.run();
      const all: RatioTurn[] = [];
      for (let turn = 0; turn < turns; turn++) all.push(await readTurn(stage, window, ask, turn));
      const goal = { work: `session create with ${readers} readers of events`, against: 'none' };
      return fabricRatio({ ...goal, figure: 'time µs', goal: 1 / 0.95 }, all);
    });
  } finally {
    reading.stop();
  }
}

/** The order alternates, as the first run of a turn finds the machine in another state. */
async function readTurn(
  { controller: { port, caFile }, network }: Stage,
  window: Windows,
  ask: (job: EventReadersJob) => Promise<EventReadersAnswer>,
  turn: number,
): Promise<RatioTurn> {
  const alone = turn % 2 === 0 ? await window.run() : undefined;
  const token = network.adminToken;
  await ask({ kind: 'attach', port, caFile, token, count: readers, type: 'session' });
  const read = await window.run();
  const { attached, frames } = await ask({ kind: 'detach' });
  const base = alone ?? (await window.run());
  const lost = readers - attached + (frames === 0 ? 1 : 0);
  return { value: micros(read), base: micros(base), wrong: read.wrong + base.wrong + lost };
}

function micros({ answered, windowMs }: JobResult): number {
  return (windowMs * 1000) / Math.max(1, answered);
}

/** Circuits of a controller without a reader of events, against one of another revision. */
export async function measureUnreadEvents(
  { smoke, measureMs, turns }: EventRowsOptions,
  before: { readonly name: string; readonly root: string } | undefined,
): Promise<FabricRatio> {
  const how = { smoke, measureMs, profileDirectory: undefined };
  return await onTrafficStage({ ...how, name: 'circuits-here' }, async (here) => {
    const hereJob = await circuitWork(here);
    const root = before?.root;
    return await onTrafficStage({ ...how, name: 'circuits-there', root }, async (there) => {
      const thereJob = await circuitWork(there);
      const turnOf = async (): Promise<RatioTurn> => {
        const [value, base] = [await create(here, hereJob), await create(there, thereJob)];
        const wrong = value.wrong + base.wrong;
        return { value: value.createMicros, base: base.createMicros, wrong };
      };
      const all: RatioTurn[] = [];
      for (let turn = 0; turn < turns; turn++) all.push(await turnOf());
      const against = before?.name ?? 'itself';
      const goal = { work: 'circuit create without a reader of events', against, goal: 1.03 };
      return fabricRatio({ ...goal, figure: 'CPU µs' }, all);
    });
  });
}

async function create(
  { fleet }: TrafficStage,
  job: Awaited<ReturnType<typeof circuitWork>>,
): Promise<WorkAnswer> {
  return await fleet.ask<WorkAnswer>({ kind: 'circuits', ...job });
}
