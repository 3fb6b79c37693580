// The kind of edge routers, routers and transit routers, which share ids and names
// (behaviour/routers#one-space).

import Type from 'typebox';
import type { Context } from '../../declare/operation.ts';
import type { RouterHello } from '../../ports.ts';
import type { RouterRecord } from '../../records/router.ts';

/**
 * The data from a router's control channel, or the substitute while there is none
 * (behaviour/routers#connection).
 */
export function presenceOf(
  { env }: Pick<Context, 'env'>,
  id: string,
): RouterHello & { readonly isOnline: boolean; readonly syncStatus: string } {
  const hello = env.presence.hello(id);
  return hello === undefined ? offline : { ...hello, isOnline: true, syncStatus: 'SYNC_DONE' };
}

const offline = {
  isOnline: false,
  syncStatus: 'SYNC_UNKNOWN',
  hostname: '',
  supportedProtocols: {},
  version: { arch: '', buildDate: '', os: '', revision: '', version: '' },
};

/** Schemas of the fields that an edge router shows to clients, without Base. */
export const commonProperties = {
  appData: Type.Record(Type.String(), Type.Unknown()),
  cost: Type.Integer(),
  disabled: Type.Boolean(),
  hostname: Type.String(),
  isOnline: Type.Boolean(),
  name: Type.String(),
  noTraversal: Type.Boolean(),
  supportedProtocols: Type.Record(Type.String(), Type.String()),
  syncStatus: Type.String(),
};

/**
 * An edge router as clients see it (behaviour/routers#client-view), without Base, as
 * JSON text.
 */
export function commonText(context: Context, record: RouterRecord): string {
  const { isOnline, syncStatus, hostname, supportedProtocols } = presenceOf(context, record.id);
  const { appData, cost, disabled, name: label, noTraversal } = record;
  return JSON.stringify({
    appData,
    cost,
    disabled,
    hostname,
    isOnline,
    name: label,
    noTraversal,
    supportedProtocols,
    syncStatus,
  });
}
