// Terminators as routers ask for them when clients host a service.

import { randomBytes } from 'node:crypto';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, edge, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { type RouterTwin, twinMessages } from '../../test/simulated/router-twin.ts';
import type { ClientTokens, WorkAnswer, WorkJob } from './traffic-job.ts';
import { type Made, measureWork } from './work.ts';

/** Creates terminators in batches, and removes each batch. */
export async function measureTerminators(
  job: WorkJob,
  twins: readonly RouterTwin[],
): Promise<WorkAnswer> {
  return await measureWork(job, twins, {
    create: (twin) => createTerminator(twin, job.tokens),
    remove: (made) => removeTerminators(made),
  });
}

/** Asks for one terminator; it is durable when it is answered. */
export function createTerminator(
  twin: RouterTwin | undefined,
  tokens: ClientTokens,
): Promise<Made> {
  if (twin === undefined) {
    return Promise.resolve({ id: '', twin, wrong: 'the router is not connected' });
  }
  const address = randomBytes(11).toString('hex');
  return new Promise((resolve) => {
    twin.request(twinMessages.createTerminator({ address, ...tokens }), ({ contentType, body }) => {
      if (contentType !== contentTypes.createTerminatorV2Response) {
        resolve({ id: '', twin, wrong: `terminator: ${contentType}` });
        return;
      }
      const answer = decodeMessage(edge.CreateTerminatorV2Response, body);
      const isMade = answer.result === edge.CreateTerminatorResult.SUCCESS;
      const wrong = isMade ? undefined : `terminator: ${answer.result} ${answer.msg}`;
      resolve({ id: answer.terminatorId, twin, wrong });
    });
  });
}

/** One request per router, as routers send when a client goes. */
async function removeTerminators(made: readonly Made[]): Promise<void> {
  const byTwin = Map.groupBy(made, ({ twin }) => twin);
  const removals = [...byTwin].map(async ([twin, ofTwin]) => {
    const terminatorIds = ofTwin.map(({ id }) => id);
    const body = encodeMessage(fabric.RemoveTerminatorsRequest, { terminatorIds });
    await twin?.ask({ contentType: contentTypes.removeTerminators, body });
  });
  await Promise.all(removals);
}
