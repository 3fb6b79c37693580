// A reconnect storm: many clients log in by certificate at once, each over a connection of its own,
// while other clients send requests.

import { randomBytes } from 'node:crypto';
import { clientKey } from './client-key.ts';
import { enrolledChains } from './enrolled.ts';
import { LoadGenerator } from './load/generator-process.ts';
import { figuresOf, Histogram, type LatencyFigures } from './load/histogram.ts';
import type { Job, JobResult } from './load/job.ts';
import type { Network } from './network.ts';
import { othersJob, targetOf } from './others.ts';
import { certificateLogin } from './requests.ts';
import { onStage } from './stage.ts';
import type { Target } from './target.ts';

/** The size of a storm. */
export interface StormSize {
  /** Clients that reconnect, each with its own certificate. */
  readonly clients: number;
  /** Connections that are open or in their handshake at the same time. */
  readonly connections: number;
}

/** The result of a storm. */
export interface StormMeasurement extends StormSize {
  /** From the first connection to the last login. */
  readonly allInMs: number;
  /**
   * CPU of the server process per login, including the requests of the other clients; absent if the
   * process is not ours.
   */
  readonly cpuMicros?: number;
  readonly loginMs: LatencyFigures;
  /**
   * `current-api-session` of other clients over kept-alive connections: before the storm, and
   * during it.
   */
  readonly othersInPeaceMs: LatencyFigures;
  readonly othersMs: LatencyFigures;
  readonly wrong: number;
}

/** Measures a storm on a home of its own. */
export async function measureStorm(
  size: StormSize,
  smoke: boolean,
  root?: string,
): Promise<StormMeasurement> {
  const others = {
    identities: smoke ? 200 : 1000,
    services: 200,
    visibleServices: 100,
    routers: 2,
    callers: smoke ? 20 : 250,
    viewers: 10,
    apiSessionsEach: 2,
  };
  return await onStage({ name: 'storm', size: others, root }, ({ controller, network }) =>
    stormOn({ target: controller, network, size, smoke }),
  );
}

/** The target of a storm. */
export interface StormScene {
  readonly target: Target;
  readonly network: Network;
  readonly size: StormSize;
  readonly smoke: boolean;
}

/** Measures a storm on an existing network. */
export async function stormOn(scene: StormScene): Promise<StormMeasurement> {
  const { target, network, size, smoke } = scene;
  const storming = new LoadGenerator();
  const asking = new LoadGenerator();
  try {
    const others = othersJob(target, network);
    const peace = await asking.run({ ...others, measureMs: smoke ? 200 : 3000, warmUpMs: 200 });
    const storm = storming.run(await stormJob(scene));
    const meanwhile = new Histogram();
    const wrongs: number[] = [peace.wrong];
    let result: JobResult | undefined;
    void storm.then((done) => {
      result = done;
    });
    while (result === undefined) {
      const slice = await asking.run({ ...others, measureMs: smoke ? 100 : 1000, warmUpMs: 0 });
      meanwhile.add(slice.latency);
      wrongs.push(slice.wrong);
    }
    const { windowMs, server, answered, wrong, latency } = await storm;
    return {
      ...size,
      allInMs: windowMs,
      cpuMicros: server && (server.cpuMs * 1000) / Math.max(1, answered),
      loginMs: figuresOf(latency),
      othersInPeaceMs: figuresOf(peace.latency),
      othersMs: meanwhile.figures(),
      wrong: wrongs.reduce((sum, count) => sum + count, wrong),
    };
  } finally {
    storming.stop();
    asking.stop();
  }
}

async function stormJob({ target, network, size }: StormScene): Promise<Job> {
  const { clients, connections } = size;
  const { adminToken, bulk, marks } = network;
  const runName = randomBytes(3).toString('hex');
  const chains = await enrolledChains({ target, marks, adminToken, bulk, runName }, clients);
  return {
    ...targetOf(target),
    connections,
    warmUpMs: 0,
    measureMs: 600_000,
    requestsMax: clients,
    client: { key: (await clientKey()).keyPem, chains },
    isFresh: true,
    ...certificateLogin,
  };
}
