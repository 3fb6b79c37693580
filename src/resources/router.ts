// The kind behind edge routers, routers and transit routers: one id and name space (behaviour
// §10.1.1).

import Type from 'typebox';
import { router } from '../../machines/router.ts';
import { attributes, field, name, optional, references } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';
import type { Context } from '../declare/operation.ts';
import type { RouterHello } from '../ports.ts';

/** The stored side of every router. */
export const routerKind = defineKind({
  kind: 'router',
  version: 2,
  fields: {
    state: field(Type.String(), { fallback: 'unverified', write: 'never', show: 'never' }),
    name: name(),
    /** Edge routers carry clients' traffic; the others only routers'. */
    isEdge: field(Type.Boolean(), { fallback: true, write: 'never', show: 'never' }),
    cost: field(Type.Integer({ minimum: 0, maximum: 65535 }), { fallback: 0, symbol: 'integer' }),
    noTraversal: field(Type.Boolean(), { fallback: false, symbol: 'boolean' }),
    disabled: field(Type.Boolean(), { fallback: false, symbol: 'boolean' }),
    fingerprint: optional(Type.String(), { write: 'never', show: 'always', symbol: 'string' }),
    certPem: optional(Type.String(), { write: 'never' }),
    roleAttributes: attributes(),
    isTunnelerEnabled: field(Type.Boolean(), { fallback: false, symbol: 'boolean' }),
    appData: field(Type.Object({}, { additionalProperties: true }), { fallback: {} }),
    configs: references('config', { inverse: 'routers', onDelete: 'refuse' }),
    /** Addresses at which routers offer control channels, each with the groups it is for. */
    ctrlChanListeners: field(
      Type.Record(Type.String(), Type.Array(Type.String({ maxLength: 1000 }))),
      { fallback: {} },
    ),
  },
  // Version 2 appends configs and ctrlChanListeners.
  migrations: { 1: (values) => [...values, [], {}] },
  many: ['enrollments', 'terminators', 'edgeRouterPolicies', 'serviceEdgeRouterPolicies'],
  machine: { declaration: router, creates: 'create', removes: 'remove' },
  member: {
    space: 'router',
    attributes: (record) => (record.isEdge ? record.roleAttributes : undefined),
  },
});

/** A stored router. */
export type RouterRecord = RecordOf<typeof routerKind.fields>;

/**
 * What a router's control channel told, or what stands in while there is none (behaviour §10.1.6,
 * §10.1.8).
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

/**
 * An edge router as clients see it (spec/1 "Edge router as seen by a client"), without Base, as
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
