// Edge router policies: which identities may use which edge routers (behaviour/policies#families).

import Type from 'typebox';
import { ApiError } from '../../errors/errors.ts';
import { edgeRouterPolicyKind } from '../../records/edge-router-policy.ts';
import { defineResource } from '../context.ts';
import { checkPolicy, rolesDisplays } from './policy-fields.ts';

/** Edge router policies in the management API. */
export const edgeRouterPolicies = defineResource({
  kind: edgeRouterPolicyKind,
  path: 'edge-router-policies',
  answered: 'here',
  title: 'edge router policy',
  names: { one: 'EdgeRouterPolicy', many: 'EdgeRouterPolicies' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'edge-router-policy',
  links: { identities: 'identities', 'edge-routers': 'edge-routers' },
  joined: {
    ...rolesDisplays(edgeRouterPolicyKind),
    isSystem: { schema: Type.Boolean(), text: (record) => String(record.isSystem ?? false) },
  },
  deleteConflicts: true,
  check: (context, draft) => checkPolicy(context, draft, edgeRouterPolicyKind),
  removing(_context, record) {
    // The policy of a tunneler router is deleted only with its router
    // (behaviour/records#conflicts).
    if (record.isSystem) throw new ApiError('ENTITY_CAN_NOT_BE_DELETED', { status: 409 });
  },
  example: {
    name: 'everybody through public routers',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    edgeRouterRoles: ['#public'],
  },
});
