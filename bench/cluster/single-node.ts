// One node without a cluster against the revision before followers answered, and that revision
// against itself: a difference as small as the control's shows nothing.

import { setTimeout as sleep } from 'node:timers/promises';
import { medianOf } from '../compare.ts';
import { type BenchHome, makeHome, rivalArgon2 } from '../home.ts';
import { LoadGenerator } from '../load/generator-process.ts';
import type { ClientCertificates, Job } from '../load/job.ts';
import { makeNetwork, type Network } from '../network.ts';
import { targetOf } from '../others.ts';
import { certificateLogin } from '../requests.ts';
import type { Revision } from '../revision.ts';
import { type ControllerProcess, startController } from '../server/controller-process.ts';
import { sampleMemory } from '../server/process-figures.ts';
import { clientCertificates } from './front-logins.ts';
import { askedOf, type FrontWork } from './front-reads.ts';
import {
  connectionsOf,
  type LoadOptions,
  microsOf,
  networkSize,
  timesOf,
  wrongsOf,
} from './load.ts';

/** The last revision whose followers answered nothing. */
export const beforeReads = 'e33943cb';

/** One kind of request, or the memory. Lists have one entry per turn. */
export interface SingleNodeMeasurement {
  readonly work: SingleNodeWork;
  /** The unit of the lists: CPU time per request, or resident memory after a start. */
  readonly figure: 'CPU µs' | 'MB';
  readonly connections: number;
  /** The other revision; absent when this one was compared with itself, as in a smoke run. */
  readonly against?: string | undefined;
  readonly here: readonly number[];
  readonly before: readonly number[];
  /** A second process of that revision. */
  readonly again: readonly number[];
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

/** The kinds of requests that are measured, and the memory of a node that has just started. */
export type SingleNodeWork =
  | Exclude<FrontWork, 'policies list'>
  | 'login by certificate, kept alive'
  | 'memory';

/** The memory comes first, while all homes are alike. */
export const singleNodeWorks: readonly SingleNodeWork[] = [
  'memory',
  'session create',
  'current-api-session',
  'services list',
  'login by certificate, kept alive',
];

/** How long to wait until memory has settled. */
const settleMs = 3000;

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
    for (const work of singleNodeWorks) {
      found.push(await inTurns(work, sides, options, before?.name));
    }
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
  const values = sides.map((): number[] => []);
  const wrongs: string[] = [];
  // The first round warms up all of them and does not count.
  for (let turn = -1; turn < options.turns; turn++) {
    for (let place = 0; place < sides.length; place++) {
      // Each of them comes first in its turn: what comes first after a pause may be slower.
      const index = (place + Math.max(0, turn)) % sides.length;
      const found = await sides[index]?.measure(work);
      if (found === undefined) continue;
      wrongs.push(...found.wrongs);
      if (turn >= 0) values[index]?.push(found.value);
    }
  }
  const [here = [], before = [], again = []] = values;
  return {
    work,
    figure: work === 'memory' ? 'MB' : 'CPU µs',
    connections: connectionsOf(options),
    against,
    here,
    before,
    again,
    ratio: ratioOf(here, before),
    control: ratioOf(again, before),
    wrong: wrongs.length,
    wrongSamples: wrongs.slice(0, 5),
  };
}

function ratioOf(some: readonly number[], others: readonly number[]): Ratio {
  const ratios = some.map((value, turn) => value / (others[turn] ?? Number.NaN));
  return { median: medianOf(ratios), least: Math.min(...ratios), greatest: Math.max(...ratios) };
}

interface SideParts {
  readonly bench: BenchHome;
  /** The checkout of the program. */
  readonly root: string | undefined;
  readonly network: Network;
  readonly client: ClientCertificates;
  readonly generator: LoadGenerator;
  readonly options: LoadOptions;
}

/** A controller on a home of its own. */
class Side {
  readonly #parts: SideParts;
  #controller: ControllerProcess;
  #created = 0;

  private constructor(controller: ControllerProcess, parts: SideParts) {
    this.#controller = controller;
    this.#parts = parts;
  }

  static async open(
    name: string,
    root: string | undefined,
    generator: LoadGenerator,
    options: LoadOptions,
  ): Promise<Side> {
    const bench = makeHome(`single-${name}`, root);
    bench.configure(rivalArgon2);
    const controller = await started({ bench, root });
    const network = await makeNetwork(controller, generator, networkSize(options.smoke));
    const client = await clientCertificates(controller, network, options);
    return new Side(controller, { bench, root, network, client, generator, options });
  }

  async measure(work: SingleNodeWork): Promise<{ value: number; wrongs: readonly string[] }> {
    const { network, client, generator, options } = this.#parts;
    if (work === 'memory') {
      await this.#controller.stop();
      this.#controller = await started(this.#parts);
      if (!options.smoke) await sleep(settleMs);
      return { value: sampleMemory(this.#controller.pid).residentBytes / 1e6, wrongs: [] };
    }
    const job: Job = {
      ...targetOf(this.#controller),
      ...timesOf(options),
      connections: connectionsOf(options),
      firstRequest: work === 'session create' ? this.#created : 0,
      requestsMax: Number.MAX_SAFE_INTEGER,
      ...(work === 'login by certificate, kept alive'
        ? { ...certificateLogin, client }
        : askedOf(work, network)),
    };
    const result = await generator.run(job);
    if (work === 'session create') this.#created += result.sent;
    return { value: microsOf(result), wrongs: wrongsOf(result) };
  }

  async close(): Promise<void> {
    await this.#controller.stop();
    this.#parts.bench.remove();
  }
}

function started({ bench, root }: Pick<SideParts, 'bench' | 'root'>): Promise<ControllerProcess> {
  const { home, logFile } = bench;
  return startController({ home, logFile, direct: false, root });
}
