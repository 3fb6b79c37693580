// The kind of edge routers, routers and transit routers, which share one space of ids and names
// (behaviour/routers#one-space).

import Type from 'typebox';
import { router } from '../../machines/router.ts';
import { noAttributes } from '../declare/kinds/access-vocabulary.ts';
import { field, name, optional, optionalAttributes, references } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { emptyWhereUnset } from './unset-lists.ts';

/** The indexes of its lists among the values of each version. */
const [roleAttributesAt, configsAt] = [12, 15];

/** The stored side of every router. */
export const routerKind = defineKind({
  kind: 'router',
  version: 4,
  fields: {
    state: field(Type.String(), { fallback: 'unverified', write: 'never', show: 'never' }),
    name: name(),
    /** Edge routers carry clients' traffic; the others only carry routers' traffic. */
    isEdge: field(Type.Boolean(), { fallback: true, write: 'never', show: 'never' }),
    cost: field(Type.Integer({ minimum: 0, maximum: 65535 }), { fallback: 0, symbol: 'integer' }),
    noTraversal: field(Type.Boolean(), { fallback: false, symbol: 'boolean' }),
    disabled: field(Type.Boolean(), { fallback: false, symbol: 'boolean' }),
    fingerprint: optional(Type.String(), {
      write: 'never',
      show: 'always',
      symbol: 'string',
      grouped: true,
    }),
    certPem: optional(Type.String(), { write: 'never' }),
    roleAttributes: optionalAttributes(),
    isTunnelerEnabled: field(Type.Boolean(), { fallback: false, symbol: 'boolean' }),
    appData: field(Type.Object({}, { additionalProperties: true }), { fallback: {} }),
    configs: references('config', { inverse: 'routers', onDelete: 'strip', since: 2 }),
    /** Addresses at which routers offer control channels, with the groups of each. */
    ctrlChanListeners: field(
      Type.Record(Type.String(), Type.Array(Type.String({ maxLength: 1000 }))),
      { fallback: {}, since: 2 },
    ),
    /** A new certificate until the router has confirmed it. */
    unverifiedFingerprint: optional(Type.String(), { write: 'never', show: 'always', since: 3 }),
    unverifiedCertPem: optional(Type.String(), { write: 'never', show: 'always', since: 3 }),
  },
  // Version 1 had no list of configs that was never set. Version 4 may lack lists.
  migrations: { 1: (values) => [...values, [], {}] },
  downgrades: { 4: emptyWhereUnset(roleAttributesAt, configsAt) },
  many: [
    'enrollments',
    'terminators',
    'edgeRouterPolicies',
    'serviceEdgeRouterPolicies',
    'presences',
    'links',
    'incomingLinks',
  ],
  machine: { declaration: router, creates: 'create', removes: 'remove' },
  member: {
    space: 'router',
    attributes: (record) => (record.isEdge ? (record.roleAttributes ?? noAttributes) : undefined),
  },
});

/** A stored router. */
export type RouterRecord = RecordOf<typeof routerKind.fields>;
