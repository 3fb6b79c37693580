// A large fleet of routers after a restart of the controller, and at rest afterwards.

import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../api-client.ts';
import { type BenchHome, cheapestArgon2, makeHome, rivalArgon2 } from '../home.ts';
import { LoadGenerator } from '../load/generator-process.ts';
import { figuresOf, Histogram, type LatencyFigures } from '../load/histogram.ts';
import type { Slot } from '../load/job.ts';
import { identityBody, makeNetwork, type Network } from '../network.ts';
import { othersJob } from '../others.ts';
import { logInByJwt } from '../provider.ts';
import { created, number, post } from '../requests.ts';
import type { ProfileLine } from '../results.ts';
import { type ControllerProcess, startController } from '../server/controller-process.ts';
import { inspectorFlags } from '../server/inspector.ts';
import { cpuBetween, sampleCpu, sampleMemory } from '../server/process-figures.ts';
import { profileWhile } from '../server/profiler.ts';
import { controlTargetOf } from './control-target.ts';
import { enrolledRouters, type RouterIdentity } from './enrolled-routers.ts';
import { type BackOff, buildFleet, dialings, Fleet } from './fleet.ts';

/** A fleet in classes: the clients of a class may use the routers of the same class. */
export interface FleetSize {
  readonly classes: number;
  readonly routersEach: number;
  readonly apiSessionsEach: number;
  /** Services of a class that its clients may dial by a policy of their own; absent for none. */
  readonly servicesEach?: number;
}

/** The fleet of the goals, that of a smoke run, and the same where routers learn the model. */
export const fleetSizes = {
  full: { classes: 100, routersEach: 100, apiSessionsEach: 1000 },
  smoke: { classes: 2, routersEach: 5, apiSessionsEach: 50 },
  model: { classes: 100, routersEach: 100, apiSessionsEach: 100, servicesEach: 10 },
  modelSmoke: { classes: 2, routersEach: 5, apiSessionsEach: 50, servicesEach: 2 },
} as const satisfies Readonly<Record<string, FleetSize>>;

/** CPU of the controller's process and of the fleet, in ms. */
export interface CpuOfBoth {
  readonly serverMs: number;
  readonly fleetMs: number;
}

/** How a fleet came back, and what it costs at rest. */
export interface FleetMeasurement extends FleetSize {
  readonly backOff: BackOff;
  /** The group of the key exchange, as Go names it. */
  readonly keyExchange: string;
  /** From the first dial until the last hello was accepted; all had begun within a second. */
  readonly lastHelloMs: number;
  /** From the first dial until a router knew its API sessions. */
  readonly syncedMs: LatencyFigures;
  readonly allSyncedMs: number;
  /** Attempts that did not end in an accepted hello, and connections that were lost. */
  readonly forNothing: number;
  readonly lost: number;
  /** Until the last hello, and until all were synced, with the requests of other clients. */
  readonly helloCpu: CpuOfBoth;
  readonly syncCpu: CpuOfBoth;
  /** Share of the machine that other work used until all were synced, 0 to 1. */
  readonly foreignShare: number;
  /** `current-api-session` of other clients: before, and meanwhile. */
  readonly othersInPeaceMs: LatencyFigures;
  readonly othersMs: LatencyFigures;
  /** CPU of the controller's process and of its main thread at rest, in cores. */
  readonly restMs: number;
  readonly restCores: number;
  readonly restMainThreadCores: number;
  /** Resident memory before the fleet came, and at the end of the rest. */
  readonly residentBytesBefore: number;
  readonly residentBytes: number;
  /** Routers that were not synced or lost API sessions, and wrong answers of others. */
  readonly wrong: number;
  /** What was wrong, a sentence for each kind. */
  readonly wrongSamples: readonly string[];
  readonly profile?: readonly ProfileLine[];
}

/** The times of a measurement, in ms. */
const times = {
  full: { peaceMs: 5000, settleMs: 10_000, restMs: 60_000, giveUpMs: 180_000 },
  smoke: { peaceMs: 200, settleMs: 0, restMs: 1000, giveUpMs: 30_000 },
};

/**
 * Requests of others per second, in an open loop: a closed one would take all the time of the
 * processors that the routers leave.
 */
export const othersPerSecond = 500;

/** Time for the others to open their connections, in ms. */
export const openMs = 500;

/** How fleets are measured. */
export interface FleetOptions {
  readonly smoke: boolean;
  /** Where profiles are written; none is taken if it is absent. */
  readonly profileDirectory?: string | undefined;
  /** Checkout of the controller; this one if absent. */
  readonly root?: string | undefined;
}

/**
 * Measures it on a home of its own, with each back-off.
 * @throws Lacking where there is no Go for the fleet
 */
export async function measureFleets(options: FleetOptions): Promise<readonly FleetMeasurement[]> {
  const { smoke, root } = options;
  const program = buildFleet();
  const size = smoke ? fleetSizes.smoke : fleetSizes.full;
  const bench = makeHome('fleet', root);
  const asking = new LoadGenerator();
  try {
    const seeded = await seedFleet(bench, size, asking, smoke, root);
    const scene = { ...seeded, ...options, bench, program, asking, size };
    const found: FleetMeasurement[] = [];
    for (const backOff of ['stock', 'own'] as const) {
      found.push(await measureFleet(scene, backOff));
    }
    return found;
  } finally {
    asking.stop();
    bench.remove();
  }
}

interface Scene extends FleetOptions {
  readonly bench: BenchHome;
  readonly network: Network;
  readonly routers: readonly RouterIdentity[];
  readonly program: string;
  readonly asking: LoadGenerator;
  readonly size: FleetSize;
}

async function measureFleet(scene: Scene, backOff: BackOff): Promise<FleetMeasurement> {
  const { bench, network, routers, size, profileDirectory, root } = scene;
  const { home, logFile } = bench;
  const nodeFlags = profileDirectory === undefined ? [] : inspectorFlags;
  const controller = await startController({ home, logFile, direct: false, nodeFlags, root });
  const fleet = new Fleet(scene.program);
  try {
    const { apiSessionsEach } = size;
    const target = await controlTargetOf(controller, network.adminToken);
    await fleet.prepare(target, routers, { ...dialings[backOff], apiSessionsEach });
    return await measureOn(scene, controller, fleet, backOff);
  } finally {
    fleet.stop();
    await controller.stop();
  }
}

async function measureOn(
  scene: Scene,
  controller: ControllerProcess,
  fleet: Fleet,
  backOff: BackOff,
): Promise<FleetMeasurement> {
  const { network, asking, size, smoke } = scene;
  const { peaceMs, settleMs, restMs, giveUpMs } = smoke ? times.smoke : times.full;
  const { pid } = controller;
  const others = { ...othersJob(controller, network), rate: othersPerSecond };
  const peace = await asking.run({ ...others, measureMs: peaceMs, warmUpMs: 200 });
  await sleep(settleMs);
  const residentBytesBefore = sampleMemory(pid).residentBytes;
  // Their connections are open before the routers come.
  const asked = asking.run({ ...others, measureMs: 2 * giveUpMs, warmUpMs: 0 });
  await sleep(openMs);
  const returning = returnOf(scene, controller, fleet, backOff).finally(() => asking.end());
  const [meanwhile, returned] = await Promise.all([asked, returning]);
  await sleep(settleMs);
  const restBefore = sampleCpu(pid);
  const restAt = performance.now();
  await sleep(restMs);
  const rest = cpuBetween(restBefore, sampleCpu(pid), pid);
  const restedMs = performance.now() - restAt;
  const { connected, wrong, lost } = await fleet.ask({ kind: 'look' });
  const absent = scene.routers.length - connected;
  const foreignMs = (meanwhile.foreignCpuMs ?? 0) - returned.syncCpu.fleetMs;
  return {
    ...size,
    ...returned,
    backOff,
    lost,
    foreignShare: Math.max(0, foreignMs) / (meanwhile.windowMs * availableParallelism()),
    othersInPeaceMs: figuresOf(peace.latency),
    othersMs: figuresOf(meanwhile.latency),
    restMs: restedMs,
    restCores: rest.cpuMs / restedMs,
    restMainThreadCores: rest.mainThreadMs / restedMs,
    residentBytesBefore,
    residentBytes: sampleMemory(pid).residentBytes,
    wrong: peace.wrong + meanwhile.wrong + wrong + absent,
    wrongSamples: [
      ...peace.wrongSamples,
      ...meanwhile.wrongSamples,
      ...(wrong > 0 ? [`${wrong} routers have not all API sessions`] : []),
      ...(absent > 0 ? [`${absent} routers are not connected after the rest`] : []),
    ],
  };
}

/** All routers dial within a second, as routers whose controller starts again. */
async function returnOf(
  { routers, smoke, profileDirectory }: Scene,
  controller: ControllerProcess,
  fleet: Fleet,
  backOff: BackOff,
) {
  const { giveUpMs: timeoutMs } = smoke ? times.smoke : times.full;
  const { pid } = controller;
  const run = async () => {
    const before = sampleCpu(pid);
    const serverMs = () => cpuBetween(before, sampleCpu(pid), pid).cpuMs;
    const greeted = await fleet.ask({ kind: 'connect', spreadMs: 1000, timeoutMs });
    const helloCpu = { serverMs: serverMs(), fleetMs: greeted.cpuMs };
    const synced = await fleet.ask({ kind: 'sync', timeoutMs });
    const syncCpu = { serverMs: serverMs(), fleetMs: synced.cpuMs };
    const { forNothing, keyExchange, helloMs, syncedMs } = synced;
    const histogram = new Histogram();
    for (const ms of syncedMs) histogram.record(ms);
    // Never less than the whole time when some were not.
    const last = (all: readonly number[]) =>
      all.length === routers.length ? all.reduce((most, ms) => Math.max(most, ms)) : timeoutMs;
    return {
      forNothing,
      keyExchange,
      helloCpu,
      syncCpu,
      syncedMs: histogram.figures(),
      lastHelloMs: last(helloMs),
      allSyncedMs: last(syncedMs),
    };
  };
  if (profileDirectory === undefined) return await run();
  const { result, profile } = await profileWhile(
    controller,
    profileDirectory,
    `fleet-${backOff}`,
    run,
  );
  return { ...result, profile };
}

/** Makes the network and stops its controller. */
export async function seedFleet(
  bench: BenchHome,
  size: FleetSize,
  generator: LoadGenerator,
  smoke: boolean,
  root?: string,
): Promise<{ readonly network: Network; readonly routers: readonly RouterIdentity[] }> {
  bench.configure(cheapestArgon2);
  const { home, logFile } = bench;
  const controller = await startController({ home, logFile, direct: false, root });
  try {
    const network = await makeNetwork(controller, generator, {
      identities: smoke ? 40 : 1000,
      services: smoke ? 20 : 200,
      visibleServices: 10,
      routers: 2,
      callers: smoke ? 20 : 250,
      viewers: 10,
      apiSessionsEach: 2,
    });
    const stage = { controller, network };
    const routers = await enrolledRouters(
      stage,
      Array.from({ length: size.classes * size.routersEach }, (_, n) => [
        className(Math.floor(n / size.routersEach)),
      ]),
    );
    await connectClasses(stage, size);
    await serveClasses(stage, size);
    await logInClients(stage, size);
    return { network, routers };
  } finally {
    await controller.stop();
    bench.configure(rivalArgon2);
  }
}

interface Seeding {
  readonly controller: ControllerProcess;
  readonly network: Network;
}

async function connectClasses({ controller, network }: Seeding, size: FleetSize): Promise<void> {
  const admin = new ApiClient(controller);
  admin.token = network.adminToken;
  for (let n = 0; n < size.classes; n++) {
    const roles = [`#${className(n)}`];
    await admin.create('edge-router-policies', {
      name: className(n),
      semantic: 'AnyOf',
      identityRoles: roles,
      edgeRouterRoles: roles,
    });
  }
}

/** Gives the clients of each class services of their own, by one policy. */
async function serveClasses({ controller, network }: Seeding, size: FleetSize): Promise<void> {
  const { servicesEach } = size;
  if (servicesEach === undefined) return;
  const admin = new ApiClient(controller);
  admin.token = network.adminToken;
  for (let n = 0; n < size.classes; n++) {
    const name = className(n);
    for (let k = 0; k < servicesEach; k++) {
      const roleAttributes = [name];
      await admin.create('services', {
        name: `${name}-${k}`,
        roleAttributes,
        encryptionRequired: true,
      });
    }
    await admin.create('service-policies', {
      name,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [`#${name}`],
      serviceRoles: [`#${name}`],
    });
  }
}

/** One API session for each client. */
async function logInClients({ controller, network }: Seeding, size: FleetSize): Promise<void> {
  const { classes, apiSessionsEach } = size;
  const names = Array.from({ length: classes }, (_, n) => className(n));
  const slots: Record<string, Slot> = {
    ...number,
    class: { kind: 'list', values: names, every: apiSessionsEach },
  };
  const body = identityBody(network.marks, 'client-{{n}}', ['{{class}}']);
  const path = '/edge/management/v1/identities';
  const create = post(path, network.adminToken, body, slots);
  const ids = await network.bulk(classes * apiSessionsEach, create, created('identities'));
  await logInByJwt({ target: controller, network, sentBefore: 0, runName: 'fleet' }, ids);
}

function className(n: number): string {
  return `class-${String(n).padStart(3, '0')}`;
}
