// What filters may follow from one member of access to others: `from dialServices where …`
// (behaviour Appendix B).

import { BIND, DIAL, type MemberSpace, type PolicyFamily } from '../access/vocabulary.ts';
import type { LinkedSlots } from '../declare/resource.ts';

type LinkedSets = Readonly<Record<string, LinkedSlots>>;

const usableRouters: LinkedSlots = {
  kind: 'router',
  restsOn: ['edgeRouterPolicy'],
  slots: ({ slot }, { access }) => access.routersOfIdentity(slot),
};

/** Routers and services of an identity. */
export const identityLinks: LinkedSets = {
  edgeRouters: usableRouters,
  routers: usableRouters,
  dialServices: permittedServices(DIAL),
  bindServices: permittedServices(BIND),
};

/** Routers and identities of a service. */
export const serviceLinks: LinkedSets = {
  edgeRouters: {
    kind: 'router',
    restsOn: ['serviceEdgeRouterPolicy'],
    slots: ({ slot }, { access }) => access.routersOfService(slot),
  },
  dialIdentities: permittedIdentities('mayDial'),
  bindIdentities: permittedIdentities('mayBind'),
};

/** Identities and services of an edge router. */
export const routerLinks: LinkedSets = {
  identities: selectedAlong('edgeRouterPolicy', 'identity'),
  services: selectedAlong('serviceEdgeRouterPolicy', 'service'),
};

function permittedServices(bit: number): LinkedSlots {
  return {
    kind: 'service',
    restsOn: ['servicePolicy'],
    slots({ slot }, { access }) {
      const { slots, bits } = access.visibleServices(slot);
      return slots.filter((_, at) => ((bits[at] ?? 0) & bit) !== 0);
    },
  };
}

function permittedIdentities(may: 'mayDial' | 'mayBind'): LinkedSlots {
  return {
    kind: 'identity',
    restsOn: ['servicePolicy'],
    slots: ({ slot }, { access }) =>
      access
        .identitiesOf(slot)
        .slots()
        .filter((identity) => access[may](identity, slot)),
  };
}

/** Whom the policies of a family that select a router select on their other side. */
function selectedAlong(family: PolicyFamily, other: MemberSpace & ('identity' | 'service')) {
  return {
    kind: other,
    restsOn: [family],
    slots: ({ slot }, { access }) =>
      access.membersOfAny(family, access.policiesOf('router', slot, family), other),
  } satisfies LinkedSlots;
}
