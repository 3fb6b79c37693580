// Role lists made ready for matching, and the members they select (behaviour/policies#matching).

import { sortedSlots } from '../containers/slot-set.ts';
import { roleAll, type Semantic } from '../declare/kinds/access-vocabulary.ts';
import type { Attribute, MemberClass, Mention } from './member-class.ts';
import { type MemberTable, newAttribute } from './members.ts';

/** One role list, its entries looked up. */
export interface Selection {
  /** The list is `#all`. */
  readonly all: boolean;
  readonly allOf: boolean;
  readonly attributes: readonly Attribute[];
  readonly mentions: readonly Mention[];
}

/** A selection whose attributes and mentions stay alive until `unpinSelection`: a policy's side. */
export function pinSelection(
  table: MemberTable,
  semantic: Semantic,
  roles: readonly string[],
): Selection {
  return readSelection(
    semantic,
    roles,
    (name) => table.pinAttribute(name),
    (id) => table.pinMention(id),
  );
}

/** Releases what `pinSelection` held; the selection still answers until the next change. */
export function unpinSelection(table: MemberTable, selection: Selection): void {
  for (const attribute of selection.attributes) table.unpinAttribute(attribute);
  for (const mention of selection.mentions) table.unpinMention(mention);
}

/**
 * Throws when an entry is neither `#attribute` nor `@id`: callers check their input with
 * `checkRoles`.
 */
export function expectPrefixes(roles: readonly string[]): void {
  for (const role of roles) {
    if (role.startsWith('#') || role.startsWith('@')) continue;
    throw new Error(`access: a role must start with # or @, not ${role}`);
  }
}

/**
 * A selection for one question, such as a role filter; it keeps nothing alive. Throws like
 * `expectPrefixes`.
 */
export function passingSelection(
  table: MemberTable,
  semantic: Semantic,
  roles: readonly string[],
): Selection {
  expectPrefixes(roles);
  return readSelection(
    semantic,
    roles,
    (name) => table.attribute(name) ?? newAttribute(name, 0),
    (id) => ({ id, slot: table.slotOf(id) ?? -1, namedBy: [], pins: 0, stamp: 0 }),
  );
}

/** Whether members of this class are selected by their attributes, or because all are. */
export function selectsClass(selection: Selection, members: MemberClass): boolean {
  if (selection.all) return true;
  if (selection.attributes.length === 0) return false;
  return selection.allOf
    ? selection.attributes.every((attribute) => members.attributes.includes(attribute))
    : selection.attributes.some((attribute) => members.attributes.includes(attribute));
}

/**
 * The selection's attribute that the fewest classes have: each AllOf match is among its classes.
 */
export function rarestAttribute(selection: Selection): Attribute | undefined {
  let rarest = selection.attributes[0];
  for (const attribute of selection.attributes) {
    if ((attribute.classes?.size ?? 0) < (rarest?.classes?.size ?? 0)) rarest = attribute;
  }
  return rarest;
}

/**
 * Calls `visit` once with each class that is selected by attributes or `#all`, but not by mentions.
 */
export function forEachClass(
  table: MemberTable,
  selection: Selection,
  visit: (members: MemberClass) => void,
): void {
  if (selection.all) {
    table.classes.forEach(visit);
    return;
  }
  if (!selection.allOf) {
    table.classes.forEachWithAny(selection.attributes, visit);
    return;
  }
  const rarest = rarestAttribute(selection);
  if (rarest === undefined) return;
  table.classes.forEachWithAny([rarest], (members) => {
    if (selectsClass(selection, members)) visit(members);
  });
}

/** Is told of selected members, as whole classes where possible. */
export interface SelectionVisitor {
  members(of: MemberClass): void;
  member(slot: number): void;
}

/** Tells the members that `include` selects and `exclude` doesn't; some may be told twice. */
export function visitSelected(
  table: MemberTable,
  include: Selection,
  exclude: Selection | undefined,
  visitor: SelectionVisitor,
): void {
  if (exclude?.all === true) return;
  // A mentioned member may share a class: a policy that is gone mentions no member any longer.
  const spared = new Set(exclude?.mentions.map((mention) => mention.slot));
  const split = new Set([...spared].map((slot) => table.classAt(slot)));
  forEachClass(table, include, (members) => {
    if (exclude !== undefined && selectsClass(exclude, members)) return;
    if (!split.has(members)) visitor.members(members);
    else {
      table.forEachOf(members, (slot) => {
        if (!spared.has(slot)) visitor.member(slot);
      });
    }
  });
  for (const { slot } of include.mentions) {
    const members = slot < 0 || spared.has(slot) ? undefined : table.classAt(slot);
    if (members === undefined) continue;
    if (exclude === undefined || !selectsClass(exclude, members)) visitor.member(slot);
  }
}

/** The members that `include` selects and `exclude` doesn't, ascending. */
export function selectedSlots(
  table: MemberTable,
  include: Selection,
  exclude?: Selection,
): Uint32Array {
  if (include.all && exclude === undefined) return table.existing();
  const slots: number[] = [];
  const take = (slot: number): void => {
    slots.push(slot);
  };
  visitSelected(table, include, exclude, {
    members: (of) => table.forEachOf(of, take),
    member: take,
  });
  return sortedSlots(slots, table.bound);
}

/** The members that some of the selections select, each once, ascending. */
export function unitedSlots(table: MemberTable, selections: readonly Selection[]): Uint32Array {
  if (selections.some(({ all }) => all)) return table.existing();
  const classes = new Set<MemberClass>();
  const slots: number[] = [];
  for (const selection of selections) {
    visitSelected(table, selection, undefined, {
      members: (of) => classes.add(of),
      member: (slot) => slots.push(slot),
    });
  }
  for (const members of classes) table.forEachOf(members, (slot) => slots.push(slot));
  return sortedSlots(slots, table.bound);
}

/** Whether some member is selected, without a walk over members. */
export function selectsAny(table: MemberTable, selection: Selection): boolean {
  if (selection.all) return table.size > 0;
  if (selection.mentions.some((mention) => mention.slot >= 0)) return true;
  if (!selection.allOf) return selection.attributes.some((attribute) => attribute.members > 0);
  let found = false;
  forEachClass(table, selection, () => {
    found = true;
  });
  return found;
}

/** An upper bound of the number of selected members; reads only the list's entries. */
export function mostSelected(table: MemberTable, selection: Selection): number {
  if (selection.all) return table.size;
  const { attributes, mentions } = selection;
  const having = attributes.map((attribute) => attribute.members);
  const byAttributes = selection.allOf
    ? Math.min(...(having.length === 0 ? [0] : having))
    : having.reduce((sum, members) => sum + members, 0);
  return byAttributes + mentions.length;
}

/** How many members are selected, if a number that is kept anyway tells; otherwise undefined. */
export function countSelected(table: MemberTable, selection: Selection): number | undefined {
  if (selection.all) return table.size;
  const { attributes, mentions } = selection;
  return attributes.length === 1 && mentions.length === 0 ? attributes[0]?.members : undefined;
}

function readSelection(
  semantic: Semantic,
  roles: readonly string[],
  attributeOf: (name: string) => Attribute,
  mentionOf: (id: string) => Mention,
): Selection {
  const allOf = semantic === 'AllOf';
  if (roles.includes(roleAll)) return { all: true, allOf, attributes: [], mentions: [] };
  const attributes: Attribute[] = [];
  const mentions: Mention[] = [];
  for (const role of new Set(roles)) {
    const word = role.slice(1);
    if (role.startsWith('#')) attributes.push(attributeOf(word));
    else mentions.push(mentionOf(word));
  }
  return { all: false, allOf, attributes, mentions };
}
