// Those who go on asking while something large happens: what they wait shows what it costs others.

import type { Job } from './load/job.ts';
import type { Network } from './network.ts';
import { get } from './requests.ts';
import type { ControllerProcess } from './server/controller-process.ts';

/** Connections of those who go on asking. */
const otherConnections = 8;

/** `current-api-session` over kept-alive connections, by each of the callers in turn. */
export function othersJob(
  controller: ControllerProcess,
  { callerTokens }: Network,
): Omit<Job, 'measureMs'> {
  return {
    ...targetOf(controller),
    connections: otherConnections,
    warmUpMs: 0,
    requestsMax: Number.MAX_SAFE_INTEGER,
    request: get('/edge/client/v1/current-api-session', callerTokens),
    expect: { status: 200, includes: '"expiresAt"' },
  };
}

/** The part of a job that says where it goes, and that it begins anew. */
export function targetOf({ host, port, caFile, pid }: ControllerProcess) {
  return { host, port, caFile, serverPid: pid, firstRequest: 0, collectIds: false } as const;
}
