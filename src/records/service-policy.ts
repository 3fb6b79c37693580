// Service policies: which identities may dial or bind which services (behaviour/policies#families).

import Type from 'typebox';
import type { AccessType } from '../declare/kinds/access-vocabulary.ts';
import { type Field, field, name, roles } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { semanticField } from './semantic-field.ts';
import { emptyWhereUnset } from './unset-lists.ts';

/** The indexes of its lists among the values of each version. */
const [identityRolesAt, serviceRolesAt, postureCheckRolesAt] = [7, 8, 9];

/** The stored side of service policies. */
export const servicePolicyKind = defineKind({
  kind: 'servicePolicy',
  version: 2,
  fields: {
    name: name(),
    type: field(Type.String({ maxLength: 100 }), {
      required: true,
      symbol: 'string',
      answerSchema: Type.Enum(['Dial', 'Bind']),
    }) as Field<AccessType>,
    semantic: semanticField(),
    identityRoles: roles('identity', { inverse: 'servicePolicies' }),
    serviceRoles: roles('service', { inverse: 'servicePolicies' }),
    postureCheckRoles: roles('postureCheck', { inverse: 'servicePolicies' }),
  },
  // Version 2 may lack lists that were never set.
  downgrades: { 2: emptyWhereUnset(identityRolesAt, serviceRolesAt, postureCheckRolesAt) },
  many: [],
  policy: {
    family: 'servicePolicy',
    sides: {
      identity: 'identityRoles',
      service: 'serviceRoles',
      postureCheck: 'postureCheckRoles',
    },
    type: (record) => record.type,
  },
});

/** A stored service policy. */
export type ServicePolicyRecord = RecordOf<typeof servicePolicyKind.fields>;
