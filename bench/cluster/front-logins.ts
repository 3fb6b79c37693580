// Logins by certificate, each over a new connection: what they cost the leader when clients connect
// to it, and when they connect to a follower, which does their handshakes.

import { clientKey } from '../client-key.ts';
import { medianOf } from '../compare.ts';
import { enrolledChains } from '../enrolled.ts';
import type { ClientCertificates, Job, JobResult } from '../load/job.ts';
import { makeNetwork, type Network } from '../network.ts';
import { targetOf } from '../others.ts';
import { certificateLogin } from '../requests.ts';
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

/** Logins in turns. */
export interface FrontLoginMeasurement {
  readonly connections: number;
  /** Reached in closed loops, per second. */
  readonly ownReached: number;
  readonly relayedReached: number;
  /** Logins per second in all turns. */
  readonly rate: number;
  /** CPU of the leader per login in µs, one per turn: through its own front, and a follower's. */
  readonly ownMicros: readonly number[];
  readonly relayedMicros: readonly number[];
  /** Ratio of the second to the first: the median of the turns, the least and the greatest. */
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
  /** CPU of that follower per login, the median. */
  readonly frontMicros: number;
  /** Medians of the turns, with the handshake. */
  readonly ownP50Ms: number;
  readonly relayedP50Ms: number;
  readonly wrong: number;
  readonly wrongSamples: readonly string[];
}

/** Identities that log in. */
const holders = 64;

/** Measures both ways in turns, at the same rate. */
export async function measureFrontLogins(
  stage: ClusterStage,
  options: LoadOptions,
): Promise<FrontLoginMeasurement> {
  const { cluster, generator } = stage;
  const { leader, followers } = await rolesOf(stage);
  const leading = targetOfNode(cluster.serving(leader));
  const front = targetOfNode(cluster.serving(followers[0] ?? leader));
  const network = await makeNetwork(leading, generator, { ...networkSize(true), identities: 100 });
  const client = await clientCertificates(leading, network, options);
  const logIn = (port: number, rate?: number): Promise<JobResult> =>
    // Whichever front is used, the CPU is that of the leader.
    generator.run({ ...jobOf(options, client, rate), ...targetOf(leading), port });
  const ownReached = perSecond(await logIn(leading.port));
  const relayedReached = perSecond(await logIn(front.port));
  const rate = Math.min(ownReached, relayedReached) * shareOfReached;
  const own: JobResult[] = [];
  const relayed: JobResult[] = [];
  const frontMicros: number[] = [];
  for (let turn = 0; turn < options.turns; turn++) {
    own.push(await logIn(leading.port, rate));
    const { result, besideMicros } = await cpuBeside([front.pid], () => logIn(front.port, rate));
    relayed.push(result);
    frontMicros.push(...besideMicros);
  }
  const ratios = relayed.map((result, turn) => microsOf(result) / microsOf(own[turn] ?? result));
  const wrongs = [...own, ...relayed].flatMap(wrongsOf);
  return {
    connections: connectionsOf(options),
    ownReached,
    relayedReached,
    rate,
    ownMicros: own.map(microsOf),
    relayedMicros: relayed.map(microsOf),
    ratio: medianOf(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    frontMicros: medianOf(frontMicros),
    ownP50Ms: medianOf(own.map((result) => latencyOf(result).p50)),
    relayedP50Ms: medianOf(relayed.map((result) => latencyOf(result).p50)),
    wrong: wrongs.length,
    wrongSamples: wrongs.slice(0, 5),
  };
}

/** Enrolls identities that log in by certificate. */
export async function clientCertificates(
  target: Target,
  { adminToken, bulk, marks }: Network,
  { smoke }: Pick<LoadOptions, 'smoke'>,
): Promise<ClientCertificates> {
  const enrolling = { target, adminToken, bulk, marks, runName: 'fronts' };
  const chains = await enrolledChains(enrolling, smoke ? 8 : holders);
  return { key: (await clientKey()).keyPem, chains };
}

function jobOf(
  options: LoadOptions,
  client: ClientCertificates,
  rate: number | undefined,
): Omit<Job, keyof ReturnType<typeof targetOf>> {
  return {
    ...timesOf(options),
    ...(rate === undefined ? {} : { rate }),
    client,
    isFresh: true,
    connections: connectionsOf(options),
    requestsMax: Number.MAX_SAFE_INTEGER,
    ...certificateLogin,
  };
}
