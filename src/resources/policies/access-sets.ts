// The sets of other members that filters may follow from a member of access: `from dialServices
// where …` (behaviour/filters#symbols).

import type { Access } from '../../access/access.ts';
import type {
  AccessType,
  MemberSpace,
  PolicyFamily,
} from '../../declare/kinds/access-vocabulary.ts';
import type { LinkedSlots } from '../../declare/symbols/symbol-sources.ts';
import type { Budget } from '../../filter/scope.ts';
import type { ResourceEnvironment } from '../context.ts';

type LinkedMembers = LinkedSlots<ResourceEnvironment>;
type LinkedSets = Readonly<Record<string, LinkedMembers>>;

const usableRouters = along('identity', 'edgeRouterPolicy', 'router');

/** Routers and services of an identity. */
export const identitySets: LinkedSets = {
  edgeRouters: usableRouters,
  routers: usableRouters,
  dialServices: along('identity', 'servicePolicy', 'service', 'Dial'),
  bindServices: along('identity', 'servicePolicy', 'service', 'Bind'),
};

/** Routers and identities of a service. */
export const serviceSets: LinkedSets = {
  edgeRouters: along('service', 'serviceEdgeRouterPolicy', 'router'),
  dialIdentities: along('service', 'servicePolicy', 'identity', 'Dial'),
  bindIdentities: along('service', 'servicePolicy', 'identity', 'Bind'),
};

/** Identities and services of an edge router. */
export const routerSets: LinkedSets = {
  identities: along('router', 'edgeRouterPolicy', 'identity'),
  services: along('router', 'serviceEdgeRouterPolicy', 'service'),
};

/** The members on the other side of the policies that select a member (behaviour/policies). */
function along(
  from: MemberSpace,
  family: PolicyFamily,
  to: MemberSpace,
  type?: AccessType,
): LinkedMembers {
  const policies = ({ lookups }: Access, slot: number, budget: Budget) =>
    lookups.policiesOf(from, slot, family, budget, type);
  return {
    kind: to,
    restsOn: [family],
    slots: ({ slot }, { access }, budget) =>
      access.lookups.membersOf(family, policies(access, slot, budget), to, budget),
    count: ({ slot }, { access }, budget, enough) =>
      access.lookups.countMembers(family, policies(access, slot, budget), to, enough),
  };
}
