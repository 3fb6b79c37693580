// What can be wrong with one member, class, mention or policy as access keeps it.

import type { Mention } from './member-class.ts';
import type { MemberTable } from './members.ts';
import { allSide, foundThrough, type PolicySide, type PolicyTable, sameRoles } from './policies.ts';
import type { PolicyRoles } from './vocabulary.ts';
import { bitOf, roleAll } from './vocabulary.ts';

/** What is wrong with a member, as the end of a sentence; undefined attributes are of no member. */
export function memberFault(
  table: MemberTable,
  slot: number,
  id: string,
  attributes: readonly string[] | undefined,
): string | undefined {
  const known = table.slotOf(id);
  if (attributes === undefined) return known === undefined ? undefined : 'is known and no member';
  const members = table.classAt(slot);
  if (members === undefined) return 'is of no class';
  if (known !== slot) return `is known in slot ${known}, not in ${slot}`;
  const names = new Set(attributes);
  const isOf =
    members.attributes.length === names.size && members.attributes.every((a) => names.has(a.name));
  if (!isOf) return 'is known by other role attributes';
  if (members.owner !== table.mention(id)) return 'is of the class of another';
  return table.isLinked(slot) ? undefined : 'is not listed in its class';
}

/** What is wrong with a class. */
export function classFault(table: MemberTable, index: number): string | undefined {
  const members = table.classes.peek(index);
  if (members === undefined) return undefined;
  if (members.size < 1) return 'is empty';
  for (const attribute of members.attributes) {
    if (table.attribute(attribute.name) !== attribute) return `has a lost ${attribute.name}`;
    if (!attribute.classes?.has(index))
      return `is not found by its role attribute ${attribute.name}`;
  }
  return undefined;
}

/** What is wrong with a mention. */
export function mentionFault(table: MemberTable, { id, slot }: Mention): string | undefined {
  const known = table.slotOf(id) ?? -1;
  return slot === known ? undefined : `is known in slot ${slot}, not in ${known}`;
}

/** What is wrong with a policy. */
export function policyFault(
  table: PolicyTable,
  slot: number,
  roles: PolicyRoles,
): string | undefined {
  const policy = table.at(slot);
  if (policy === undefined) return 'is not known';
  const { roles: known } = policy;
  if (known.semantic !== roles.semantic || known.type !== roles.type) return 'is known as another';
  let flags = roles.type === undefined ? 0 : bitOf(roles.type);
  for (const [at, side] of policy.sides.entries()) {
    const list = roles.lists[side.space] ?? [];
    if (!sameRoles(known.lists[side.space], list)) return `is known by other ${side.space} roles`;
    if (list.includes(roleAll)) flags |= allSide << at;
    if (table.selectingAll(at).has(slot) !== list.includes(roleAll)) {
      return `is not as known as it should be for every ${side.space}`;
    }
    if (!isRead(side, list)) return `selects by other ${side.space} roles than it has`;
    if (!isListed(table, side, slot)) return `is not found by all of its ${side.space} roles`;
  }
  return table.flags[slot] === flags ? undefined : 'is known to allow something else';
}

/** Whether the entries of a list were looked up as they are written. */
function isRead({ selection, table }: PolicySide, list: readonly string[]): boolean {
  const { all, attributes, mentions } = selection;
  if (all) return list.includes(roleAll);
  const wanted = new Set(list);
  const areAlive =
    attributes.every((one) => table.attribute(one.name) === one) &&
    mentions.every((one) => table.mention(one.id) === one);
  return (
    areAlive &&
    wanted.size === attributes.length + mentions.length &&
    attributes.every(({ name }) => wanted.has(`#${name}`)) &&
    mentions.every(({ id }) => wanted.has(`@${id}`))
  );
}

function isListed({ lane }: PolicyTable, side: PolicySide, slot: number): boolean {
  return (
    foundThrough(side).every(({ namedBy }) => namedBy?.[lane]?.has(slot) === true) &&
    side.selection.mentions.every(({ namedBy }) => namedBy[lane]?.has(slot) === true)
  );
}
