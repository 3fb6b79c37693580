// Services: what identities dial and bind (behaviour/services).

import Type from 'typebox';
import { attributes, field, name, references } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';

/** How terminators are chosen (behaviour/services#strategies). */
const strategies = ['smartrouting', 'weighted', 'random', 'sticky'] as const;

/** The stored side of services. */
export const serviceKind = defineKind({
  kind: 'service',
  version: 1,
  fields: {
    name: name(),
    configs: references('config', { inverse: 'services', onDelete: 'refuse' }),
    encryptionRequired: field(Type.Boolean(), { required: true, write: 'create' }),
    maxIdleTimeMillis: field(Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1 }), { fallback: 0 }),
    roleAttributes: attributes(),
    terminatorStrategy: field(Type.Enum([...strategies, '']), {
      fallback: 'smartrouting',
      symbol: 'string',
      fromJson: (json) => (json === '' ? 'smartrouting' : json),
    }),
  },
  many: [
    'servicePolicies',
    'serviceEdgeRouterPolicies',
    'terminators',
    'sessions',
    'hostingCosts',
    'hostingPrecedences',
    'overridingIdentities',
  ],
  member: { space: 'service', attributes: (record) => record.roleAttributes },
});

/** A stored service. */
export type ServiceRecord = RecordOf<typeof serviceKind.fields>;
