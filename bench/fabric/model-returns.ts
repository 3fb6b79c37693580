// A large fleet of routers after a restart of the controller: routers that know the model of the
// network, and those that need all of it, against the same routers without subscriptions. Other
// clients send requests meanwhile.

import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../api-client.ts';
import { type BenchHome, makeHome } from '../home.ts';
import { LoadGenerator } from '../load/generator-process.ts';
import { figuresOf } from '../load/histogram.ts';
import type { JobResult } from '../load/job.ts';
import type { Network } from '../network.ts';
import { othersJob } from '../others.ts';
import { type RatioMeasurement, type RatioTurn, ratioRow } from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import { grouped } from '../report/goal-line.ts';
import { controlTargetOf } from '../routers/control-target.ts';
import type { RouterIdentity } from '../routers/enrolled-routers.ts';
import { buildFleet, dialings, Fleet, type KnownModel } from '../routers/fleet.ts';
import {
  type FleetSize,
  fleetSizes,
  openMs,
  othersPerSecond,
  seedFleet,
} from '../routers/reconnect.ts';
import { type ControllerProcess, startController } from '../server/controller-process.ts';
import { sampleMemory } from '../server/process-figures.ts';

const timeoutMs = 180_000;
/** Memory for states that wait to be sent, besides two of the largest. */
const memoryMiB = 64;

/** Measures all three rows. @throws Lacking where there is no Go for the fleet */
export async function measureModelReturns({
  smoke,
  turns,
}: RowOptions): Promise<readonly RatioMeasurement[]> {
  const program = buildFleet();
  const size = smoke ? fleetSizes.modelSmoke : fleetSizes.model;
  const bench = makeHome('model-returns');
  const generator = new LoadGenerator();
  try {
    const seeded = await seedFleet(bench, size, generator, smoke);
    return await measureTurns({ ...seeded, bench, program, size, asking: generator }, turns);
  } finally {
    generator.stop();
    bench.remove();
  }
}

interface Scene {
  readonly bench: BenchHome;
  readonly network: Network;
  readonly routers: readonly RouterIdentity[];
  readonly program: string;
  readonly size: FleetSize;
  readonly asking: LoadGenerator;
}

async function measureTurns(scene: Scene, turns: number): Promise<readonly RatioMeasurement[]> {
  // The model has no index before the first router asks for it.
  await returnOf(scene, unknownModel);
  const times: RatioTurn[] = [];
  const memory: RatioTurn[] = [];
  const others: RatioTurn[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const plain = await returnOf(scene);
    const current = await returnOf(scene, 'present');
    const full = await returnOf(scene, unknownModel);
    const wrong = plain.wrong + current.wrong + current.fullStates;
    times.push({ value: current.syncedMs, base: plain.syncedMs, wrong });
    const value = Math.max(0, full.peakBytes - plain.peakBytes) / 2 ** 20;
    const lacking = scene.routers.length - full.fullStates;
    const base = memoryMiB + (2 * full.modelBytes) / 2 ** 20;
    memory.push({ value, base, wrong: full.wrong + lacking });
    others.push({ value: full.othersMs, base: plain.othersMs, wrong: full.wrong });
  }
  const count = grouped(scene.routers.length);
  return [
    ratioRow(
      {
        work: `return of ${count} routers whose index of the model is current`,
        against: 'the same without subscriptions',
        figure: 'ms until all are synced',
        goal: 1.05,
      },
      times,
    ),
    ratioRow(
      {
        work: `full state for ${count} routers of ${scene.size.classes} groups, peak memory above a return without`,
        against: `${memoryMiB} MiB and two of the largest states`,
        figure: 'MiB',
        goal: 1,
        reason:
          'a TLS connection keeps the memory of its largest write, and states wait in the worker',
      },
      memory,
    ),
    ratioRow(
      {
        work: `full state for ${count} routers of ${scene.size.classes} groups, other clients`,
        against: 'the same return without subscriptions',
        figure: 'ms p99 of others',
        goal: 2,
        reason:
          'the routers decrypt 8 GB on the same two cores; meanwhile p99 of the event loop is 10 ms',
      },
      others,
    ),
  ];
}

const unknownModel: KnownModel = { index: 0, timeline: '' };

interface Return {
  readonly syncedMs: number;
  readonly peakBytes: number;
  /** How many routers have got the whole model. */
  readonly fullStates: number;
  /** The largest of them, in bytes. */
  readonly modelBytes: number;
  /** The p99 of other clients from the first dial until all is sent, in ms. */
  readonly othersMs: number;
  readonly wrong: number;
}

/** The controller starts, and all routers dial within a second. */
async function returnOf(scene: Scene, model?: KnownModel | 'present'): Promise<Return> {
  const { bench, network, routers, program, size } = scene;
  const { home, logFile } = bench;
  const controller = await startController({ home, logFile, direct: false });
  const fleet = new Fleet(program);
  try {
    const admin = new ApiClient(controller);
    admin.token = network.adminToken;
    const modelOf = async ({ id }: RouterIdentity) =>
      (await admin.call('GET', `/edge/management/v1/edge-routers/${id}/model`)) as ShownModel;
    const [first] = routers;
    const known =
      model === 'present' ? placeIn(first === undefined ? undefined : await modelOf(first)) : model;
    const target = await controlTargetOf(controller, network.adminToken);
    const { apiSessionsEach } = size;
    const task = { apiSessionsEach, ...(known !== undefined && { model: known }) };
    await fleet.prepare(target, routers, { ...dialings.stock, ...task });
    const { result, others } = await whileOthersAsk(scene, controller, async () => {
      await fleet.ask({ kind: 'connect', spreadMs: 1000, timeoutMs });
      const synced = await fleet.ask({ kind: 'sync', timeoutMs });
      // Full states leave behind the API sessions.
      const isInformed = model === unknownModel;
      return isInformed ? await fleet.ask({ kind: 'inform', timeoutMs }) : synced;
    });
    const { syncedMs, informedMs, modelBytes, wrong } = result;
    const looked = model === 'present' ? routers.slice(0, routersLooked) : [];
    const shown = await Promise.all(looked.map(modelOf));
    return {
      syncedMs: syncedMs.length === routers.length ? Math.max(...syncedMs) : timeoutMs,
      peakBytes: sampleMemory(controller.pid).peakBytes,
      fullStates: informedMs.length,
      modelBytes,
      othersMs: figuresOf(others.latency).p99,
      wrong: wrong + others.wrong + shown.filter(({ lag }) => lag !== 0).length,
    };
  } finally {
    fleet.stop();
    await controller.stop();
  }
}

/** Other clients send requests while `work` runs. */
async function whileOthersAsk<T>(
  { network, asking }: Scene,
  controller: ControllerProcess,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly others: JobResult }> {
  const job = { ...othersJob(controller, network), rate: othersPerSecond };
  const asked = asking.run({ ...job, measureMs: 3 * timeoutMs, warmUpMs: 0 });
  await sleep(openMs);
  const [others, result] = await Promise.all([asked, work().finally(() => asking.end())]);
  return { result, others };
}

/** Routers whose standing is looked at: it is the controller that answers. */
const routersLooked = 50;

interface ShownModel {
  readonly currentIndex: number;
  readonly timeline: string;
  readonly lag: number | null;
}

function placeIn(shown: ShownModel | undefined): KnownModel {
  return { index: shown?.currentIndex ?? 0, timeline: shown?.timeline ?? '' };
}
