// Service edge router policies: which services may be reached through which edge routers
// (behaviour/policies#families).

import { name, roles } from '../declare/field.ts';
import { defineKind } from '../declare/kind.ts';
import { semanticField } from './semantic-field.ts';

/** The stored side of service edge router policies. */
export const serviceEdgeRouterPolicyKind = defineKind({
  kind: 'serviceEdgeRouterPolicy',
  version: 1,
  fields: {
    name: name(),
    semantic: semanticField(),
    edgeRouterRoles: roles('router', { inverse: 'serviceEdgeRouterPolicies' }),
    serviceRoles: roles('service', { inverse: 'serviceEdgeRouterPolicies' }),
  },
  many: [],
  policy: {
    family: 'serviceEdgeRouterPolicy',
    sides: { router: 'edgeRouterRoles', service: 'serviceRoles' },
  },
});
