// What is known of routers and API sessions while some router is connected.

import type { Message } from '../../channel/channel-api.ts';
import type { CertificateExpiries } from './certificate-expiries.ts';
import type { RouterGroups, SyncedRouter } from './router-groups.ts';
import type { ApiSessionRow } from './session-chunks.ts';
import type { SessionGroups } from './session-groups.ts';
import type { SyncJobs, SyncStatus } from './sync-jobs.ts';

/** An API session that routers are told of once a frame is durable. */
export interface Awaited {
  readonly lsn: number;
  readonly row: ApiSessionRow;
  /** Whether only its certificates have changed. */
  readonly isUpdate: boolean;
}

/** There is none while no router is connected. */
export interface KnownSessions {
  readonly sessions: SessionGroups;
  readonly routers: RouterGroups;
  readonly jobs: SyncJobs;
  readonly status: SyncStatus;
  readonly expiries: CertificateExpiries;
  /** Whether all API sessions are in their groups; undefined before that was begun. */
  isWhole: boolean | undefined;
  /** Whether the policies of routers, or of identities, may have changed since they were read. */
  areRoutersStale: boolean;
  areIdentitiesStale: boolean;
  isCatchingUp: boolean;
  /** Ascending by LSN. */
  awaited: Awaited[];
}

/**
 * Sends what takes access. A router that was not greeted yet may know API sessions of an earlier
 * connection.
 */
export function take(routers: Iterable<SyncedRouter>, message: Message): void {
  for (const { router } of routers) router.channel.send(message);
}

/** The routers among these that expect additions: a full state that has not begun has them. */
export function expecting(
  { isWhole }: KnownSessions,
  routers: Iterable<SyncedRouter>,
): SyncedRouter[] {
  const found: SyncedRouter[] = [];
  if (!isWhole) return found;
  for (const router of routers) {
    const isToBegin = router.job?.isFull && router.job.id === '';
    if (router.isGreeted && !isToBegin) found.push(router);
  }
  return found;
}

/** While a router is being sent a lot, that alone may take up its usual share. */
const shareWithJob = 4;

/**
 * Sends what gives access. A router that does not drain gets a full state later instead.
 * @param told gets the routers that the message was sent to
 */
export function give(
  { jobs, status }: KnownSessions,
  routers: Iterable<SyncedRouter>,
  message: Message,
  told?: Set<SyncedRouter>,
): void {
  for (const router of routers) {
    const { id, channel } = router.router;
    const bytesMax = jobs.routerBytesMax * (router.job === undefined ? 1 : shareWithJob);
    if (channel.unsentBytes <= bytesMax) {
      channel.send(message);
      told?.add(router);
    } else {
      status.resync(id);
      jobs.full(router);
    }
  }
}
