// Attributes, mentions, and the classes of members that no policy can tell apart.

import type { SlotSet } from '../containers/slot-set.ts';

/** The policies that name an attribute or an id: one set per policy family, by its index. */
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
   * Policies found through it: each AnyOf policy that names it, and each AllOf policy whose anchor
   * it is.
   */
  namedBy: NamedBy | undefined;
  /** Classes that have it plus policy sides that name it; at 0 it is dropped. */
  pins: number;
  /** The change at which `namedBy` last changed. */
  stamp: number;
}

/** An id named by `@id` in some policy, whether or not a member of that id exists. */
export interface Mention {
  readonly id: string;
  /** The member's slot, -1 while there is none. */
  slot: number;
  readonly namedBy: NamedBy;
  /** Policy sides that name it; at 0 it is dropped. */
  pins: number;
  stamp: number;
}

/** A class's policies as computed, kept until an attribute of the class is stamped later. */
export interface ClassPolicies {
  /** The change at which it was computed. */
  readonly at: number;
  /**
   * By family index: slots of the policies that select the class, ascending, `#all` policies left
   * out.
   */
  readonly own: readonly (readonly number[])[];
  /** Words of the router bitset by family index, and the router revision they belong to. */
  routers: RouterWords | undefined;
}

/**
 * A set of router slots as 32-bit words, with the revision of the router policies at which it was
 * computed.
 */
export interface RouterWords {
  readonly at: number;
  readonly words: Uint32Array;
}

/**
 * Members of one space with the same attributes. No policy can tell them apart, so everything about
 * policies is kept per class, and a member costs three numbers. A member that is named by `@id` has
 * a class of its own.
 */
export interface MemberClass {
  readonly index: number;
  /** The attributes, each once, by ascending serial. */
  readonly attributes: readonly Attribute[];
  /** Set on the private class of a member that policies name by id. */
  readonly owner: Mention | undefined;
  readonly hash: number;
  /** The next class with the same hash. */
  nextSameHash: MemberClass | undefined;
  /** First member, -1 when empty; the table's list links to the others. */
  head: number;
  size: number;
  policies: ClassPolicies | undefined;
}
