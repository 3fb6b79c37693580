// Reads at a follower while the leader writes: they wait until the follower has applied what was
// confirmed when they came, so they take as long as the follower is behind.

import { medianOf } from '../compare.ts';
import { Histogram } from '../load/histogram.ts';
import { Marks } from '../marks.ts';
import { makeNetwork } from '../network.ts';
import { targetOf } from '../others.ts';
import { get, sessionCreate, sessionCreated } from '../requests.ts';
import { lagWhile } from './lag.ts';
import {
  connectionsOf,
  type LoadOptions,
  latencyOf,
  networkSize,
  timesOf,
  wrongsOf,
} from './load.ts';
import { type ClusterStage, rolesOf, targetOfNode } from './stage.ts';

/** The reads, and the lag of the followers in the same turns. */
export interface ReadsUnderWritesMeasurement {
  readonly turns: number;
  /** Of each, per second. */
  readonly rate: number;
  /** The median of the turns. */
  readonly readP50Ms: number;
  /** Of all probes. */
  readonly lagP50Ms: number;
  readonly wrong: number;
  readonly wrongSamples: readonly string[];
}

/** Session creates at the leader per second, and as many reads at a follower. */
const rate = 500;

/** Measures reads under writes, and the lag beside them. */
export async function measureReadsUnderWrites(
  stage: ClusterStage,
  options: LoadOptions,
): Promise<ReadsUnderWritesMeasurement> {
  const { cluster, generator } = stage;
  const { leader, followers } = await rolesOf(stage);
  const own = targetOfNode(cluster.serving(leader));
  const front = targetOfNode(cluster.serving(followers[0] ?? leader));
  const size = { ...networkSize(options.smoke), identities: 100 };
  const network = await makeNetwork(own, generator, size, new Marks('written-'));
  const { adminToken: token, callerTokens, serviceIds } = network;
  const common = {
    ...timesOf(options),
    rate,
    connections: connectionsOf(options),
    requestsMax: Number.MAX_SAFE_INTEGER,
  };
  const lag = new Histogram();
  const p50s: number[] = [];
  const wrongs: string[] = [];
  let firstRequest = 0;
  for (let turn = 0; turn < options.turns; turn++) {
    const request = sessionCreate(callerTokens, serviceIds);
    const writes = { ...targetOf(own), ...common, request, expect: sessionCreated, firstRequest };
    const reads = {
      ...targetOf(front),
      ...common,
      request: get('/edge/management/v1/services?limit=10', token),
      expect: { status: 200, includes: '"pagination"' },
    };
    const load = generator.runTogether([writes, reads]);
    const probed = await lagWhile({ stage, leader, token, prefix: `written-${turn}` }, load);
    const [written, read] = await load;
    if (written === undefined || read === undefined) throw new Error('the load has no result');
    lag.add(probed.histogram.sparse());
    p50s.push(latencyOf(read).p50);
    wrongs.push(...probed.wrongs, ...wrongsOf(written), ...wrongsOf(read));
    firstRequest += written.sent;
  }
  return {
    turns: options.turns,
    rate,
    readP50Ms: medianOf(p50s),
    lagP50Ms: lag.figures().p50,
    wrong: wrongs.length,
    wrongSamples: wrongs.slice(0, 5),
  };
}
