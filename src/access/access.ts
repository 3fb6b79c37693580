// The entry point to access: it is told of each member and policy, and answers which identity may
// reach which service through which router.

import {
  bindBit,
  dialBit,
  familySides,
  type MemberSpace,
  type PolicyFamily,
  type PolicyRoles,
  policyFamilies,
  type Semantic,
} from '../declare/kinds/access-vocabulary.ts';
import type { MemberLookups } from '../declare/lists/access-lookups.ts';
import { compareBytes } from '../filter/order.ts';
import type { AccessChange, AccessPairs, MemberGroup } from './change.ts';
import { ChangeFeed, noChange } from './change.ts';
import { ChangeStamps } from './change-stamps.ts';
import { ClassPolicyCache } from './class-policies.ts';
import { AccessLookups } from './lookups.ts';
import type { MemberClass } from './member-class.ts';
import { type MemberCounts, MemberTable, type SlotOf } from './members.ts';
import { Permissions } from './permissions.ts';
import { type PolicySide, PolicyTable, sameRoles } from './policies.ts';
import { RouterSets } from './routers.ts';
import type { Selection } from './selection.ts';
import { mostSelected, passingSelection, selectedSlots, unitedSlots } from './selection.ts';
import { readSide, type SideMatch } from './side-match.ts';

/** Options of access. */
export interface AccessOptions {
  /** Like `accessMemosMax`, which is the default. */
  readonly memosMax?: number | undefined;
  /** Looks up slots by id in the caller's own tables. */
  readonly ids: (space: MemberSpace) => SlotOf;
}

/** Members by space and policies by family. */
export interface AccessInternals {
  readonly members: Readonly<Record<MemberSpace, MemberTable>>;
  readonly policies: Readonly<Record<PolicyFamily, PolicyTable>>;
}

/**
 * Access as data, at first for an empty network. It is told of changes as they happen, with
 * `before` and `after`; telling it the changes backwards with the two swapped undoes them exactly.
 * Slots are the caller's row numbers, dense and reused after a deletion.
 */
export class Access implements MemberLookups {
  #state: State;
  readonly #renewed: (() => void)[] = [];
  /**
   * When what an identity may reach last changed, for the changes that this instance was told of.
   */
  readonly changeStamps: ChangeStamps;

  constructor(options: AccessOptions) {
    this.#state = emptyState(options);
    this.changeStamps = new ChangeStamps(this.#state.members.identity);
  }

  /**
   * Takes over the contents of `fresh`, for everything that refers to this object. What each
   * identity may reach counts as changed at wall-clock ms `at`. `fresh` must not be used
   * afterwards.
   */
  become(fresh: Access, at: number): void {
    this.changeStamps.rebase(fresh.#state.members.identity, at);
    this.#state = fresh.#state;
    for (const renewed of this.#renewed) renewed();
  }

  /** Calls `renewed` after `become`, by which any earlier answer may have turned out wrong. */
  onRenewal(renewed: () => void): void {
    this.#renewed.push(renewed);
  }

  /**
   * A member was created (`before` undefined), got other role attributes, or was deleted (`after`
   * undefined). Throws when `before` is not what is known of the slot: the caller's data and these
   * then disagree.
   */
  changeMember(
    space: MemberSpace,
    slot: number,
    id: string,
    before: readonly string[] | undefined,
    after: readonly string[] | undefined,
  ): AccessChange {
    const { members, revision, feed } = this.#state;
    const table = members[space];
    const old = table.classAt(slot);
    expectAttributes(old, before, `${space} ${id}`);
    if (before === undefined && after === undefined) return noChange;
    const side = space === 'identity' ? 0 : space === 'service' ? 1 : undefined;
    // The policies of the old class must be read before the member gets another class.
    const had =
      side === undefined || old === undefined ? noPolicies : selecting(this.#state, old, space);
    revision.changes += 1;
    if (space === 'router') revision.routers += 1;
    if (after === undefined) table.remove(slot, id);
    else table.set(slot, id, after);
    const created = table.classAt(slot);
    if (side === undefined || created === old) return noChange;
    return feed.ofMember(side, slot, had, created);
  }

  /**
   * A policy was created, changed or deleted, with `before` and `after` as in `changeMember`. Its
   * `@id` entries need not exist (yet, or any longer).
   */
  changePolicy(
    family: PolicyFamily,
    slot: number,
    before: PolicyRoles | undefined,
    after: PolicyRoles | undefined,
  ): AccessChange {
    const { policies, revision, feed } = this.#state;
    const table = policies[family];
    const known = table.at(slot)?.roles;
    if (!samePolicy(family, known, before)) {
      throw new Error(`access: the ${family} at slot ${slot} is not the one that is known`);
    }
    if (samePolicy(family, before, after)) return noChange;
    revision.changes += 1;
    if (family !== 'servicePolicy') revision.routers += 1;
    const { old, created } = table.set(slot, after, revision.changes);
    return family === 'servicePolicy' ? feed.ofPolicy(old, created) : noChange;
  }

  /**
   * The rights of identities to dial and bind services, and the policies that give them
   * (behaviour/policies#access).
   */
  get permissions(): Permissions {
    return this.#state.permissions;
  }

  /** The routers of identities and services (behaviour/policies#routers). */
  get routers(): RouterSets {
    return this.#state.routers;
  }

  /** Whether some Dial policy links the two. */
  mayDial(identity: number, service: number): boolean {
    return (this.permissions.bits(identity, service) & dialBit) !== 0;
  }

  /** Whether some Bind policy links the two. */
  mayBind(identity: number, service: number): boolean {
    return (this.permissions.bits(identity, service) & bindBit) !== 0;
  }

  /** Every identity that may dial or bind the service; valid until the next change. */
  identitiesOf(service: number): MemberGroup {
    return this.identitiesUnder(this.policiesOf('service', service, 'servicePolicy'));
  }

  /** Every identity that some of these service policies select; valid until the next change. */
  identitiesUnder(policies: readonly number[]): MemberGroup {
    return this.#state.feed.identitiesLinked(policies);
  }

  /** Every pair that one of these service policies links; valid until the next change. */
  pairsUnder(policies: readonly number[]): readonly AccessPairs[] {
    return this.#state.feed.pairsUnder(policies);
  }

  /** Slots of the family's policies that select the member, ascending. */
  policiesOf(space: MemberSpace, slot: number, family: PolicyFamily): number[] {
    const table = this.#familyOf(family, space);
    const members = this.#state.members[space].classAt(slot);
    return members === undefined ? [] : [...policiesOfClass(this.#state, members, space, table)];
  }

  /** Slots of the members that one side of a policy selects, ascending. */
  membersOf(family: PolicyFamily, policy: number, side: MemberSpace): Uint32Array {
    const found = this.#sideOf(family, policy, side);
    return found ? selectedSlots(found.table, found.selection) : new Uint32Array(0);
  }

  /** An upper bound of the members that one side of a policy selects, from its list alone. */
  mostOf(family: PolicyFamily, policy: number, side: MemberSpace): number {
    const found = this.#sideOf(family, policy, side);
    return found ? mostSelected(found.table, found.selection) : 0;
  }

  /**
   * Slots of the family's policies that select some of these members, ascending. The cost grows
   * with the number of members, and beyond that with the number of their classes.
   */
  policiesOfAny(space: MemberSpace, slots: Iterable<number>, family: PolicyFamily): number[] {
    const table = this.#familyOf(family, space);
    const seen = new Set<MemberClass>();
    const found = new Set<number>();
    for (const slot of slots) {
      const members = this.#state.members[space].classAt(slot);
      if (members === undefined || seen.has(members)) continue;
      seen.add(members);
      for (const policy of policiesOfClass(this.#state, members, space, table)) found.add(policy);
    }
    return [...found].sort((left, right) => left - right);
  }

  /**
   * Slots of the members that some of these policies select on that side, each once, ascending. A
   * class of members is read once, however many of the policies select it.
   */
  membersOfAny(family: PolicyFamily, policies: Iterable<number>, side: MemberSpace): Uint32Array {
    const table = this.#familyOf(family, side);
    const selections: Selection[] = [];
    for (const policy of policies) {
      const found = table.at(policy)?.sides[table.sideOf(side)];
      if (found !== undefined) selections.push(found.selection);
    }
    return unitedSlots(this.#state.members[side], selections);
  }

  /**
   * How that side's list matches the member, entry by entry; it names at most `most` entries of
   * each sort. Undefined when there is no such policy.
   */
  matchOf(
    family: PolicyFamily,
    policy: number,
    side: MemberSpace,
    member: number,
    most: number,
  ): SideMatch | undefined {
    const found = this.#sideOf(family, policy, side);
    return found && readSide(found.table, found.selection, member, most);
  }

  /**
   * Members that a role filter selects (behaviour/lists#role-filters), ascending. Throws on an
   * entry without a prefix.
   */
  select(space: MemberSpace, semantic: Semantic, roles: readonly string[]): Uint32Array {
    const table = this.#state.members[space];
    return selectedSlots(table, passingSelection(table, semantic, roles));
  }

  /**
   * The same object for all members that no policy can tell apart, until the next change; undefined
   * when there is no such member. For callers that ask the same of many members.
   */
  classOf(space: MemberSpace, slot: number): object | undefined {
    return this.#state.members[space].classAt(slot);
  }

  /** How many members of the space have this role attribute. */
  membersWith(space: MemberSpace, attribute: string): number {
    return this.#state.members[space].attribute(attribute)?.members ?? 0;
  }

  /** Role attributes that members of the space have, in byte order (behaviour/lists). */
  attributesOf(space: MemberSpace): { readonly name: string; readonly members: number }[] {
    const used = [];
    for (const { name, members } of this.#state.members[space].allAttributes()) {
      if (members > 0) used.push({ name, members });
    }
    return used.sort((left, right) => compareBytes(left.name, right.name));
  }

  /** The lookups that filters use. */
  get lookups(): AccessLookups {
    return this.#state.lookups;
  }

  /** The data itself: only for the integrity run, and for tests that damage it. */
  get internals(): AccessInternals {
    return this.#state;
  }

  /** Sizes of the parts of one space, for metrics and for tests that look for leaks. */
  counts(space: MemberSpace): MemberCounts {
    return this.#state.members[space].counts();
  }

  /** How many classes are remembered now, at most `memosMax`. */
  memos(): number {
    return this.#state.classPolicies.size;
  }

  #familyOf(family: PolicyFamily, side: MemberSpace): PolicyTable {
    const table = this.#state.policies[family];
    if (!table.selectsFrom(side)) throw new Error(`access: a ${family} has no side ${side}`);
    return table;
  }

  #sideOf(family: PolicyFamily, policy: number, side: MemberSpace): PolicySide | undefined {
    const table = this.#state.policies[family];
    return table.at(policy)?.sides[table.sideOf(side)];
  }
}

interface State extends AccessInternals {
  readonly revision: { changes: number; routers: number };
  readonly classPolicies: ClassPolicyCache;
  readonly feed: ChangeFeed;
  readonly permissions: Permissions;
  readonly routers: RouterSets;
  readonly lookups: AccessLookups;
}

function emptyState({ ids, memosMax }: AccessOptions): State {
  const revision = { changes: 0, routers: 0 };
  const members = {
    identity: new MemberTable(ids('identity')),
    service: new MemberTable(ids('service')),
    router: new MemberTable(ids('router')),
    postureCheck: new MemberTable(ids('postureCheck')),
  };
  const policies = {
    servicePolicy: new PolicyTable('servicePolicy', members),
    edgeRouterPolicy: new PolicyTable('edgeRouterPolicy', members),
    serviceEdgeRouterPolicy: new PolicyTable('serviceEdgeRouterPolicy', members),
  };
  const { identity, service } = members;
  const { servicePolicy } = policies;
  const families = policyFamilies.map((family) => policies[family]);
  const classPolicies = new ClassPolicyCache(revision, families, memosMax ?? accessMemosMax);
  const users = { identity, service };
  const routers = new RouterSets(revision, members.router, classPolicies, users, {
    identity: policies.edgeRouterPolicy,
    service: policies.serviceEdgeRouterPolicy,
  });
  const feed = new ChangeFeed(revision, servicePolicy, identity, (side, of) =>
    selecting({ classPolicies, policies }, of, side === 0 ? 'identity' : 'service'),
  );
  const permissions = new Permissions(servicePolicy, identity, service, classPolicies);
  const lookups = new AccessLookups({ members, policies, classPolicies });
  return { revision, members, policies, classPolicies, feed, permissions, routers, lookups };
}

const noPolicies: readonly number[] = [];

function policiesOfClass(
  { classPolicies }: Pick<State, 'classPolicies'>,
  members: MemberClass,
  space: MemberSpace,
  table: PolicyTable,
): readonly number[] {
  const own = classPolicies.of(members, space).own[table.familyIndex] ?? noPolicies;
  const everyone = table.selectingAll(table.sideOf(space));
  if (everyone.size === 0) return own;
  return merged(own, everyone.toArray());
}

/** The numbers of two ascending lists that have none in common. */
function merged(left: readonly number[], right: readonly number[]): readonly number[] {
  const all: number[] = new Array(left.length + right.length);
  let [at, other] = [0, 0];
  for (let next = 0; next < all.length; next++) {
    const [one, two] = [left[at], right[other]];
    if (two === undefined || (one !== undefined && one < two)) {
      all[next] = one ?? 0;
      at += 1;
    } else {
      all[next] = two;
      other += 1;
    }
  }
  return all;
}

function selecting(
  state: Pick<State, 'classPolicies' | 'policies'>,
  members: MemberClass,
  space: MemberSpace,
): readonly number[] {
  return policiesOfClass(state, members, space, state.policies.servicePolicy);
}

function expectAttributes(
  known: MemberClass | undefined,
  before: readonly string[] | undefined,
  what: string,
): void {
  const agrees =
    known === undefined || before === undefined
      ? known === before
      : isSetOf(known.attributes, before);
  if (!agrees) throw new Error(`access: ${what} is not as it is known`);
}

/** Whether these attributes, each once, have exactly the given names, in any order. */
function isSetOf(attributes: MemberClass['attributes'], given: readonly string[]): boolean {
  const names = new Set(given);
  return names.size === attributes.length && attributes.every(({ name }) => names.has(name));
}

function samePolicy(
  family: PolicyFamily,
  left: PolicyRoles | undefined,
  right: PolicyRoles | undefined,
): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined) return false;
  if (left.semantic !== right.semantic || left.type !== right.type) return false;
  return familySides[family].every((side) => sameRoles(left.lists[side], right.lists[side]));
}

/** Classes of members whose policies are remembered, 0.5 KB each. @bound per controller */
const accessMemosMax = 10_000;
