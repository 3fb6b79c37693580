// What members have in common: attributes, mentions, and classes that no policy can tell apart.

import type { SlotSet } from '../store/slot-set.ts';

/** Which policies name an attribute or an id: one set a policy family, by lane. */
export type NamedBy = (SlotSet | undefined)[];

/** One role attribute of a space, alive while a class has it or a policy names it. */
export interface Attribute {
  readonly name: string;
  /** Never reused, so that attributes can be put in a fixed order. */
  readonly serial: number;
  /** How many members have it. */
  members: number;
  /** Indexes of the classes that have it. */
  classes: SlotSet | undefined;
  /**
   * Policies found through it: each AnyOf policy that names it, an AllOf one only through its
   * anchor.
   */
  namedBy: NamedBy | undefined;
  /** Classes that have it plus policy sides that name it; at 0 it is dropped. */
  pins: number;
  /** The change at which `namedBy` last changed. */
  stamp: number;
}

/** An id named by `@id` in some policy, whether a member of that id exists or not. */
export interface Mention {
  readonly id: string;
  /** The member's slot, -1 while there is none. */
  slot: number;
  readonly namedBy: NamedBy;
  /** Policy sides that name it; at 0 it is dropped. */
  pins: number;
  stamp: number;
}

/** What a class worked out about its policies, kept until an attribute of it is stamped later. */
export interface Links {
  /** The change at which it was worked out. */
  readonly at: number;
  /**
   * By family lane: slots of the policies that select the class, ascending, `#all` policies left
   * out.
   */
  readonly own: readonly (readonly number[])[];
  /** Words of the router bitset by family lane, and the router revision they belong to. */
  routers: RouterWords | undefined;
}

/**
 * A set of router slots as 32-bit words, with the revision of the router policies it was made at.
 */
export interface RouterWords {
  readonly at: number;
  readonly words: Uint32Array;
}

/**
 * Members of one space with the same attributes. No policy can tell them apart, so everything about
 * policies is kept a class, and a member costs three numbers. A member that is named by `@id` has a
 * class of its own.
 */
export interface MemberClass {
  readonly index: number;
  /** Each once, by ascending serial. */
  readonly attributes: readonly Attribute[];
  /** Set on the private class of a member that policies name by id. */
  readonly owner: Mention | undefined;
  readonly hash: number;
  /** Chain of classes of the same hash. */
  nextSameHash: MemberClass | undefined;
  /** First member, -1 when empty; the others follow in the table's list. */
  head: number;
  size: number;
  links: Links | undefined;
}
