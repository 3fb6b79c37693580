// The cost of attached inspectors for other clients while the controller is under full load.

import { ApiClient } from './api-client.ts';
import { forkBench } from './child.ts';
import type { Job, JobResult } from './load/job.ts';
import type { WatchersAnswer, WatchersJob } from './load/watchers.ts';
import { identityBody, type Network } from './network.ts';
import { targetOf } from './others.ts';
import { created, number, post, sessionCreate, sessionCreated } from './requests.ts';
import { sampleMemory } from './server/process-figures.ts';
import { onStage, type Stage } from './stage.ts';

/** One kind of load, without inspectors and with them, in turns. */
export interface InspectorsMeasurement {
  readonly load: string;
  readonly inspectors: number;
  /** The number of inspectors that read. */
  readonly reading: number;
  /** Requests per second, one value per turn. */
  readonly without: readonly number[];
  readonly attached: readonly number[];
  /** Ratio of attached to without: the median of the turns, the least and the greatest. */
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
  /** CPU of the server per request, ratio of attached to without: median of the turns. */
  readonly cpuRatio: number;
  /** Transitions per second that one reader received, and that it was told it missed. */
  readonly toldPerSecond: number;
  readonly missedPerSecond: number;
  /**
   * Memory of the controller: before the turns, and the most at the end of a turn with inspectors.
   */
  readonly residentBytes: number;
  readonly attachedResidentBytes: number;
  readonly wrong: number;
}

/** How many inspectors are attached, and how many of them read what they are sent. */
const inspectors = { count: 100, reading: 50 };

/**
 * Measures session creates, which cause no transition, and identity creates, which cause one each.
 */
export async function measureInspectors(smoke: boolean): Promise<readonly InspectorsMeasurement[]> {
  const size = {
    identities: smoke ? 200 : 1000,
    services: smoke ? 50 : 1000,
    visibleServices: 10,
    routers: 2,
    callers: smoke ? 20 : 250,
    viewers: 1,
    apiSessionsEach: smoke ? 2 : 4,
  };
  const watchers = forkBench(new URL('load/watchers.ts', import.meta.url), []);
  const ask = async (job: WatchersJob) => (await watchers.ask(job)) as WatchersAnswer;
  try {
    return await onStage({ name: 'inspectors', size }, async (stage) => {
      const scene = { ...stage, smoke, ask };
      return [
        await inTurns(scene, 'session creates', sessions(stage.network)),
        await inTurns(scene, 'identity creates', identities(stage.network)),
      ];
    });
  } finally {
    watchers.stop();
  }
}

type Load = Pick<Job, 'request' | 'expect'>;

type WindowScene = Stage & { readonly smoke: boolean };

interface Scene extends WindowScene {
  ask(job: WatchersJob): Promise<WatchersAnswer>;
}

/** Session creates, each another one. */
export function sessions({ callerTokens, serviceIds }: Network): Load {
  return { request: sessionCreate(callerTokens, serviceIds), expect: sessionCreated };
}

function identities({ adminToken, marks }: Network): Load {
  const body = identityBody(marks, 'seen-{{n}}', ['seen']);
  const request = post('/edge/management/v1/identities', adminToken, body, number);
  return { request, expect: created('identities') };
}

async function inTurns(scene: Scene, load: string, job: Load): Promise<InspectorsMeasurement> {
  const { controller, smoke } = scene;
  const turns = smoke ? 1 : 5;
  const window = new Windows(scene, job);
  // This warms up the code and allocates the memory of the connections.
  await window.run();
  const residentBytes = sampleMemory(controller.pid).residentBytes;
  const pairs: { without: JobResult; attached: JobResult }[] = [];
  const seen: WatchersAnswer[] = [];
  let attachedResidentBytes = 0;
  for (let turn = 0; turn < turns; turn++) {
    const alone = async () => await window.run();
    const watched = async () => {
      await scene.ask({ kind: 'attach', ...(await tickets(scene)) });
      await scene.ask({ kind: 'count' });
      const result = await window.run();
      seen.push(await scene.ask({ kind: 'count' }));
      const memory = sampleMemory(controller.pid);
      attachedResidentBytes = Math.max(attachedResidentBytes, memory.residentBytes);
      await scene.ask({ kind: 'detach' });
      return result;
    };
    // The order alternates, because the first run of a turn finds the machine in another state than
    // the second.
    const first = turn % 2 === 0 ? await alone() : await watched();
    const second = turn % 2 === 0 ? await watched() : await alone();
    const [without, attached] = turn % 2 === 0 ? [first, second] : [second, first];
    pairs.push({ without, attached });
  }
  const ratios = pairs.map(({ without, attached }) => rate(attached) / rate(without)).sort(byValue);
  const seconds = pairs.reduce((sum, { attached }) => sum + attached.windowMs / 1000, 0);
  const each = Math.max(1, seconds * inspectors.reading);
  return {
    load,
    inspectors: inspectors.count,
    reading: inspectors.reading,
    without: pairs.map(({ without }) => rate(without)),
    attached: pairs.map(({ attached }) => rate(attached)),
    ratio: middle(ratios),
    ratioMin: ratios[0] ?? 0,
    ratioMax: ratios.at(-1) ?? 0,
    cpuRatio: middle(
      pairs.map(({ without, attached }) => cpu(attached) / cpu(without)).sort(byValue),
    ),
    toldPerSecond: seen.reduce((sum, { told }) => sum + told, 0) / each,
    missedPerSecond: seen.reduce((sum, { missed }) => sum + missed, 0) / each,
    residentBytes,
    attachedResidentBytes,
    wrong: pairs.reduce((sum, one) => sum + one.without.wrong + one.attached.wrong, 0),
  };
}

/** Each run continues where the one before ended, so that no two requests are the same. */
export class Windows {
  readonly #scene: WindowScene;
  readonly #job: Load;
  #sent = 0;

  constructor(scene: WindowScene, job: Load) {
    this.#scene = scene;
    this.#job = job;
  }

  async run(): Promise<JobResult> {
    const { controller, generator, smoke } = this.#scene;
    const result = await generator.run({
      ...targetOf(controller),
      ...this.#job,
      connections: 64,
      warmUpMs: smoke ? 0 : 500,
      firstRequest: this.#sent,
      measureMs: smoke ? 300 : 3000,
      requestsMax: Number.MAX_SAFE_INTEGER,
    });
    this.#sent += result.sent;
    return result;
  }
}

async function tickets({ controller, network }: Scene) {
  const admin = new ApiClient(controller);
  admin.token = network.adminToken;
  const all: string[] = [];
  for (let n = 0; n < inspectors.count; n++) {
    const { ticket } = (await admin.call('POST', '/edge/management/v1/inspect/tickets')) as {
      readonly ticket: string;
    };
    all.push(ticket);
  }
  const { port, caFile } = controller;
  return { port, caFile, tickets: all, reading: inspectors.reading };
}

function rate({ answered, windowMs }: JobResult): number {
  return (answered / Math.max(1, windowMs)) * 1000;
}

function cpu({ server, answered }: JobResult): number {
  return (server?.cpuMs ?? 0) / Math.max(1, answered);
}

function middle(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function byValue(a: number, b: number): number {
  return a - b;
}
