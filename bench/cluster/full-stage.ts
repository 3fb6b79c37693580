// A cluster with as many records as a large network has.

import { makeNetwork } from '../network.ts';
import { targetOf } from '../others.ts';
import { sessionCreate, sessionCreated } from '../requests.ts';
import { connectionsOf, networkSize } from './load.ts';
import { type ClusterStage, rolesOf, targetOfNode } from './stage.ts';

/** Fills a cluster. @returns the number of its identities and sessions together */
export async function fillForTakeovers(stage: ClusterStage, smoke: boolean): Promise<number> {
  const { cluster, generator } = stage;
  const { leader } = await rolesOf(stage);
  const target = targetOfNode(cluster.serving(leader));
  const usual = networkSize(smoke);
  const size = smoke ? usual : { ...usual, identities: 100_000 };
  const { callerTokens, serviceIds } = await makeNetwork(target, generator, size);
  const { answered, wrong, wrongSamples } = await generator.run({
    ...targetOf(target),
    connections: connectionsOf({ smoke }),
    warmUpMs: 0,
    measureMs: 3_600_000,
    requestsMax: smoke ? 100 : 1_000_000,
    request: sessionCreate(callerTokens, serviceIds),
    expect: sessionCreated,
  });
  if (wrong > 0) throw new Error(`a session was not created: ${wrongSamples[0]}`);
  return size.identities + answered;
}
