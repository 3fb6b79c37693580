// Edge router policies: which identities may use which edge routers (behaviour/policies#families).

import { name, roles } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { semanticField } from './semantic-field.ts';
import { emptyWhereUnset } from './unset-lists.ts';

/** The indexes of its lists among the values of each version. */
const [identityRolesAt, edgeRouterRolesAt] = [6, 7];

/** The stored side of edge router policies. */
export const edgeRouterPolicyKind = defineKind({
  kind: 'edgeRouterPolicy',
  version: 2,
  fields: {
    name: name(),
    semantic: semanticField(),
    identityRoles: roles('identity', { inverse: 'edgeRouterPolicies' }),
    edgeRouterRoles: roles('router', { inverse: 'edgeRouterPolicies' }),
  },
  // Version 2 may lack lists that were never set.
  downgrades: { 2: emptyWhereUnset(identityRolesAt, edgeRouterRolesAt) },
  many: [],
  policy: {
    family: 'edgeRouterPolicy',
    sides: { identity: 'identityRoles', router: 'edgeRouterRoles' },
  },
});

/** A stored edge router policy. */
export type EdgeRouterPolicyRecord = RecordOf<typeof edgeRouterPolicyKind.fields>;
