// What servers tell at their monitoring ports: whether they sync each message before they
// acknowledge it, where they let us see it.

import type { Fetch } from '../../platform/ports.ts';
import { formatHostPort, type HostPort } from '../../settings/setting-type.ts';
import { reasonOf } from './failure.ts';

const answerBounds = { timeoutMs: 3000, bodyBytesMax: 1024 * 1024, redirectsMax: 0 };

/**
 * One sentence per server that acknowledges what is only in the memory of the operating system, or
 * that cannot be asked. NATS tells it at its monitoring port and to its system account, and to no
 * other account. Never rejects.
 */
export async function syncFaults(
  fetch: Fetch,
  monitoring: readonly HostPort[],
): Promise<readonly string[]> {
  const faults = await Promise.all(monitoring.map((at) => faultOf(fetch, formatHostPort(at))));
  return faults.filter((fault) => fault !== undefined);
}

/** What a server tells of its JetStream; rejects if it does not answer there. */
export async function askMonitoring(fetch: Fetch, address: string): Promise<unknown> {
  const { status, body } = await fetch(`http://${address}/jsz?config=true`, answerBounds);
  if (status !== 200) throw new Error(`it answers with status ${status}`);
  return JSON.parse(body.toString());
}

async function faultOf(fetch: Fetch, address: string): Promise<string | undefined> {
  let why = 'its answer does not tell';
  try {
    const config = fieldOf(await askMonitoring(fetch, address), 'config');
    if (typeof config === 'object' && config !== null) {
      return fieldOf(config, 'sync_always') === true
        ? undefined
        : `The NATS server with the monitoring port ${address} lacks sync_interval: always, and can lose messages.`;
    }
  } catch (error) {
    why = reasonOf(error).replace(/\.$/, '');
  }
  return `The monitoring port ${address} of a NATS server does not show whether that server has sync_interval: always (${why}): see to the server and to cluster.monitoring.`;
}

/** A field of what a server told; undefined if there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
