// Access as the specification defines it, recomputed with loops, for comparison with the real one.

import type {
  AccessType,
  MemberSpace,
  PolicyFamily,
  PolicyRoles,
} from '../../src/declare/kinds/access-vocabulary.ts';

/** A member of the naive model. */
export interface NaiveMember {
  readonly id: string;
  readonly attributes: readonly string[];
}

/** Whether a role list selects a member (behaviour/policies#matching), straight from the text. */
export function naiveMatch(
  semantic: PolicyRoles['semantic'],
  roles: readonly string[],
  member: NaiveMember,
): boolean {
  if (roles.includes(`@${member.id}`) || roles.includes('#all')) return true;
  const wanted = roles.filter((role) => role.startsWith('#')).map((role) => role.slice(1));
  if (wanted.length === 0) return false;
  return semantic === 'AllOf'
    ? wanted.every((name) => member.attributes.includes(name))
    : wanted.some((name) => member.attributes.includes(name));
}

/** Members and policies by slot; every answer walks all of them. */
export class NaiveAccess {
  readonly members: Record<MemberSpace, Map<number, NaiveMember>> = {
    identity: new Map(),
    service: new Map(),
    router: new Map(),
    postureCheck: new Map(),
  };
  readonly policies: Record<PolicyFamily, Map<number, PolicyRoles>> = {
    servicePolicy: new Map(),
    edgeRouterPolicy: new Map(),
    serviceEdgeRouterPolicy: new Map(),
  };

  /** Ascending slots of the members that a side of a policy selects. */
  membersOf(family: PolicyFamily, slot: number, side: MemberSpace): number[] {
    const policy = this.policies[family].get(slot);
    if (policy === undefined) return [];
    const roles = policy.lists[side] ?? [];
    return sorted(
      [...this.members[side]]
        .filter(([, member]) => naiveMatch(policy.semantic, roles, member))
        .map(([at]) => at),
    );
  }

  /** Ascending slots of the policies of a family that select a member. */
  policiesOf(space: MemberSpace, slot: number, family: PolicyFamily): number[] {
    const member = this.members[space].get(slot);
    if (member === undefined) return [];
    return sorted(
      [...this.policies[family]]
        .filter(([, { semantic, lists }]) => naiveMatch(semantic, lists[space] ?? [], member))
        .map(([at]) => at),
    );
  }

  /** Ascending slots of the service policies of a type that select both. */
  linking(identity: number, service: number, type: AccessType): number[] {
    const others = this.policiesOf('service', service, 'servicePolicy');
    return this.policiesOf('identity', identity, 'servicePolicy').filter(
      (at) => others.includes(at) && this.policies.servicePolicy.get(at)?.type === type,
    );
  }

  /** Ascending slots of the routers that policies of a family give a member. */
  routersOf(space: 'identity' | 'service', slot: number): number[] {
    const family = space === 'identity' ? 'edgeRouterPolicy' : 'serviceEdgeRouterPolicy';
    const found = this.policiesOf(space, slot, family).flatMap((policy) =>
      this.membersOf(family, policy, 'router'),
    );
    return sorted([...new Set(found)]);
  }
}

function sorted(slots: number[]): number[] {
  return slots.sort((left, right) => left - right);
}
