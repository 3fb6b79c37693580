// The policies of one family, listed under what their sides name; `#all` is kept apart.

import { SlotSet } from '../containers/slot-set.ts';
import type { MemberSpace, PolicyFamily, PolicyRoles } from '../declare/kinds/access-vocabulary.ts';
import {
  bindBit,
  bitOf,
  dialBit,
  familySides,
  policyFamilies,
} from '../declare/kinds/access-vocabulary.ts';
import type { Attribute, MemberClass } from './member-class.ts';
import type { MemberTable } from './members.ts';
import type { Selection } from './selection.ts';
import {
  expectPrefixes,
  pinSelection,
  rarestAttribute,
  selectsClass,
  unpinSelection,
} from './selection.ts';

/**
 * Flag of a policy whose side 0 is `#all`, next to the permission bits 1 and 2; side n is `allSide
 * << n`.
 */
export const allSide = 4;

const everyPairFlags = allSide | (allSide << 1);

/** One policy with its sides looked up; a change of the policy replaces it as a whole. */
export interface Policy {
  readonly slot: number;
  readonly roles: PolicyRoles;
  readonly sides: readonly PolicySide[];
}

/** One side of a policy. */
export interface PolicySide {
  readonly space: MemberSpace;
  readonly table: MemberTable;
  readonly selection: Selection;
  /** The attribute through which an AllOf side is found. */
  readonly anchor: Attribute | undefined;
}

/** The policies of one family. */
export class PolicyTable {
  readonly family: PolicyFamily;
  /** Position of the family in per-family arrays. */
  readonly familyIndex: number;
  /** By policy slot: permission bits and `allSide` flags, so that the hot path reads no objects. */
  flags = new Uint8Array(64);
  readonly #sides: readonly { space: MemberSpace; table: MemberTable }[];
  /** Public for tests that damage it. */
  readonly list: (Policy | undefined)[] = [];
  /** By side: the policies that select every member. */
  readonly #everyone: readonly SlotSet[];
  /** How many policies of each permission link every identity with every service. */
  readonly everyPair = [0, 0, 0];
  #count = 0;

  constructor(family: PolicyFamily, spaces: Readonly<Record<MemberSpace, MemberTable>>) {
    this.family = family;
    this.familyIndex = policyFamilies.indexOf(family);
    this.#sides = familySides[family].map((space) => ({ space, table: spaces[space] }));
    this.#everyone = this.#sides.map(() => new SlotSet());
  }

  /** How many policies there are. */
  get size(): number {
    return this.#count;
  }

  /** Permission bits that every identity has on every service. */
  get everyPairBits(): number {
    return (this.everyPair[dialBit] ? dialBit : 0) | (this.everyPair[bindBit] ? bindBit : 0);
  }

  /** One more than the highest slot ever used. */
  get bound(): number {
    return this.list.length;
  }

  /** The policy at `slot`; undefined when there is none. */
  at(slot: number): Policy | undefined {
    return this.list[slot];
  }

  /** The side of the family that selects from `space`. Throws when there is none. */
  sideOf(space: MemberSpace): number {
    const at = this.#sides.findIndex((side) => side.space === space);
    if (at < 0) throw new Error(`access: a ${this.family} has no side ${space}`);
    return at;
  }

  /** Whether the family selects from `space`. */
  selectsFrom(space: MemberSpace): boolean {
    return this.#sides.some((side) => side.space === space);
  }

  /** The policies whose side is `#all`. */
  selectingAll(side: number): SlotSet {
    const found = this.#everyone[side];
    if (found === undefined) throw new Error(`access: a ${this.family} has no side ${side}`);
    return found;
  }

  /**
   * Creates, replaces or, with undefined, removes the policy at `slot`; returns the old and the new
   * one. Throws, before anything is changed, on a role entry without a prefix.
   */
  set(
    slot: number,
    roles: PolicyRoles | undefined,
    stamp: number,
  ): { old: Policy | undefined; created: Policy | undefined } {
    const old = this.list[slot];
    for (const { space } of this.#sides) expectPrefixes(roles?.lists[space] ?? []);
    // Looked up before the old one is released: names in both must not be dropped in between.
    const created = roles === undefined ? undefined : this.#compile(slot, roles, old);
    if (old !== undefined) this.#unlist(old, created, stamp);
    this.list[slot] = created;
    if (created !== undefined) this.#enlist(created, old, stamp);
    return { old, created };
  }

  /** Slots of the policies that select the class, ascending, without those whose side is `#all`. */
  ownOf(members: MemberClass, space: MemberSpace): number[] {
    const side = this.sideOf(space);
    const found: number[] = [];
    for (const attribute of members.attributes) {
      attribute.namedBy?.[this.familyIndex]?.forEach((slot) => {
        const selection = this.list[slot]?.sides[side]?.selection;
        if (selection === undefined) return;
        if (!selection.allOf || selectsClass(selection, members)) found.push(slot);
      });
    }
    members.owner?.namedBy[this.familyIndex]?.forEach((slot) => {
      found.push(slot);
    });
    if (found.length < 2) return found;
    return [...new Set(found)].sort((left, right) => left - right);
  }

  /**
   * Sides whose list is unchanged are taken over from `old`, so that a list of thousands of ids
   * isn't read again.
   */
  #compile(slot: number, roles: PolicyRoles, old: Policy | undefined): Policy {
    const sides = this.#sides.map(({ space, table }, at) => {
      const known = old?.sides[at];
      const stays =
        old?.roles.semantic === roles.semantic &&
        sameRoles(old.roles.lists[space], roles.lists[space]);
      if (known !== undefined && stays) return known;
      const selection = pinSelection(table, roles.semantic, roles.lists[space] ?? []);
      const anchor = selection.allOf ? rarestAttribute(selection) : undefined;
      return { space, table, selection, anchor };
    });
    return { slot, roles, sides };
  }

  #enlist(policy: Policy, old: Policy | undefined, stamp: number): void {
    this.#count += 1;
    let flags = policy.roles.type === undefined ? 0 : bitOf(policy.roles.type);
    policy.sides.forEach((side, at) => {
      if (side.selection.all) flags |= allSide << at;
      if (old?.sides[at] === side) return;
      if (side.selection.all) this.selectingAll(at).add(policy.slot);
      for (const attribute of foundThrough(side)) {
        attribute.namedBy ??= [];
        (attribute.namedBy[this.familyIndex] ??= new SlotSet()).add(policy.slot);
        attribute.stamp = stamp;
      }
      for (const mention of side.selection.mentions) {
        (mention.namedBy[this.familyIndex] ??= new SlotSet()).add(policy.slot);
        mention.stamp = stamp;
      }
    });
    this.#setFlags(policy.slot, flags);
  }

  #unlist(policy: Policy, created: Policy | undefined, stamp: number): void {
    this.#count -= 1;
    policy.sides.forEach((side, at) => {
      if (created?.sides[at] === side) return;
      if (side.selection.all) this.selectingAll(at).delete(policy.slot);
      for (const attribute of foundThrough(side)) {
        attribute.namedBy?.[this.familyIndex]?.delete(policy.slot);
        attribute.stamp = stamp;
      }
      for (const mention of side.selection.mentions) {
        mention.namedBy[this.familyIndex]?.delete(policy.slot);
        mention.stamp = stamp;
      }
      unpinSelection(side.table, side.selection);
    });
    this.#setFlags(policy.slot, 0);
  }

  #setFlags(slot: number, flags: number): void {
    if (slot >= this.flags.length) {
      const wider = new Uint8Array(Math.max(slot + 1, this.flags.length * 2));
      wider.set(this.flags);
      this.flags = wider;
    }
    this.#countEveryPair(this.flags[slot] ?? 0, -1);
    this.#countEveryPair(flags, 1);
    this.flags[slot] = flags;
  }

  #countEveryPair(flags: number, by: number): void {
    if ((flags & everyPairFlags) !== everyPairFlags) return;
    const bits = flags & (dialBit | bindBit);
    this.everyPair[bits] = (this.everyPair[bits] ?? 0) + by;
  }
}

/** Whether two role lists are the same, entry by entry; a missing list counts as empty. */
export function sameRoles(left: readonly string[] = [], right: readonly string[] = []): boolean {
  return left.length === right.length && left.every((role, at) => role === right[at]);
}

/**
 * Attributes under which a side is listed. An AllOf side is listed only under its anchor, because
 * all its attributes are needed anyway.
 */
export function foundThrough(side: PolicySide): readonly Attribute[] {
  if (!side.selection.allOf) return side.selection.attributes;
  return side.anchor === undefined ? [] : [side.anchor];
}
