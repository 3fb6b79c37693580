// One node without a cluster against the revision before there was one, and that revision against
// itself: a difference as small as the control's shows nothing.

import { medianOf } from '../compare.ts';
import { makeHome, rivalArgon2 } from '../home.ts';
import { LoadGenerator } from '../load/generator-process.ts';
import type { Job, JobResult } from '../load/job.ts';
import { makeNetwork, type Network } from '../network.ts';
import { targetOf } from '../others.ts';
import { get, sessionCreate, sessionCreated } from '../requests.ts';
import type { Revision } from '../revision.ts';
import { type ControllerProcess, startController } from '../server/controller-process.ts';
import {
  connectionsOf,
  type LoadOptions,
  microsOf,
  networkSize,
  timesOf,
  wrongsOf,
} from './load.ts';

/** The last revision that knew no cluster. */
export const beforeCluster = '2aa4918';

/** One kind of request. Lists have one entry per turn; CPU is per request, in µs. */
export interface SingleNodeMeasurement {
  readonly work: SingleNodeWork;
  readonly connections: number;
  /** The other revision; absent when this one was compared with itself, as in a smoke run. */
  readonly against?: string | undefined;
  readonly hereMicros: readonly number[];
  readonly beforeMicros: readonly number[];
  /** A second process of that revision. */
  readonly controlMicros: readonly number[];
  /** Ratios to the former revision: the median of the turns, the least and the greatest. */
  readonly ratio: Ratio;
  readonly control: Ratio;
  readonly wrong: number;
  readonly wrongSamples: readonly string[];
}

/** A ratio over several turns. */
export interface Ratio {
  readonly median: number;
  readonly least: number;
  readonly greatest: number;
}

/** The kinds of requests that are measured. */
export type SingleNodeWork = 'session create' | 'current-api-session';

const works: readonly SingleNodeWork[] = ['session create', 'current-api-session'];

/** Measures three controllers in turns, in closed loops. */
export async function measureSingleNode(
  options: LoadOptions,
  before: Revision | undefined,
): Promise<readonly SingleNodeMeasurement[]> {
  const generator = new LoadGenerator();
  const sides: Side[] = [];
  try {
    for (const [name, root] of [
      ['here', undefined],
      ['before', before?.root],
      ['control', before?.root],
    ] as const) {
      sides.push(await Side.open(name, root, generator, options));
    }
    const found: SingleNodeMeasurement[] = [];
    for (const work of works) found.push(await inTurns(work, sides, options, before?.name));
    return found;
  } finally {
    generator.stop();
    for (const side of sides) await side.close();
  }
}

async function inTurns(
  work: SingleNodeWork,
  sides: readonly Side[],
  options: LoadOptions,
  against: string | undefined,
): Promise<SingleNodeMeasurement> {
  const micros = sides.map((): number[] => []);
  const wrongs: string[] = [];
  // The first round warms up all of them and does not count.
  for (let turn = -1; turn < options.turns; turn++) {
    for (let place = 0; place < sides.length; place++) {
      // Each of them comes first in its turn: what comes first after a pause may be slower.
      const index = (place + Math.max(0, turn)) % sides.length;
      const result = await sides[index]?.run(work);
      if (result === undefined) continue;
      wrongs.push(...wrongsOf(result));
      if (turn >= 0) micros[index]?.push(microsOf(result));
    }
  }
  const [hereMicros = [], beforeMicros = [], controlMicros = []] = micros;
  return {
    work,
    connections: connectionsOf(options),
    against,
    hereMicros,
    beforeMicros,
    controlMicros,
    ratio: ratioOf(hereMicros, beforeMicros),
    control: ratioOf(controlMicros, beforeMicros),
    wrong: wrongs.length,
    wrongSamples: wrongs.slice(0, 5),
  };
}

function ratioOf(some: readonly number[], others: readonly number[]): Ratio {
  const ratios = some.map((micros, turn) => micros / (others[turn] ?? Number.NaN));
  return { median: medianOf(ratios), least: Math.min(...ratios), greatest: Math.max(...ratios) };
}

/** A controller on a home of its own. */
class Side {
  readonly #controller: ControllerProcess;
  readonly #network: Network;
  readonly #generator: LoadGenerator;
  readonly #options: LoadOptions;
  readonly #remove: () => void;
  #sent = 0;

  private constructor(
    controller: ControllerProcess,
    network: Network,
    generator: LoadGenerator,
    options: LoadOptions,
    remove: () => void,
  ) {
    this.#controller = controller;
    this.#network = network;
    this.#generator = generator;
    this.#options = options;
    this.#remove = remove;
  }

  static async open(
    name: string,
    root: string | undefined,
    generator: LoadGenerator,
    options: LoadOptions,
  ): Promise<Side> {
    const bench = makeHome(`single-${name}`, root);
    bench.configure(rivalArgon2);
    const { home, logFile } = bench;
    const controller = await startController({ home, logFile, direct: false, root });
    const network = await makeNetwork(controller, generator, networkSize(options.smoke));
    return new Side(controller, network, generator, options, () => bench.remove());
  }

  async run(work: SingleNodeWork): Promise<JobResult> {
    const { callerTokens, serviceIds } = this.#network;
    const asked =
      work === 'session create'
        ? { request: sessionCreate(callerTokens, serviceIds), expect: sessionCreated }
        : {
            request: get('/edge/client/v1/current-api-session', callerTokens),
            expect: { status: 200, includes: '"expiresAt"' },
          };
    const job: Job = {
      ...targetOf(this.#controller),
      ...timesOf(this.#options),
      connections: connectionsOf(this.#options),
      firstRequest: work === 'session create' ? this.#sent : 0,
      requestsMax: Number.MAX_SAFE_INTEGER,
      ...asked,
    };
    const result = await this.#generator.run(job);
    if (work === 'session create') this.#sent += result.sent;
    return result;
  }

  async close(): Promise<void> {
    await this.#controller.stop();
    this.#remove();
  }
}
