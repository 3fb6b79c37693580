// Services: what identities dial and bind (behaviour/services).

import Type from 'typebox';
import { noAttributes } from '../declare/kinds/access-vocabulary.ts';
import { field, name, optionalAttributes, references } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { emptyWhereUnset } from './unset-lists.ts';

/** How terminators are chosen (behaviour/services#strategies). */
const strategies = ['smartrouting', 'weighted', 'random', 'sticky'] as const;

/** The indexes of its lists among the values of each version. */
const [configsAt, roleAttributesAt] = [5, 8];
const isFabricOnlyAt = 10;

/** The stored side of services. */
export const serviceKind = defineKind({
  kind: 'service',
  version: 3,
  fields: {
    name: name(),
    configs: references('config', { inverse: 'services', onDelete: 'refuse' }),
    encryptionRequired: field(Type.Boolean(), { required: true, write: 'create' }),
    maxIdleTimeMillis: field(Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1 }), { fallback: 0 }),
    roleAttributes: optionalAttributes(),
    terminatorStrategy: field(Type.Enum([...strategies, '']), {
      fallback: 'smartrouting',
      symbol: 'string',
      fromJson: (json) => (json === '' ? 'smartrouting' : json),
    }),
    /** The fabric API has created it: the edge APIs do not show it, and no policy selects it. */
    isFabricOnly: field(Type.Boolean(), {
      fallback: false,
      write: 'never',
      show: 'never',
      grouped: true,
      symbol: 'boolean',
      since: 3,
    }),
  },
  // Version 2 may lack lists that were never set.
  downgrades: {
    2: emptyWhereUnset(configsAt, roleAttributesAt),
    // Only a request sets it, which is refused while version 2 is written.
    3: (values) => (values[isFabricOnlyAt] === true ? undefined : values.slice(0, isFabricOnlyAt)),
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
  member: {
    space: 'service',
    attributes: (record) =>
      record.isFabricOnly ? undefined : (record.roleAttributes ?? noAttributes),
  },
});

/** A stored service. */
export type ServiceRecord = RecordOf<typeof serviceKind.fields>;
