// Session creates on the leader of a cluster, against those on one node without a cluster, and how
// far the followers are behind meanwhile.

import type { Serving } from '../../test/system/process.ts';
import { medianOf } from '../compare.ts';
import { Histogram, type LatencyFigures } from '../load/histogram.ts';
import type { Job, JobResult } from '../load/job.ts';
import { makeNetwork, type Network } from '../network.ts';
import { targetOf } from '../others.ts';
import { sessionCreate, sessionCreated } from '../requests.ts';
import type { Target } from '../target.ts';
import { lagWhile } from './lag.ts';
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

/** Session creates in turns. Lists have one entry per turn. */
export interface ClusterCreateMeasurement {
  readonly connections: number;
  /** Reached in closed loops, per second. */
  readonly aloneReached: number;
  readonly clusterReached: number;
  /** Requests per second in all turns. */
  readonly rate: number;
  /** CPU per create in µs: of the node without a cluster, and of the leader's process. */
  readonly aloneMicros: readonly number[];
  readonly leaderMicros: readonly number[];
  /** Ratio of these two: the median of the turns, the least and the greatest. */
  readonly ratio: number;
  readonly ratioMin: number;
  readonly ratioMax: number;
  readonly aloneP50Ms: readonly number[];
  readonly leaderP50Ms: readonly number[];
  readonly aloneP99Ms: readonly number[];
  readonly leaderP99Ms: readonly number[];
  /** The median of the differences of both p50. */
  readonly addedP50Ms: number;
  /** CPU per create in µs, medians: a follower, and all NATS servers together. */
  readonly followerMicros: number;
  readonly natsMicros: number;
  /** How far followers are behind the leader's answers under this load (see `lagWhile`). */
  readonly lagMs: LatencyFigures;
  readonly lags: number;
  readonly wrong: number;
  readonly wrongSamples: readonly string[];
}

/** Measures both controllers in turns, at the same rate. */
export async function measureClusterCreates(
  stage: ClusterStage,
  options: LoadOptions,
): Promise<ClusterCreateMeasurement> {
  const { turns } = options;
  const { cluster, servers } = stage;
  const { leader, followers } = await rolesOf(stage);
  const alone = await Loaded.open(stage, await stage.serveAlone(), options);
  const leading = await Loaded.open(stage, cluster.serving(leader), options);
  const aloneReached = perSecond(await alone.run());
  const clusterReached = perSecond(await leading.run());
  const rate = Math.min(aloneReached, clusterReached) * shareOfReached;
  const nats = servers.all.map(({ pid }) => pid);
  const others = followers.map((index) => cluster.serving(index).process.child.pid);
  const lag = new Histogram();
  const made: Turn[] = [];
  const wrongs: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const single = await alone.run(rate);
    const { result, besideMicros } = await cpuBeside([...others, ...nats], () => leading.run(rate));
    made.push({ alone: single, leading: result, besideMicros });
    // Apart from the turn, because the probes would count as work of the leader.
    const { adminToken: token } = leading.network;
    const probed = { stage, leader, token, prefix: `probe-${turn}` };
    const load = leading.run(rate);
    const found = await lagWhile(probed, load);
    lag.add(found.histogram.sparse());
    const results = [single, result, await load];
    wrongs.push(...found.wrongs, ...results.flatMap(wrongsOf));
  }
  const ratios = made.map((turn) => microsOf(turn.leading) / microsOf(turn.alone));
  const sum = (micros: readonly number[]) => micros.reduce((total, each) => total + each, 0);
  return {
    connections: connectionsOf(options),
    aloneReached,
    clusterReached,
    rate,
    aloneMicros: made.map((turn) => microsOf(turn.alone)),
    leaderMicros: made.map((turn) => microsOf(turn.leading)),
    ratio: medianOf(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
    ...latenciesOf(made),
    followerMicros: medianOf(made.flatMap(({ besideMicros }) => besideMicros.slice(0, 2))),
    natsMicros: medianOf(made.map(({ besideMicros }) => sum(besideMicros.slice(2)))),
    lagMs: lag.figures(),
    lags: lag.total,
    wrong: wrongs.length,
    wrongSamples: wrongs.slice(0, 5),
  };
}

interface Turn {
  readonly alone: JobResult;
  readonly leading: JobResult;
  /** Of the followers, then of the NATS servers. */
  readonly besideMicros: readonly number[];
}

function latenciesOf(turns: readonly Turn[]) {
  const alone = turns.map((turn) => latencyOf(turn.alone));
  const leading = turns.map((turn) => latencyOf(turn.leading));
  return {
    aloneP50Ms: alone.map(({ p50 }) => p50),
    leaderP50Ms: leading.map(({ p50 }) => p50),
    aloneP99Ms: alone.map(({ p99 }) => p99),
    leaderP99Ms: leading.map(({ p99 }) => p99),
    addedP50Ms: medianOf(leading.map(({ p50 }, turn) => p50 - (alone[turn]?.p50 ?? 0))),
  };
}

/** A controller with its network; no two of its requests are the same. */
class Loaded {
  readonly network: Network;
  readonly #stage: ClusterStage;
  readonly #target: Target;
  readonly #options: LoadOptions;
  #sent = 0;

  private constructor(stage: ClusterStage, target: Target, network: Network, options: LoadOptions) {
    this.#stage = stage;
    this.#target = target;
    this.network = network;
    this.#options = options;
  }

  static async open(stage: ClusterStage, serving: Serving, options: LoadOptions): Promise<Loaded> {
    const target = targetOfNode(serving);
    const network = await makeNetwork(target, stage.generator, networkSize(options.smoke));
    return new Loaded(stage, target, network, options);
  }

  /** A closed loop, or an open one at a rate. */
  async run(rate?: number): Promise<JobResult> {
    const { callerTokens, serviceIds } = this.network;
    const job: Job = {
      ...targetOf(this.#target),
      ...timesOf(this.#options),
      connections: connectionsOf(this.#options),
      ...(rate === undefined ? {} : { rate }),
      firstRequest: this.#sent,
      requestsMax: Number.MAX_SAFE_INTEGER,
      request: sessionCreate(callerTokens, serviceIds),
      expect: sessionCreated,
    };
    const result = await this.#stage.generator.run(job);
    this.#sent += result.sent;
    return result;
  }
}
