// Reads and session creates of clients of a follower: what they cost the leader and the follower,
// in turns with the same at the leader's own front and at a node without a cluster.

import { medianOf } from '../compare.ts';
import type { Expectation, Job, JobResult, RequestTemplate } from '../load/job.ts';
import { makeNetwork, type Network } from '../network.ts';
import { targetOf } from '../others.ts';
import { get, sessionCreate, sessionCreated } from '../requests.ts';
import type { Target } from '../target.ts';
import {
  connectionsOf,
  cpuBeside,
  type LoadOptions,
  latencyOf,
  microsOf,
  networkSize,
  perSecond,
  shareOfReached,
  timesOf,
  wrongsOf,
} from './load.ts';
import { type ClusterStage, rolesOf, targetOfNode } from './stage.ts';

/** The kind of request that the clients send. */
export type FrontWork =
  | 'current-api-session'
  | 'services list'
  | 'policies list'
  | 'session create';

const works: readonly FrontWork[] = [
  'current-api-session',
  'services list',
  'policies list',
  'session create',
];

/** One work, in turns at three places. */
export interface FrontReadMeasurement {
  readonly work: FrontWork;
  readonly connections: number;
  readonly turns: number;
  /** Requests per second in all turns. */
  readonly rate: number;
  /** CPU per request in µs, medians: of the leader for its own clients and for the follower's. */
  readonly ownMicros: number;
  readonly relayedMicros: number;
  /** The same of the follower for its clients, and of a node without a cluster. */
  readonly frontMicros: number;
  readonly aloneMicros: number;
  /** Medians of the turns. */
  readonly ownP50Ms: number;
  readonly frontP50Ms: number;
  readonly wrong: number;
  readonly wrongSamples: readonly string[];
}

/** A place that is asked, and what is there. */
interface Place {
  readonly target: Target;
  readonly network: Network;
}

/** Measures each work in turns at all places, at the same rate. */
export async function measureFrontReads(
  stage: ClusterStage,
  options: LoadOptions,
): Promise<FrontReadMeasurement[]> {
  const { cluster, generator } = stage;
  const { leader, followers } = await rolesOf(stage);
  const size = { ...networkSize(options.smoke), identities: 100 };
  const placeOf = async (target: Target): Promise<Place> => {
    return { target, network: await makeNetwork(target, generator, size) };
  };
  const own = await placeOf(targetOfNode(cluster.serving(leader)));
  const alone = await placeOf(targetOfNode(await stage.serveAlone()));
  const front = targetOfNode(cluster.serving(followers[0] ?? leader));
  const found: FrontReadMeasurement[] = [];
  for (const work of works) found.push(await inTurns(work, { stage, options, own, alone, front }));
  return found;
}

interface Places {
  readonly stage: ClusterStage;
  readonly options: LoadOptions;
  readonly own: Place;
  readonly alone: Place;
  readonly front: Target;
}

async function inTurns(
  work: FrontWork,
  { stage: { generator }, options, own, alone, front }: Places,
): Promise<FrontReadMeasurement> {
  const sent = new Map<Network, number>();
  const run = async ({ target, network }: Place, port: number, rate?: number) => {
    const firstRequest = work === 'session create' ? (sent.get(network) ?? 0) : 0;
    const result = await generator.run({
      ...targetOf(target),
      ...timesOf(options),
      ...(rate === undefined ? {} : { rate }),
      port,
      connections: connectionsOf(options),
      requestsMax: Number.MAX_SAFE_INTEGER,
      firstRequest,
      ...askedOf(work, network),
    } satisfies Job);
    sent.set(network, firstRequest + result.sent);
    return result;
  };
  const ownPort = own.target.port;
  const reached = [
    await run(own, ownPort),
    await run(own, front.port),
    await run(alone, alone.target.port),
  ];
  const rate = Math.min(...reached.map(perSecond)) * shareOfReached;
  const [atOwn, atFront, atAlone]: JobResult[][] = [[], [], []];
  const frontMicros: number[] = [];
  for (let turn = 0; turn < options.turns; turn++) {
    atOwn?.push(await run(own, ownPort, rate));
    const { result, besideMicros } = await cpuBeside([front.pid], () => run(own, front.port, rate));
    atFront?.push(result);
    frontMicros.push(...besideMicros);
    atAlone?.push(await run(alone, alone.target.port, rate));
  }
  const [owned = [], fronted = [], lonely = []] = [atOwn, atFront, atAlone];
  const wrongs = [...owned, ...fronted, ...lonely].flatMap(wrongsOf);
  return {
    work,
    connections: connectionsOf(options),
    turns: options.turns,
    rate,
    ownMicros: medianOf(owned.map(microsOf)),
    relayedMicros: medianOf(fronted.map(microsOf)),
    frontMicros: medianOf(frontMicros),
    aloneMicros: medianOf(lonely.map(microsOf)),
    ownP50Ms: medianOf(owned.map((result) => latencyOf(result).p50)),
    frontP50Ms: medianOf(fronted.map((result) => latencyOf(result).p50)),
    wrong: wrongs.length,
    wrongSamples: wrongs.slice(0, 5),
  };
}

/** The request of a kind of work, and the answer that is expected. */
export function askedOf(
  work: FrontWork,
  { adminToken, callerTokens, serviceIds }: Network,
): { readonly request: RequestTemplate; readonly expect: Expectation } {
  const list = (kind: string) => ({
    request: get(`/edge/management/v1/${kind}?limit=10`, adminToken),
    expect: { status: 200, includes: '"pagination"' },
  });
  switch (work) {
    case 'current-api-session':
      return {
        request: get('/edge/client/v1/current-api-session', callerTokens),
        expect: { status: 200, includes: '"expiresAt"' },
      };
    case 'services list':
      return list('services');
    case 'policies list':
      return list('service-policies');
    case 'session create':
      return { request: sessionCreate(callerTokens, serviceIds), expect: sessionCreated };
  }
}
