// Lists of the members that each side of a policy selects (behaviour/policies#lists).

import type { MemberSpace, PolicyFamily } from '../../declare/access-vocabulary.ts';
import type { Operation } from '../../declare/operation.ts';
import type { Resource } from '../../declare/resource.ts';
import { subList } from '../../declare/sub-list.ts';
import { identities } from '../identities/identity.ts';
import { postureChecks } from '../posture/posture-check.ts';
import { edgeRouters } from '../routers/edge-router.ts';
import { services } from '../services/service.ts';
import { membersOf } from './access-rows.ts';
import { edgeRouterPolicies } from './edge-router-policy.ts';
import { serviceEdgeRouterPolicies } from './service-edge-router-policy.ts';
import { servicePolicies } from './service-policy.ts';

/** `/edge-router-policies/{id}/…`, `/service-edge-router-policies/{id}/…` and so on. */
export const policyLists: readonly Operation[] = [
  sideList('listEdgeRouterPolicyEdgeRouters', edgeRouterPolicies, edgeRouters),
  sideList('listEdgeRouterPolicyIdentities', edgeRouterPolicies, identities),
  sideList('listServiceEdgeRouterPolicyEdgeRouters', serviceEdgeRouterPolicies, edgeRouters),
  sideList('listServiceEdgeRouterPolicyServices', serviceEdgeRouterPolicies, services),
  sideList('listServicePolicyIdentities', servicePolicies, identities),
  sideList('listServicePolicyPostureChecks', servicePolicies, postureChecks),
  sideList('listServicePolicyServices', servicePolicies, services),
];

/** Family and space come from the declarations of the two kinds. */
function sideList(id: string, of: Resource, lists: Resource): Operation {
  const family = of.kind.policy?.family as PolicyFamily;
  const side = lists.kind.member?.space as MemberSpace;
  return subList({
    id,
    of,
    lists,
    summary: `List the ${lists.path.replaceAll('-', ' ')} that a ${of.title} selects`,
    rows: (context, { slot }) => membersOf(context, family, slot, side),
  });
}
