// What lists and filters look up in access, which is a layer above them.

import type { Budget } from '../../filter/scope.ts';
import type { MemberSpace, PolicyFamily, Semantic } from '../kinds/access-vocabulary.ts';

/** Members by their roles. */
export interface MemberLookups {
  /**
   * Slots of the members that a role filter selects, ascending (behaviour/lists#role-filters).
   * @throws Error for an entry without a prefix.
   */
  select(space: MemberSpace, semantic: Semantic, roles: readonly string[]): Uint32Array;
  /** How many members of the space have this role attribute. */
  membersWith(space: MemberSpace, attribute: string): number;
  readonly lookups: PolicyLookups;
}

/** The ways between members and the policies that select them, by slots in no order. */
export interface PolicyLookups {
  /** Policies of the family that select the member. */
  policiesOf(
    space: MemberSpace,
    slot: number,
    family: PolicyFamily,
    budget: Budget,
  ): Iterable<number>;
  /** How many policies of the family select the member. */
  countPolicies(space: MemberSpace, slot: number, family: PolicyFamily, budget: Budget): number;
  /** Members that some of these policies select on that side. */
  membersOf(
    family: PolicyFamily,
    policies: Iterable<number>,
    side: MemberSpace,
    budget: Budget,
  ): Iterable<number>;
  /**
   * How many members these policies select together, or a number of at least `enough`; undefined
   * where the members must be read to be counted.
   */
  countMembers(
    family: PolicyFamily,
    policies: Iterable<number>,
    side: MemberSpace,
    enough: number,
  ): number | undefined;
  /** An upper bound of the members that the policy selects on that side. */
  mostMembers(family: PolicyFamily, policy: number, side: MemberSpace): number;
}
