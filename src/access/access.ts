// The door to access: told of each member and policy, it says who may do what by which router.

import { compareBytes } from '../filter/byte-order.ts';
import type { AccessChange } from './change.ts';
import { ChangeFeed, noChange } from './change.ts';
import type { Access, AccessOptions, AttributeUse } from './contract.ts';
import { LinkMemory } from './links.ts';
import type { MemberClass } from './member-class.ts';
import { MemberTable } from './members.ts';
import { Permissions } from './permissions.ts';
import { PolicyTable, sameRoles } from './policies.ts';
import { RouterSets } from './routers.ts';
import type { Selection } from './selection.ts';
import { matchedRoles, passingSelection, selectedSlots, unitedSlots } from './selection.ts';
import { readSide } from './side-match.ts';
import { Touches } from './touches.ts';
import type { MemberSpace, PolicyFamily, PolicyRoles } from './vocabulary.ts';
import { bindBit, bitOf, dialBit, familySides, policyFamilies } from './vocabulary.ts';
import { AccessWalks } from './walks.ts';

export type { Access, AccessOptions } from './contract.ts';

/** Access to an empty network. */
export function createAccess(options: AccessOptions): Access {
  const revision = { changes: 0, routers: 0 };
  const members = emptyMembers(options);
  const policies: Readonly<Record<PolicyFamily, PolicyTable>> = {
    servicePolicy: new PolicyTable('servicePolicy', members),
    edgeRouterPolicy: new PolicyTable('edgeRouterPolicy', members),
    serviceEdgeRouterPolicy: new PolicyTable('serviceEdgeRouterPolicy', members),
  };
  const { identity, service } = members;
  const families = policyFamilies.map((family) => policies[family]);
  const links = new LinkMemory(revision, families, options.memosMax);
  const permissions = new Permissions(policies.servicePolicy, identity, service, links);
  const users = { identity, service };
  const routers = new RouterSets(revision, members.router, links, users, {
    identity: policies.edgeRouterPolicy,
    service: policies.serviceEdgeRouterPolicy,
  });
  const feed = new ChangeFeed(revision, policies.servicePolicy, identity, (side, of) =>
    selecting({ links, policies }, of, side === 0 ? 'identity' : 'service'),
  );
  const parts = { revision, members, policies, links, feed };

  return {
    changeMember: (space, slot, id, before, after) =>
      changeMember(parts, space, slot, id, before, after),
    changePolicy: (family, slot, before, after) => changePolicy(parts, family, slot, before, after),

    mayDial: (from, to) => (permissions.bits(from, to) & dialBit) !== 0,
    mayBind: (from, to) => (permissions.bits(from, to) & bindBit) !== 0,
    permissions: (from, to) => permissions.bits(from, to),
    visibleServices: (from) => permissions.visible(from),
    identitiesOf: (to) => feed.identitiesLinked(policiesOf(parts, 'service', to, 'servicePolicy')),
    identitiesUnder: (of) => feed.identitiesLinked(of),
    pairsUnder: (of) => feed.pairsUnder(of),
    touches: new Touches(identity),
    policiesLinking: (from, to, type) => permissions.linking(from, to, bitOf(type)),

    usableRouters: (from, to) => routers.usable(from, to),
    hasUsableRouter: (from, to) => routers.hasUsable(from, to),
    routersOfIdentity: (from) => routers.of('identity', from),
    routersOfService: (to) => routers.of('service', to),

    policiesOf: (space, slot, family) => policiesOf(parts, space, slot, family),
    membersOf: (family, policy, side) => {
      const found = sideOf(policies[family], policy, side);
      return found ? selectedSlots(found.table, found.selection) : new Uint32Array(0);
    },
    policiesOfAny: (space, slots, family) => policiesOfAny(parts, space, slots, family),
    membersOfAny: (family, policies, side) => membersOfAny(parts, family, policies, side),
    matchReason: (family, policy, side, member) => {
      const found = sideOf(policies[family], policy, side);
      return found === undefined ? [] : matchedRoles(found.table, found.selection, member);
    },
    matchOf: (family, policy, side, member, most) => {
      const found = sideOf(policies[family], policy, side);
      return found && readSide(found.table, found.selection, member, most);
    },
    select: (space, semantic, roles) =>
      selectedSlots(members[space], passingSelection(members[space], semantic, roles)),
    membersWith: (space, attribute) => members[space].attribute(attribute)?.members ?? 0,
    attributesOf: (space) => attributesOf(members[space]),
    walks: new AccessWalks({ members, policies, links }),
    parts,
    counts: (space) => members[space].counts(),
    memos: () => links.size,
  };
}

function emptyMembers({ ids }: AccessOptions): Readonly<Record<MemberSpace, MemberTable>> {
  return {
    identity: new MemberTable(ids?.('identity')),
    service: new MemberTable(ids?.('service')),
    router: new MemberTable(ids?.('router')),
    postureCheck: new MemberTable(ids?.('postureCheck')),
  };
}

function sideOf(policies: PolicyTable, policy: number, side: MemberSpace) {
  return policies.at(policy)?.sides[policies.sideOf(side)];
}

interface Parts {
  readonly revision: { changes: number; routers: number };
  readonly members: Readonly<Record<MemberSpace, MemberTable>>;
  readonly policies: Readonly<Record<PolicyFamily, PolicyTable>>;
  readonly links: LinkMemory;
  readonly feed: ChangeFeed;
}

const noPolicies: readonly number[] = [];

function changeMember(
  parts: Parts,
  space: MemberSpace,
  slot: number,
  id: string,
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): AccessChange {
  const table = parts.members[space];
  const old = table.classAt(slot);
  expectAttributes(old, before, `${space} ${id}`);
  if (before === undefined && after === undefined) return noChange;
  const side = space === 'identity' ? 0 : space === 'service' ? 1 : undefined;
  // What the member had must be read before it has something else.
  const had = side === undefined || old === undefined ? noPolicies : selecting(parts, old, space);
  parts.revision.changes += 1;
  if (space === 'router') parts.revision.routers += 1;
  if (after === undefined) table.remove(slot, id);
  else table.set(slot, id, after);
  const created = table.classAt(slot);
  if (side === undefined || created === old) return noChange;
  return parts.feed.ofMember(side, slot, had, created);
}

function changePolicy(
  parts: Parts,
  family: PolicyFamily,
  slot: number,
  before: PolicyRoles | undefined,
  after: PolicyRoles | undefined,
): AccessChange {
  const table = parts.policies[family];
  const known = table.at(slot)?.roles;
  if (!samePolicy(family, known, before)) {
    throw new Error(`access: the ${family} at slot ${slot} is not the one that is known`);
  }
  if (samePolicy(family, before, after)) return noChange;
  parts.revision.changes += 1;
  if (family !== 'servicePolicy') parts.revision.routers += 1;
  const { old, created } = table.set(slot, after, parts.revision.changes);
  return family === 'servicePolicy' ? parts.feed.ofPolicy(old, created) : noChange;
}

function policiesOf(
  parts: Parts,
  space: MemberSpace,
  slot: number,
  family: PolicyFamily,
): number[] {
  const members = parts.members[space].classAt(slot);
  const table = parts.policies[family];
  if (!table.selectsFrom(space)) throw new Error(`access: a ${family} has no side ${space}`);
  return members === undefined ? [] : [...policiesOfClass(parts, members, space, table)];
}

function policiesOfAny(
  parts: Parts,
  space: MemberSpace,
  slots: Iterable<number>,
  family: PolicyFamily,
): number[] {
  const table = parts.policies[family];
  if (!table.selectsFrom(space)) throw new Error(`access: a ${family} has no side ${space}`);
  const seen = new Set<MemberClass>();
  const found = new Set<number>();
  for (const slot of slots) {
    const members = parts.members[space].classAt(slot);
    if (members === undefined || seen.has(members)) continue;
    seen.add(members);
    for (const policy of policiesOfClass(parts, members, space, table)) found.add(policy);
  }
  return [...found].sort((left, right) => left - right);
}

function membersOfAny(
  parts: Parts,
  family: PolicyFamily,
  policies: Iterable<number>,
  side: MemberSpace,
): Uint32Array {
  const table = parts.policies[family];
  if (!table.selectsFrom(side)) throw new Error(`access: a ${family} has no side ${side}`);
  const selections: Selection[] = [];
  for (const policy of policies) {
    const found = table.at(policy)?.sides[table.sideOf(side)];
    if (found !== undefined) selections.push(found.selection);
  }
  return unitedSlots(parts.members[side], selections);
}

function policiesOfClass(
  parts: Pick<Parts, 'links'>,
  members: MemberClass,
  space: MemberSpace,
  table: PolicyTable,
): readonly number[] {
  const own = parts.links.of(members, space).own[table.lane] ?? noPolicies;
  const everyone = table.selectingAll(table.sideOf(space));
  if (everyone.size === 0) return own;
  return [...own, ...everyone.toArray()].sort((left, right) => left - right);
}

function selecting(
  parts: Pick<Parts, 'links' | 'policies'>,
  members: MemberClass,
  space: MemberSpace,
): readonly number[] {
  return policiesOfClass(parts, members, space, parts.policies.servicePolicy);
}

function attributesOf(table: MemberTable): AttributeUse[] {
  const used: AttributeUse[] = [];
  for (const { name, members } of table.allAttributes()) {
    if (members > 0) used.push({ name, members });
  }
  return used.sort((left, right) => compareBytes(left.name, right.name));
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

/** Whether these attributes, each once, have the names given, in any order. */
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
