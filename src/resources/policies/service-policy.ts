// Service policies: which identities may dial or bind which services (behaviour/policies#families).

import { parseAccessType } from '../../access/roles.ts';
import { fieldError } from '../../errors/errors.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import { defineResource } from '../context.ts';
import { checkPolicy, rolesDisplays } from './policy-fields.ts';

/** Service policies in the management API. */
export const servicePolicies = defineResource({
  kind: servicePolicyKind,
  path: 'service-policies',
  answered: 'here',
  title: 'service policy',
  names: { one: 'ServicePolicy', many: 'ServicePolicies' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'service-policy',
  links: { services: 'services', identities: 'identities', 'posture-checks': 'posture-checks' },
  joined: rolesDisplays(servicePolicyKind),
  alsoFiltered: ['identities', 'services'],
  deleteConflicts: true,
  check(context, draft) {
    if (parseAccessType(draft.type) === undefined) {
      throw fieldError('type', 'must be Dial or Bind', draft.type);
    }
    checkPolicy(context, draft, servicePolicyKind);
  },
  example: {
    name: 'staff dial printers',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#staff'],
    serviceRoles: ['#printers'],
  },
});
