// An edge router as the clients that may use it see it.

import Type from 'typebox';
import type { RouterRecord } from '../../records/router.ts';
import type { Context } from '../context.ts';
import { presenceOf } from './presence.ts';

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
