// Describes what a change did to access: which identities × services must be checked again.

import { lowerBound, sortedSlots } from '../containers/slot-set.ts';
import type { AccessType } from '../declare/kinds/access-vocabulary.ts';
import type { Revision } from './class-policies.ts';
import type { MemberClass } from './member-class.ts';
import type { MemberTable } from './members.ts';
import type { Policy, PolicySide, PolicyTable } from './policies.ts';
import type { Selection, SelectionVisitor } from './selection.ts';
import { mostSelected, selectedSlots, selectsAny, visitSelected } from './selection.ts';

/** Is told of the members in a group. A member that the change deleted may be among them. */
export interface GroupVisitor extends SelectionVisitor {
  /** Every member of the space. */
  everyone(): void;
}

/** Members of one space. A group must be read before the next change; the answers may be kept. */
export interface MemberGroup {
  /** Whether it is every member of the space; this saves asking for the slots. */
  readonly all: boolean;
  /** An upper bound of its size; cheaper than asking for the slots. */
  most(): number;
  /** Whether no member is in it; cheaper than asking for the slots. */
  isEmpty(): boolean;
  /** Slots, ascending. A member that was deleted by the change may be among them. */
  slots(): Uint32Array;
  /** Tells the visitor of the members without a walk over them. Parts may be told twice. */
  visit(visitor: GroupVisitor): void;
}

/** Every pair of `identities` × `services` lost, or gained, one policy that allowed `type`. */
export interface AccessPairs {
  readonly policy: number;
  readonly type: AccessType;
  readonly identities: MemberGroup;
  readonly services: MemberGroup;
}

/**
 * The effect of one change. It is complete but coarse: it contains each pair whose permission
 * changed, and it may contain pairs that another policy still (or already) allowed; ask `mayDial`
 * or `mayBind`. Nothing is computed until it is read. It must be read before the next change; later
 * reads throw.
 */
export interface AccessChange {
  readonly lost: readonly AccessPairs[];
  readonly gained: readonly AccessPairs[];
  /**
   * Identities in `lost` or `gained` that are paired with at least one service: their service list
   * may differ.
   */
  identities(): MemberGroup;
}

const noMembers: MemberGroup = {
  all: false,
  most: () => 0,
  isEmpty: () => true,
  slots: () => new Uint32Array(0),
  visit: () => {},
};

/** The change that did nothing to access. */
export const noChange: AccessChange = { lost: [], gained: [], identities: () => noMembers };

/**
 * The place of a change: the data that groups are read from, and the revision they are valid at.
 */
export class ChangeFeed {
  readonly #revision: Revision;
  readonly #policies: PolicyTable;
  readonly #identities: MemberTable;
  readonly #policiesOf: (side: 0 | 1, members: MemberClass) => readonly number[];

  constructor(
    revision: Revision,
    policies: PolicyTable,
    identities: MemberTable,
    policiesOf: (side: 0 | 1, members: MemberClass) => readonly number[],
  ) {
    this.#revision = revision;
    this.#policies = policies;
    this.#identities = identities;
    this.#policiesOf = policiesOf;
  }

  /**
   * The member at `slot` of the identity (0) or service (1) side was selected by the policies `had`
   * and is now of the class `now`, if it has one.
   */
  ofMember(
    side: 0 | 1,
    slot: number,
    had: readonly number[],
    now: MemberClass | undefined,
  ): AccessChange {
    return new MemberChange(this, side, slot, had, now);
  }

  /** Service policies that select a member of this class, ascending. */
  selecting(side: 0 | 1, members: MemberClass): readonly number[] {
    return this.#policiesOf(side, members);
  }

  /** Pairs in which some policies link one member of a side. */
  pairsOfMember(side: 0 | 1, one: MemberGroup, policies: readonly number[]): AccessPairs[] {
    return policies.flatMap((at) => {
      const policy = this.#policies.at(at);
      const other = policy?.sides[1 - side];
      if (policy === undefined || other === undefined) return [];
      const group = this.#group(other, other.selection);
      return side === 0 ? pairsOf(policy, one, group) : pairsOf(policy, group, one);
    });
  }

  /** A service policy was created, replaced or deleted. */
  ofPolicy(old: Policy | undefined, created: Policy | undefined): AccessChange {
    return new PolicyChange(this, old, created);
  }

  /** The number of the last change. */
  get at(): number {
    return this.#revision.changes;
  }

  /** Identities that some of these policies select. */
  identitiesLinked(policies: readonly number[]): MemberGroup {
    const groups = policies.flatMap((at) => {
      const side = this.#policies.at(at)?.sides[0];
      return side === undefined ? [] : [this.#group(side, side.selection)];
    });
    return this.#unite(groups);
  }

  /** Every pair that one of these policies links. */
  pairsUnder(policies: readonly number[]): AccessPairs[] {
    return policies.flatMap((at) => this.onlyIn(this.#policies.at(at), undefined));
  }

  /** Pairs that `policy` linked and `other` doesn't. */
  onlyIn(policy: Policy | undefined, other: Policy | undefined): AccessPairs[] {
    const [identities, services] = policy?.sides ?? [];
    if (policy === undefined || identities === undefined || services === undefined) return [];
    const everyIdentity = this.#group(identities, identities.selection);
    const everyService = this.#group(services, services.selection);
    if (other === undefined || other.roles.type !== policy.roles.type) {
      return pairsOf(policy, everyIdentity, everyService);
    }
    const someIdentities = this.#group(identities, identities.selection, other.sides[0]);
    const someServices = this.#group(services, services.selection, other.sides[1]);
    return [
      ...pairsOf(policy, someIdentities, everyService),
      ...pairsOf(policy, everyIdentity, someServices),
    ];
  }

  #group(side: PolicySide, include: Selection, exclude?: PolicySide): MemberGroup {
    if (exclude?.selection === include) return noMembers;
    const at = this.at;
    let known: Uint32Array | undefined;
    const slots = (): Uint32Array => {
      if (known === undefined) {
        this.expect(at);
        known = selectedSlots(side.table, include, exclude?.selection);
      }
      return known;
    };
    return {
      all: include.all && exclude === undefined,
      most: () => mostSelected(side.table, include),
      isEmpty: () => {
        if (exclude !== undefined || known !== undefined) return slots().length === 0;
        this.expect(at);
        return !selectsAny(side.table, include);
      },
      slots,
      visit: (visitor) => {
        this.expect(at);
        if (include.all && exclude === undefined) visitor.everyone();
        else visitSelected(side.table, include, exclude?.selection, visitor);
      },
    };
  }

  /** Identities of the pairs that have a service. */
  affected(pairs: readonly AccessPairs[]): MemberGroup {
    const groups = new Set<MemberGroup>();
    for (const { identities, services } of pairs) if (!services.isEmpty()) groups.add(identities);
    return this.#unite([...groups]);
  }

  #unite(groups: readonly MemberGroup[]): MemberGroup {
    const everyone = groups.find((group) => group.all);
    if (everyone !== undefined) return everyone;
    if (groups.length > 1) return unionOf(groups, this.#identities.bound);
    return groups[0] ?? noMembers;
  }

  /** Throws when there was a change after the one numbered `at`. */
  expect(at: number): void {
    if (this.#revision.changes === at) return;
    throw new Error('access: a change must be read before the next one');
  }
}

/**
 * A change whose pairs are computed when they are first read. A start creates a million of them
 * that are never read, so it holds the data they need instead of a function each.
 */
abstract class LazyChange implements AccessChange {
  readonly feed: ChangeFeed;
  readonly #at: number;
  #knownLost: AccessPairs[] | undefined = undefined;
  #knownGained: AccessPairs[] | undefined = undefined;

  constructor(feed: ChangeFeed) {
    this.feed = feed;
    this.#at = feed.at;
  }

  abstract findLost(): AccessPairs[];
  abstract findGained(): AccessPairs[];

  get lost(): readonly AccessPairs[] {
    if (this.#knownLost === undefined) {
      this.feed.expect(this.#at);
      this.#knownLost = this.findLost();
    }
    return this.#knownLost;
  }

  get gained(): readonly AccessPairs[] {
    if (this.#knownGained === undefined) {
      this.feed.expect(this.#at);
      this.#knownGained = this.findGained();
    }
    return this.#knownGained;
  }

  identities(): MemberGroup {
    return this.feed.affected([...this.lost, ...this.gained]);
  }
}

class MemberChange extends LazyChange {
  readonly #side: 0 | 1;
  readonly #slot: number;
  readonly #had: readonly number[];
  readonly #now: MemberClass | undefined;
  #one: MemberGroup | undefined = undefined;

  constructor(
    feed: ChangeFeed,
    side: 0 | 1,
    slot: number,
    had: readonly number[],
    now: MemberClass | undefined,
  ) {
    super(feed);
    this.#side = side;
    this.#slot = slot;
    this.#had = had;
    this.#now = now;
  }

  findLost(): AccessPairs[] {
    return this.#pairs(without(this.#had, this.#has()));
  }

  findGained(): AccessPairs[] {
    return this.#pairs(without(this.#has(), this.#had));
  }

  #has(): readonly number[] {
    return this.#now === undefined ? noPolicies : this.feed.selecting(this.#side, this.#now);
  }

  #pairs(policies: readonly number[]): AccessPairs[] {
    if (policies.length === 0) return [];
    this.#one ??= single(this.#slot);
    return this.feed.pairsOfMember(this.#side, this.#one, policies);
  }
}

class PolicyChange extends LazyChange {
  readonly #old: Policy | undefined;
  readonly #created: Policy | undefined;

  constructor(feed: ChangeFeed, old: Policy | undefined, created: Policy | undefined) {
    super(feed);
    this.#old = old;
    this.#created = created;
  }

  findLost(): AccessPairs[] {
    return this.feed.onlyIn(this.#old, this.#created);
  }

  findGained(): AccessPairs[] {
    return this.feed.onlyIn(this.#created, this.#old);
  }
}

const noPolicies: readonly number[] = [];

/** The members of several groups of one space whose slots are below `bound`. */
function unionOf(groups: readonly MemberGroup[], bound: number): MemberGroup {
  let known: Uint32Array | undefined;
  return {
    all: false,
    most: () => groups.reduce((sum, group) => sum + group.most(), 0),
    isEmpty: () => groups.every((group) => group.isEmpty()),
    visit: (visitor) => {
      for (const group of groups) group.visit(visitor);
    },
    slots() {
      if (known === undefined) {
        const slots: number[] = [];
        for (const group of groups) for (const slot of group.slots()) slots.push(slot);
        known = sortedSlots(slots, bound);
      }
      return known;
    },
  };
}

/** The numbers of one ascending list that are not in another. */
function without(some: readonly number[], others: readonly number[]): readonly number[] {
  if (others.length === 0 || some === others) return some === others ? [] : some;
  return some.filter((slot) => others[lowerBound(others, slot)] !== slot);
}

function single(slot: number): MemberGroup {
  return {
    all: false,
    most: () => 1,
    isEmpty: () => false,
    slots: () => Uint32Array.of(slot),
    visit: (visitor) => visitor.member(slot),
  };
}

function pairsOf(policy: Policy, identities: MemberGroup, services: MemberGroup): AccessPairs[] {
  const type = policy.roles.type;
  if (type === undefined || identities === noMembers || services === noMembers) return [];
  return [{ policy: policy.slot, type, identities, services }];
}
