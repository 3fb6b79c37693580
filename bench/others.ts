// Clients that send requests during a large operation. Their waiting times show its cost for
// others.

import type { Job } from './load/job.ts';
import type { Network } from './network.ts';
import { get } from './requests.ts';
import type { Target } from './target.ts';

/** Connections of these clients. */
const otherConnections = 8;

/** `current-api-session` over kept-alive connections, by each of the callers in turn. */
export function othersJob(controller: Target, { callerTokens }: Network): Omit<Job, 'measureMs'> {
  return {
    ...targetOf(controller),
    connections: otherConnections,
    warmUpMs: 0,
    requestsMax: Number.MAX_SAFE_INTEGER,
    request: get('/edge/client/v1/current-api-session', callerTokens),
    expect: { status: 200, includes: '"expiresAt"' },
  };
}

/** The part of a job that names its target and resets it. */
export function targetOf({ host, port, serverName, caFile, pid }: Target) {
  const place = { host, port, serverName, caFile, serverPid: pid };
  return { ...place, firstRequest: 0, collectIds: false } as const;
}
