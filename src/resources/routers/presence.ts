// What is known of a router while its control channel is up, and what is shown while it is not.

import type { RouterPresenceRecord } from '../../records/router-presence.ts';
import { syncStatusOf } from '../../routers/presences.ts';
import type { Context } from '../context.ts';

/** The parts of a presence that views show. */
export interface ShownPresence
  extends Pick<
    RouterPresenceRecord,
    'hostname' | 'supportedProtocols' | 'versionInfo' | 'interfaces' | 'capabilities'
  > {
  readonly isOnline: boolean;
  readonly syncStatus: string;
}

/**
 * The data from a router's control channel, or the substitute while there is none
 * (behaviour/control-channel#presence).
 */
export function presenceOf({ env }: Pick<Context, 'env'>, id: string): ShownPresence {
  const presence = env.presence.of(id);
  if (presence === undefined) return offline;
  const { hostname, supportedProtocols, versionInfo, interfaces, capabilities } = presence;
  const syncStatus = syncStatusOf(presence);
  const told = { hostname, supportedProtocols, versionInfo, interfaces, capabilities };
  return { ...told, isOnline: true, syncStatus };
}

/** The capabilities of routers that have names, by their numbers in the hello. */
export const routerCapabilities: ReadonlyMap<number, string> = new Map([
  [1, 'MULTI_CHANNEL'],
  [2, 'CONNECT_V2'],
  [4, 'SERVICE_SUBSCRIPTIONS'],
  [5, 'POSTURE_CHECKS'],
  [6, 'BIND_SUCCESS'],
]);

const offline: ShownPresence = {
  isOnline: false,
  syncStatus: 'SYNC_UNKNOWN',
  hostname: '',
  supportedProtocols: {},
  versionInfo: { arch: '', buildDate: '', os: '', revision: '', version: '' },
  interfaces: [],
  capabilities: [],
};
