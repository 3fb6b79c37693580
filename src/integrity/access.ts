// Checks whether access agrees with the records, by comparing it with access that is built from
// them beside it. Then compares what posture remembers of policies with access.

import type { Access } from '../access/access.ts';
import type { MemberTable } from '../access/members.ts';
import { foundThrough, type PolicyTable } from '../access/policies.ts';
import { type FaultSearch, firstFault, numbersBelow } from '../containers/walk.ts';
import {
  familySides,
  type MemberSpace,
  memberSpaces,
  type PolicyFamily,
  policyFamilies,
} from '../declare/kinds/access-vocabulary.ts';
import type { Posture } from '../posture/posture.ts';
import { postureCheckKind } from '../records/posture-check.ts';
import { servicePolicyKind } from '../records/service-policy.ts';
import type { Store } from '../store/store.ts';

/** The name of the member or policy in a slot, for descriptions. */
export type NameOf = (of: MemberSpace | PolicyFamily, slot: number) => string;

/** What access answers about one thing, by subject. */
type Said = Readonly<Record<string, unknown>>;

/** A question that both instances are asked. */
interface Question {
  readonly name: () => string;
  readonly ask: (access: Access) => Said | undefined;
}

/** The first answer of `known` that differs from that of `fresh`, which is kept in step with it. */
export function accessFault(known: Access, fresh: Access, nameOf: NameOf): FaultSearch {
  return firstFault(questions(known, fresh, nameOf), ({ name, ask }) => {
    const [is, wanted] = [ask(known) ?? {}, ask(fresh) ?? {}];
    const topics = Object.keys({ ...is, ...wanted });
    const topic = topics.find((one) => JSON.stringify(is[one]) !== JSON.stringify(wanted[one]));
    return topic && `${name()} is known with other ${topic} than the records have`;
  });
}

function* questions(known: Access, fresh: Access, nameOf: NameOf): Generator<Question> {
  for (const family of policyFamilies) {
    const [left, right] = [known.internals.policies[family], fresh.internals.policies[family]];
    for (const slot of numbersBelow(() => Math.max(left.bound, right.bound))) {
      const name = () => nameOf(family, slot);
      yield { name, ask: ({ internals: parts }) => ofPolicy(parts.policies[family], slot) };
    }
    yield { name: () => family, ask: ({ internals: parts }) => ofFamily(parts.policies[family]) };
  }
  for (const space of memberSpaces) {
    const [left, right] = [known.internals.members[space], fresh.internals.members[space]];
    const of = ({ internals: parts }: Access) => parts.members[space];
    for (const slot of numbersBelow(() => Math.max(left.bound, right.bound))) {
      const name = () => nameOf(space, slot);
      yield { name, ask: (access) => ofMember(of(access), slot) };
      // No policy can tell the members of a class apart, so one of each is asked.
      if (left.classAt(slot)?.head !== slot) continue;
      yield { name, ask: (access) => ofClass(access, space, slot) };
    }
    for (const { name: attribute } of right.allAttributes()) {
      const name = () => `role attribute ${attribute} of ${space}`;
      yield { name, ask: (access) => ofAttribute(of(access), attribute) };
    }
    for (const { id } of right.allMentions()) {
      const name = () => `id ${id} of ${space}`;
      yield { name, ask: (access) => ofMention(of(access), id) };
    }
    yield { name: () => space, ask: (access) => ({ ...of(access).counts() }) };
  }
}

function ofPolicy(table: PolicyTable, slot: number): Said | undefined {
  const policy = table.at(slot);
  if (policy === undefined) return undefined;
  const sides = policy.sides.map((side, at) => {
    const { attributes, mentions, all } = side.selection;
    const through = [...foundThrough(side), ...mentions];
    return [
      `${side.space} roles`,
      [
        // Lists of thousands of ids are compared fastest as one text.
        policy.roles.lists[side.space]?.join(),
        attributes.map(({ name }) => name).join(),
        mentions.map(({ id }) => id).join(),
        [all, table.selectingAll(at).has(slot)],
        attributes.every((one) => side.table.attribute(one.name) === one),
        mentions.every((one) => side.table.mention(one.id) === one),
        through.every(({ namedBy }) => namedBy?.[table.familyIndex]?.has(slot) === true),
      ],
    ];
  });
  const permissions = table.flags[slot];
  return { permissions, semantics: policy.roles.semantic, ...Object.fromEntries(sides) };
}

function ofFamily({ size, everyPair }: PolicyTable): Said {
  return { counts: [size, everyPair] };
}

function ofMember(table: MemberTable, slot: number): Said | undefined {
  const members = table.classAt(slot);
  if (members === undefined) return undefined;
  return {
    'role attributes': members.attributes.map(({ name }) => name).sort(),
    'class members': [members.size, members.owner?.id],
    'neighbours in its class': table.isLinked(slot),
  };
}

function ofClass(access: Access, space: MemberSpace, slot: number): Said {
  const families = policyFamilies.filter((family) => familySides[family].includes(space));
  const policies = families.map((one) => [`${one} links`, access.policiesOf(space, slot, one)]);
  const routers =
    (space === 'identity' && [...access.routers.of('identity', slot)]) ||
    (space === 'service' && [...access.routers.of('service', slot)]);
  return { ...Object.fromEntries(policies), routers };
}

function ofAttribute(table: MemberTable, name: string): Said {
  const { members, pins, classes } = table.attribute(name) ?? {};
  return { 'member counts': [members, pins, classes?.size ?? 0] };
}

function ofMention(table: MemberTable, id: string): Said {
  const { slot, pins } = table.mention(id) ?? {};
  return { slots: [slot, pins] };
}

/** Whether posture remembers, per policy, the checks that access selects. */
export function rememberedFault(
  store: Store,
  access: Access,
  posture: Pick<Posture, 'known'>,
): FaultSearch {
  const checks = store.table(postureCheckKind);
  // An entry that is forgotten meanwhile can no longer be wrong.
  const slots = numbersBelow(() => posture.known.length);
  return firstFault(slots, (slot) => {
    const known = posture.known[slot];
    if (known === undefined) return undefined;
    const wanted = access.membersOf('servicePolicy', slot, 'postureCheck');
    const isAsIs =
      known.length === wanted.length &&
      known.every((record, at) => checks.inSlot(wanted[at] ?? -1)?.record === record);
    const id = store.table(servicePolicyKind).inSlot(slot)?.id ?? `in slot ${slot}`;
    return isAsIs ? undefined : `servicePolicy ${id} is remembered with other checks than it has`;
  });
}
