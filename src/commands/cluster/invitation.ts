// How `join` gets the keys by what `invite` has printed (behaviour/cluster#operating).

import { reasonOf } from '../../../snapshots/errors.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { HttpsFetch } from '../../client/https-fetch.ts';
import { type InvitationFacts, readInvitation } from '../../cluster/node/invitation-text.ts';
import { StartProblem } from '../../errors/errors.ts';
import { sharedFileName } from '../../pki/shared-keys.ts';
import { CommandFailure } from '../network/command-failure.ts';
import { trustedRoots } from '../network/connection/trust.ts';

/**
 * How long a node may take to hand over the keys, a change of leaders included.
 * @bound per request
 */
const keysMsMax = 30_000;

/**
 * Gets the keys of the cluster that an invitation is to, from the first of its nodes that answers.
 * @throws StartProblem for a text that is none, and if no node hands them over
 */
export async function keysByInvitation(
  text: string,
  context: ProcessContext,
): Promise<ReadonlyMap<string, Buffer>> {
  const invitation = readInvitation(text.trim());
  if (invitation === undefined) {
    throw new StartProblem(
      '--invite is not what edge-control cluster invite has printed: copy the whole line.',
    );
  }
  const failures: string[] = [];
  for (const address of invitation.addresses) {
    try {
      return await keysFrom(address, invitation, context);
    } catch (error) {
      if (error instanceof StartProblem) throw error;
      failures.push(`${address}: ${reasonOf(error)}`);
    }
  }
  throw new StartProblem(`No node of the cluster hands its keys over: ${failures.join('; ')}.`);
}

async function keysFrom(
  address: string,
  { pin, key, id, secret }: InvitationFacts,
  context: ProcessContext,
): Promise<ReadonlyMap<string, Buffer>> {
  const url = `https://${address}`;
  const ca = await rootsAt(url, pin, context);
  const https = new HttpsFetch({ ca, key, connectionsMax: 1, timeoutMs: keysMsMax });
  const options = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const sent = JSON.stringify({ id, secret });
  // It may be used up from here on, so no other node is asked.
  try {
    const answer = await https.send(`${url}/fabric/v1/cluster/redeem-invitation`, options, sent);
    if (answer.status === 401) throw new Error('it was used before, or is over');
    if (answer.status !== 200) throw new Error(`it is answered ${answer.status}`);
    const { data } = (await answer.json()) as { readonly data?: { readonly files?: unknown } };
    return filesIn(data?.files);
  } catch (error) {
    throw new StartProblem(
      `The invitation gave no keys at ${address}: ${reasonOf(error)}. Ask for another one.`,
    );
  }
}

async function rootsAt(url: string, pin: string, context: ProcessContext): Promise<string> {
  try {
    return await trustedRoots(url, pin, context);
  } catch (error) {
    if (error instanceof CommandFailure) throw new Error(error.message);
    throw error;
  }
}

function filesIn(sent: unknown): ReadonlyMap<string, Buffer> {
  if (!Array.isArray(sent)) throw new Error('it sends no keys');
  const files = new Map<string, Buffer>();
  for (const { name, base64 } of sent as readonly Partial<Record<string, unknown>>[]) {
    if (typeof name !== 'string' || !sharedFileName.test(name) || typeof base64 !== 'string') {
      throw new Error('it sends a file that is no key');
    }
    files.set(name, Buffer.from(base64, 'base64'));
  }
  return files;
}
