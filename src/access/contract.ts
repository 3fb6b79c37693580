// What access offers the rest of the controller.

import type { Budget } from '../filter/contract.ts';
import type { AccessChange, AccessPairs, MemberGroup } from './change.ts';
import type { MemberIds } from './member-ids.ts';
import type { MemberCounts, MemberTable } from './members.ts';
import type { VisibleServices } from './permissions.ts';
import type { PolicyTable } from './policies.ts';
import type { SideMatch } from './side-match.ts';
import type { Touches } from './touches.ts';
import type { AccessType, MemberSpace, PolicyFamily, PolicyRoles, Semantic } from './vocabulary.ts';

/** Bounds of access. */
export interface AccessOptions {
  /** Classes of members whose policies are remembered at a time, at 0.3 to 1 KB each. */
  readonly memosMax: number;
  /** Looks ids of members up where they are known anyhow; without it access keeps them itself. */
  readonly ids?: (space: MemberSpace) => MemberIds;
}

/** A role attribute in use and how many members have it. */
export interface AttributeUse {
  readonly name: string;
  readonly members: number;
}

/** Members by space and policies by family. */
export interface AccessParts {
  readonly members: Readonly<Record<MemberSpace, MemberTable>>;
  readonly policies: Readonly<Record<PolicyFamily, PolicyTable>>;
}

/**
 * Access as data. Changes are told as they happen, `before` and `after`; telling them backwards
 * with the two swapped undoes them exactly. Slots are the caller's row numbers, dense and reused
 * after a deletion.
 */
export interface Access {
  /**
   * A member was created (`before` undefined), got other role attributes, or was deleted (`after`
   * undefined). Throws when `before`, slot and id don't fit what is known: the caller's books and
   * these have parted.
   */
  changeMember(
    space: MemberSpace,
    slot: number,
    id: string,
    before: readonly string[] | undefined,
    after: readonly string[] | undefined,
  ): AccessChange;
  /**
   * A policy was created, changed or deleted, alike. Its `@id` entries need not exist (yet, or any
   * more).
   */
  changePolicy(
    family: PolicyFamily,
    slot: number,
    before: PolicyRoles | undefined,
    after: PolicyRoles | undefined,
  ): AccessChange;

  /** Whether some Dial policy links the two (behaviour §3.3.1). */
  mayDial(identity: number, service: number): boolean;
  /** Whether some Bind policy links the two. */
  mayBind(identity: number, service: number): boolean;
  /** Both answers as bits, `dialBit` and `bindBit`; 0: the identity doesn't see the service. */
  permissions(identity: number, service: number): number;
  /** Every service the identity may dial or bind (behaviour §3.3.2). */
  visibleServices(identity: number): VisibleServices;
  /** Every identity that may dial or bind the service; valid until the next change. */
  identitiesOf(service: number): MemberGroup;
  /** Every identity that some of these service policies select; valid until the next change. */
  identitiesUnder(policies: readonly number[]): MemberGroup;
  /** Every pair that one of these service policies links; valid until the next change. */
  pairsUnder(policies: readonly number[]): readonly AccessPairs[];
  /** When what an identity may reach last changed, as far as it was told. */
  readonly touches: Touches;
  /**
   * Slots of the service policies of this type that link the two, ascending: what posture is judged
   * by.
   */
  policiesLinking(identity: number, service: number, type: AccessType): number[];

  /** Routers that identity and service share (behaviour §3.3.5), ascending. */
  usableRouters(identity: number, service: number): Uint32Array;
  /** Whether they share one. */
  hasUsableRouter(identity: number, service: number): boolean;
  /** Routers that edge router policies give the identity, ascending. */
  routersOfIdentity(identity: number): Uint32Array;
  /** Routers that service edge router policies give the service, ascending. */
  routersOfService(service: number): Uint32Array;

  /** Slots of the family's policies that select the member, ascending. */
  policiesOf(space: MemberSpace, slot: number, family: PolicyFamily): number[];
  /** Slots of the members that one side of a policy selects, ascending. */
  membersOf(family: PolicyFamily, policy: number, side: MemberSpace): Uint32Array;
  /**
   * Slots of the family's policies that select some of these members, ascending. Its cost follows
   * the members and, above that, their classes.
   */
  policiesOfAny(space: MemberSpace, slots: Iterable<number>, family: PolicyFamily): number[];
  /**
   * Slots of the members that some of these policies select on that side, each once, ascending. A
   * class of members is looked at once, however many of the policies select it.
   */
  membersOfAny(family: PolicyFamily, policies: Iterable<number>, side: MemberSpace): Uint32Array;
  /** The entries of that side's list by which it selects the member; empty when it doesn't. */
  matchReason(
    family: PolicyFamily,
    policy: number,
    side: MemberSpace,
    member: number,
  ): readonly string[];
  /**
   * How that side's list meets the member, entry by entry; names `most` entries of each sort at
   * most. Undefined when there is no such policy.
   */
  matchOf(
    family: PolicyFamily,
    policy: number,
    side: MemberSpace,
    member: number,
    most: number,
  ): SideMatch | undefined;
  /**
   * Members that a role filter selects (behaviour §2.6), ascending. Throws on an entry without
   * prefix.
   */
  select(space: MemberSpace, semantic: Semantic, roles: readonly string[]): Uint32Array;
  /** How many members of the space have this role attribute. */
  membersWith(space: MemberSpace, attribute: string): number;
  /** Role attributes that members of the space have, in byte order (behaviour §2.7). */
  attributesOf(space: MemberSpace): AttributeUse[];
  /** What filters read. */
  readonly walks: Walks;
  /** What it is made of, as it is: for the integrity run alone, and tests that damage something. */
  readonly parts: AccessParts;
  /** Sizes of the parts of one space, for metrics and for tests that look for leaks. */
  counts(space: MemberSpace): MemberCounts;
  /** How many classes are remembered now, at most `memosMax`. */
  memos(): number;
}

/**
 * Policies and members one by one, for filters: each is worked out when it is read, and whatever
 * has to be looked at is spent before. In no order; to be read before the next change.
 */
export interface Walks {
  /** Slots of the family's policies that select the member, each once; of one type where given. */
  policiesOf(
    space: MemberSpace,
    slot: number,
    family: PolicyFamily,
    budget: Budget,
    type?: AccessType,
  ): Iterable<number>;
  /** How many policies of the family select the member. */
  countPolicies(space: MemberSpace, slot: number, family: PolicyFamily, budget: Budget): number;
  /** Slots of the members that some of these policies select on that side, each once. */
  membersOf(
    family: PolicyFamily,
    policies: Iterable<number>,
    side: MemberSpace,
    budget: Budget,
  ): Iterable<number>;
  /**
   * How many members these policies select together, or a number from `enough` on; undefined where
   * only a walk tells.
   */
  countMembers(
    family: PolicyFamily,
    policies: Iterable<number>,
    side: MemberSpace,
    enough: number,
  ): number | undefined;
  /** How many members the policy selects on that side, or some more; costs next to nothing. */
  mostMembers(family: PolicyFamily, policy: number, side: MemberSpace): number;
}
