// Service edge router policies: which services may be reached through which edge routers
// (behaviour/policies#families).

import { name, roles } from '../declare/kinds/field.ts';
import { defineKind } from '../declare/kinds/kind.ts';
import { semanticField } from './semantic-field.ts';
import { emptyWhereUnset } from './unset-lists.ts';

/** The indexes of its lists among the values of each version. */
const [edgeRouterRolesAt, serviceRolesAt] = [6, 7];

/** The stored side of service edge router policies. */
export const serviceEdgeRouterPolicyKind = defineKind({
  kind: 'serviceEdgeRouterPolicy',
  version: 2,
  fields: {
    name: name(),
    semantic: semanticField(),
    edgeRouterRoles: roles('router', { inverse: 'serviceEdgeRouterPolicies' }),
    serviceRoles: roles('service', { inverse: 'serviceEdgeRouterPolicies' }),
  },
  // Version 2 may lack lists that were never set.
  downgrades: { 2: emptyWhereUnset(edgeRouterRolesAt, serviceRolesAt) },
  many: [],
  policy: {
    family: 'serviceEdgeRouterPolicy',
    sides: { router: 'edgeRouterRoles', service: 'serviceRoles' },
  },
});
