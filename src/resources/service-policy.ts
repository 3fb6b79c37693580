// Service policies: which identities may dial or bind which services (spec/1 "ServicePolicy",
// behaviour §3.3).

import Type from 'typebox';
import { parseAccessType } from '../access/roles.ts';
import type { AccessType } from '../access/vocabulary.ts';
import { defineResource } from '../declare/crud.ts';
import { type Field, field, name, roles } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';
import { fieldError } from '../errors.ts';
import { checkPolicy, type RoleList, rolesDisplays, semanticField } from './policy-fields.ts';

/** The stored side of service policies. */
export const servicePolicyKind = defineKind({
  kind: 'servicePolicy',
  version: 1,
  fields: {
    name: name(),
    type: field(Type.String({ maxLength: 100 }), {
      required: true,
      symbol: 'string',
      answerSchema: Type.Union([Type.Literal('Dial'), Type.Literal('Bind')]),
    }) as Field<AccessType>,
    semantic: semanticField(),
    identityRoles: roles('identity', { inverse: 'servicePolicies' }),
    serviceRoles: roles('service', { inverse: 'servicePolicies' }),
    postureCheckRoles: roles('postureCheck', { inverse: 'servicePolicies' }),
  },
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

const lists: readonly RoleList[] = [
  { field: 'identityRoles', kind: 'identity', space: 'identity' },
  { field: 'serviceRoles', kind: 'service', space: 'service' },
  { field: 'postureCheckRoles', kind: 'postureCheck', space: 'postureCheck' },
];

/** Service policies in the management API. */
export const servicePolicies = defineResource({
  kind: servicePolicyKind,
  path: 'service-policies',
  title: 'service policy',
  names: { one: 'ServicePolicy', many: 'ServicePolicies' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  links: { services: 'services', identities: 'identities', 'posture-checks': 'posture-checks' },
  joined: rolesDisplays(lists),
  symbols: [
    ...['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'name', 'type', 'semantic'],
    ...['identityRoles', 'serviceRoles', 'postureCheckRoles', 'identities', 'services'],
  ],
  deleteConflicts: true,
  check(context, draft) {
    if (parseAccessType(draft.type) === undefined) {
      throw fieldError('type', 'must be Dial or Bind', draft.type);
    }
    checkPolicy(context, draft, lists);
  },
  example: {
    name: 'staff dial printers',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#staff'],
    serviceRoles: ['#printers'],
  },
});
