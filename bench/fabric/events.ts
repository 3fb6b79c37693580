// How much events slow other work down: session creates with readers of events, and circuits
// without one against the revision before there were events.

import { forkBench } from '../child.ts';
import { sessions, Windows } from '../inspectors.ts';
import type { EventReadersAnswer, EventReadersJob } from '../load/event-readers.ts';
import type { JobResult } from '../load/job.ts';
import { type Figure, type RatioMeasurement, ratioRow, takeTurns } from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import type { WorkAnswer } from '../routers/traffic-job.ts';
import { onTrafficStage, type TrafficStage } from '../routers/traffic-stage.ts';
import { circuitWork } from '../routers/work-rows.ts';
import { onStage, type Stage } from '../stage.ts';

/** The last revision without events and usage. */
export const beforeEvents = 'a803cac';

const readers = 10;

/** Session creates while programs read the events of sessions, against none. */
export async function measureReadEvents({ smoke, turns }: RowOptions): Promise<RatioMeasurement> {
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
      const all = await takeTurns(
        turns,
        () => read(stage, window, ask),
        async () => timeFigure(await window.run()),
      );
      const goal = { work: `session create with ${readers} readers of events`, against: 'none' };
      const reason =
        'each event is encrypted for each of ten readers, which decrypt it on the same two cores';
      return ratioRow({ ...goal, figure: 'time µs', goal: 1 / 0.95, reason }, all);
    });
  } finally {
    reading.stop();
  }
}

/** A window with readers. */
async function read(
  { controller: { port, caFile }, network }: Stage,
  window: Windows,
  ask: (job: EventReadersJob) => Promise<EventReadersAnswer>,
): Promise<Figure> {
  const token = network.adminToken;
  await ask({ kind: 'attach', port, caFile, token, count: readers, type: 'session' });
  const { value, wrong } = timeFigure(await window.run());
  const { attached, frames } = await ask({ kind: 'detach' });
  return { value, wrong: wrong + readers - attached + (frames === 0 ? 1 : 0) };
}

function timeFigure({ answered, windowMs, wrong }: JobResult): Figure {
  return { value: (windowMs * 1000) / Math.max(1, answered), wrong };
}

/** Circuits of a controller without a reader of events, against one of another revision. */
export async function measureUnreadEvents(
  { smoke, measureMs, turns }: RowOptions,
  before: { readonly name: string; readonly root: string } | undefined,
): Promise<RatioMeasurement> {
  const how = { smoke, measureMs, profileDirectory: undefined };
  return await onTrafficStage({ ...how, name: 'circuits-here' }, async (here) => {
    const hereJob = await circuitWork(here);
    const root = before?.root;
    return await onTrafficStage({ ...how, name: 'circuits-there', root }, async (there) => {
      const thereJob = await circuitWork(there);
      const all = await takeTurns(
        turns,
        () => create(here, hereJob),
        () => create(there, thereJob),
      );
      const against = before?.name ?? 'itself';
      const goal = { work: 'circuit create without a reader of events', against, goal: 1.03 };
      const reason =
        'since then each circuit is also kept for its usage, and each failed dial for explanations';
      return ratioRow({ ...goal, figure: 'CPU µs', reason }, all);
    });
  });
}

async function create(
  { fleet }: TrafficStage,
  job: Awaited<ReturnType<typeof circuitWork>>,
): Promise<Figure> {
  const { createMicros, wrong } = await fleet.ask<WorkAnswer>({ kind: 'circuits', ...job });
  return { value: createMicros, wrong };
}
