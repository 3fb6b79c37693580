// Circuits as a router asks for them: over itself alone, ended by the fault that routers report
// when a client closes.

import type { Message } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { type RouterTwin, twinMessages } from '../../test/simulated/router-twin.ts';
import type { DialRight, WorkAnswer, WorkJob } from './traffic-job.ts';
import { type Made, measureWork } from './work.ts';

/** The header with the id of the circuit in an answer. */
const circuitIdHeader = 11;

/** Creates circuits in batches, and ends each batch. */
export async function measureCircuits(
  job: WorkJob<DialRight>,
  twins: readonly RouterTwin[],
): Promise<WorkAnswer> {
  return await measureWork(job, twins, {
    create: (twin) => createCircuit(twin, job.tokens),
    remove: (made) => endCircuits(made),
  });
}

/** Asks for one circuit. */
export function createCircuit(
  twin: RouterTwin | undefined,
  right: DialRight | undefined,
): Promise<Made> {
  if (twin === undefined || right === undefined) {
    return Promise.resolve({ id: '', twin, wrong: 'the router is not connected' });
  }
  return new Promise((resolve) => {
    const [request, made] = requestBy(right);
    twin.request(request, ({ contentType, headers, body }) => {
      const id = headers.get(circuitIdHeader)?.toString() ?? '';
      const isMade = contentType === made;
      const wrong = isMade ? undefined : `circuit: ${contentType} ${body.toString()}`;
      resolve({ id, twin, wrong });
    });
  });
}

/** The request of a client, and the type of a good answer. */
function requestBy(right: DialRight): readonly [request: Message, made: number] {
  return 'accessToken' in right
    ? [twinMessages.createCircuitByJwt(right), contentTypes.createCircuitV3Response]
    : [twinMessages.createCircuit(right), contentTypes.createCircuitV2Response];
}

/** The circuits whose end the routers have not been told yet. */
const due = new Set<string>();
let onAllTold: () => void = () => undefined;

/** A router was told that a circuit has ended. */
export function unrouted(body: Buffer): void {
  if (due.size === 0) return;
  due.delete(decodeMessage(fabric.Unroute, body).circuitId);
  if (due.size === 0) onAllTold();
}

/** Ends them, and waits until the routers were told. */
async function endCircuits(made: readonly Made[]): Promise<void> {
  if (made.length === 0) return;
  for (const { id } of made) due.add(id);
  await new Promise<void>((resolve) => {
    onAllTold = resolve;
    for (const { id, twin } of made) twin?.send(faultOf(id));
  });
}

function faultOf(id: string) {
  const subject = fabric.FaultSubject.INGRESS;
  return { contentType: contentTypes.fault, body: encodeMessage(fabric.Fault, { subject, id }) };
}
