// Random changes of a small network, from a seed; slots are reused.

import type {
  MemberSpace,
  PolicyFamily,
  PolicyRoles,
} from '../../src/declare/kinds/access-vocabulary.ts';
import { familySides, policyFamilies } from '../../src/declare/kinds/access-vocabulary.ts';
import type { NaiveAccess, NaiveMember } from '../access/naive-access.ts';

/** A change of one member or one policy; `before` and `after` swapped is its inverse. */
export type Change =
  | {
      readonly what: 'member';
      readonly space: MemberSpace;
      readonly slot: number;
      readonly before: NaiveMember | undefined;
      readonly after: NaiveMember | undefined;
    }
  | {
      readonly what: 'policy';
      readonly family: PolicyFamily;
      readonly slot: number;
      readonly before: PolicyRoles | undefined;
      readonly after: PolicyRoles | undefined;
    };

/** Every member space. */
export const memberSpaces: readonly MemberSpace[] = [
  'identity',
  'service',
  'router',
  'postureCheck',
];

/** Slots a space of the small network has; ids are more, so that slots are reused by other ids. */
export const slotsOf: Readonly<Record<MemberSpace, number>> = {
  identity: 8,
  service: 6,
  router: 5,
  postureCheck: 3,
};

/** Slots a policy family has. */
export const policySlots = 6;

const attributes = ['a', 'b', 'c', 'd', 'all'];
const idsPerSlot = 2;

/** Draws numbers from a seed (mulberry32). */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** A change that fits the model as it is now. */
export function randomChange(model: NaiveAccess, random: (below: number) => number): Change {
  if (random(5) < 2) {
    const family = pick(policyFamilies, random);
    const slot = random(policySlots);
    const before = model.policies[family].get(slot);
    const gone = before !== undefined && random(4) === 0;
    const after = gone ? undefined : randomPolicy(family, before, random);
    return { what: 'policy', family, slot, before, after };
  }
  const space = pick(memberSpaces, random);
  const slot = random(slotsOf[space]);
  const before = model.members[space].get(slot);
  if (before !== undefined && random(4) === 0) {
    return { what: 'member', space, slot, before, after: undefined };
  }
  const id = before?.id ?? freeId(model, space, random);
  const after = { id, attributes: pooled(some(attributes, random(4), random)) };
  return { what: 'member', space, slot, before, after };
}

/** The change that takes another back. */
export function inverseOf(change: Change): Change {
  return change.what === 'member'
    ? { ...change, before: change.after, after: change.before }
    : { ...change, before: change.after, after: change.before };
}

/** Does the change to the model. */
export function applyToModel(model: NaiveAccess, change: Change): void {
  if (change.what === 'member') put(model.members[change.space], change.slot, change.after);
  else put(model.policies[change.family], change.slot, change.after);
}

function put<Value>(map: Map<number, Value>, slot: number, value: Value | undefined): void {
  if (value === undefined) map.delete(slot);
  else map.set(slot, value);
}

function randomPolicy(
  family: PolicyFamily,
  before: PolicyRoles | undefined,
  random: (below: number) => number,
): PolicyRoles {
  const lists: Partial<Record<MemberSpace, readonly string[]>> = { ...before?.lists };
  // An update mostly touches one side, as callers do.
  const sides = familySides[family];
  const only = before !== undefined && random(3) > 0 ? random(sides.length) : -1;
  sides.forEach((side, at) => {
    if (only < 0 || only === at) lists[side] = randomRoles(side, random);
  });
  const kept = only >= 0 ? before : undefined;
  const semantic = kept?.semantic ?? (random(2) === 0 ? 'AllOf' : 'AnyOf');
  if (family !== 'servicePolicy') return { semantic, lists };
  return { semantic, type: kept?.type ?? (random(2) === 0 ? 'Dial' : 'Bind'), lists };
}

function randomRoles(space: MemberSpace, random: (below: number) => number): string[] {
  const kind = random(10);
  if (kind === 0) return [];
  if (kind === 1) return ['#all'];
  const roles: string[] = [];
  for (let count = 1 + random(3); count > 0; count--) {
    if (random(3) > 0) roles.push(`#${pick(attributes.slice(0, 4), random)}`);
    else roles.push(`@${space}${random(slotsOf[space] * idsPerSlot)}`);
  }
  return roles;
}

function freeId(model: NaiveAccess, space: MemberSpace, random: (below: number) => number): string {
  const taken = new Set([...model.members[space].values()].map((member) => member.id));
  const free: string[] = [];
  for (let at = 0; at < slotsOf[space] * idsPerSlot; at++) {
    if (!taken.has(`${space}${at}`)) free.push(`${space}${at}`);
  }
  return pick(free, random);
}

function some(from: readonly string[], count: number, random: (below: number) => number): string[] {
  return Array.from({ length: count }, () => pick(from, random));
}

/** Equal lists are one, as they are in records (`ValuePool`). */
function pooled(list: readonly string[]): readonly string[] {
  const key = list.join();
  const known = lists.get(key) ?? list;
  lists.set(key, known);
  return known;
}

const lists = new Map<string, readonly string[]>();

function pick<Value>(from: readonly Value[], random: (below: number) => number): Value {
  const found = from[random(from.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}
