// Service edge router policies: which services may be reached through which edge routers
// (behaviour/policies#families).

import { serviceEdgeRouterPolicyKind } from '../../records/service-edge-router-policy.ts';
import { defineResource } from '../context.ts';
import { checkPolicy, rolesDisplays } from './policy-fields.ts';

/** Service edge router policies in the management API. */
export const serviceEdgeRouterPolicies = defineResource({
  kind: serviceEdgeRouterPolicyKind,
  path: 'service-edge-router-policies',
  answered: 'here',
  title: 'service edge router policy',
  names: { one: 'ServiceEdgeRouterPolicy', many: 'ServiceEdgeRouterPolicies' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'service-edge-router-policy',
  links: { services: 'services', 'edge-routers': 'edge-routers' },
  joined: rolesDisplays(serviceEdgeRouterPolicyKind),
  deleteConflicts: true,
  check: (context, draft) => checkPolicy(context, draft, serviceEdgeRouterPolicyKind),
  example: {
    name: 'all services everywhere',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  },
});
