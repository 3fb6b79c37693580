// Sets of rows that belong to a row, which `from` may follow (behaviour/filters).

import type { Budget } from '../../filter/scope.ts';
import type { Row } from '../../store/record.ts';
import type { MemberSpace, PolicyFamily } from '../kinds/access-vocabulary.ts';
import { fieldReader } from '../kinds/compiled.ts';
import type { Kind, KindRelation } from '../kinds/kind.ts';
import { byGroup, type RowIndex } from './field-symbols.ts';
import type { LinkedSlots, Lookups, SymbolOwner } from './symbol-sources.ts';

/** The rows of some kind that belong to a row. */
export interface LinkedRows {
  /** Kind of the rows. */
  readonly kind: string;
  /** Computed while they are read; each one is charged to the budget before. */
  things(row: Row, env: Lookups, budget: Budget): Iterable<Row>;
  /** Like `LinkedSet.count` of the filter language. */
  count?(row: Row, env: Lookups, budget: Budget, enough: number): number | undefined;
  /** Finds the rows that a member belongs to, by the member's id. */
  readonly index?: RowIndex;
}

/** The sets of a resource by name: those of its kind's relations, and its own. */
export function linkedSetsOf(
  { kind, linkedSets = {} }: SymbolOwner,
  kinds: readonly Kind[],
  resources: readonly SymbolOwner[],
): ReadonlyMap<string, LinkedRows> {
  const sets = new Map<string, LinkedRows>();
  for (const from of kinds) {
    for (const relation of from.relations) {
      if (relation.relation.kind !== kind.kind || isSide(from, relation)) continue;
      sets.set(relation.relation.inverse, referring(from, relation));
    }
  }
  for (const relation of kind.relations) {
    const isSet = kind.fields[relation.field]?.symbol === 'set';
    if (isSet && !isSide(kind, relation)) sets.set(relation.field, referred(kind, relation));
  }
  for (const selecting of selections(kinds, resources)) {
    const { policies, members } = waysOf(selecting);
    if (selecting.member === kind) sets.set(selecting.policiesName, along(policies, members));
    if (selecting.policy === kind) sets.set(selecting.membersName, along(members, policies));
  }
  for (const [name, declared] of Object.entries(linkedSets)) sets.set(name, declaredSet(declared));
  return new Map([...sets].map(([name, set]) => [name, metered(set)]));
}

/** The cost of starting to read a set, or of counting it, in steps of a budget. */
const startSteps = 3;

/** The common part of all sets: starting is charged, and a count holds for every reader. */
function metered(set: LinkedRows): LinkedRows {
  return {
    ...set,
    things(row, env, budget) {
      budget.spend(startSteps);
      return set.things(row, env, budget);
    },
    count(row, env, budget, enough) {
      budget.spend(startSteps);
      note(env, set.kind);
      // The count may include rows that readers no longer see.
      if (env.store.tableNamed(set.kind).mayHoldDeleted) return undefined;
      return set.count?.(row, env, budget, enough);
    },
  };
}

/** Whether the relation is a role list: access knows all selected members, not only the `@id`s. */
function isSide(kind: Kind, { field }: KindRelation): boolean {
  return Object.values(kind.policy?.sides ?? {}).includes(field);
}

/** The records whose field names the row. */
function referring({ kind }: Kind, { index }: KindRelation): LinkedRows {
  return {
    kind,
    *things({ id }, { store }, budget) {
      for (const row of store.tableNamed(kind).members(index, id)) {
        budget.spend(rowSteps);
        yield row;
      }
    },
    count: ({ id }, { store }) => store.tableNamed(kind).group(index).count(id),
  };
}

/** The records that the row's field names. */
function referred(own: Kind, { field, index, relation }: KindRelation): LinkedRows {
  const read = fieldReader(field);
  return {
    kind: relation.kind,
    *things(row, { store }, budget) {
      for (const id of (read(row) ?? []) as readonly string[]) {
        budget.spend(rowSteps);
        const found = store.tableNamed(relation.kind).find(id);
        if (found !== undefined) yield found;
      }
    },
    index: byGroup(own, index),
  };
}

/** One side of a family of policies: its members and the policies that select them. */
interface Selecting {
  readonly policy: Kind;
  readonly member: Kind;
  readonly family: PolicyFamily;
  readonly space: MemberSpace;
  /** The member's name for the policies that select it. */
  readonly policiesName: string;
  /** The policy's name for the members that it selects. */
  readonly membersName: string;
}

function selections(kinds: readonly Kind[], resources: readonly SymbolOwner[]): Selecting[] {
  return kinds.flatMap((policy) => {
    const { family, sides = {} } = policy.policy ?? {};
    if (family === undefined) return [];
    return Object.entries(sides).flatMap(([side, field]) => {
      const space = side as MemberSpace;
      const member = kinds.find((kind) => kind.member?.space === space);
      const { many } = resources.find(({ kind }) => kind === member)?.names ?? {};
      const found = policy.relations.find((relation) => relation.field === field);
      if (member === undefined || many === undefined || found === undefined) return [];
      const policiesName = found.relation.inverse;
      const membersName = `${many.slice(0, 1).toLowerCase()}${many.slice(1)}`;
      return [{ policy, member, family, space, policiesName, membersName }];
    });
  });
}

/** A way from a member to the policies that select it, or from a policy to its members. */
interface Way {
  /** Kind of the rows that it leads to. */
  readonly kind: string;
  slots(slot: number, env: Lookups, budget: Budget): Iterable<number>;
  count(slot: number, env: Lookups, budget: Budget, enough: number): number | undefined;
  /** As many rows as there are, or more. */
  most(slot: number, env: Lookups, budget: Budget): number;
}

function waysOf({ policy, member, family, space }: Selecting): Record<'policies' | 'members', Way> {
  const countPolicies: Way['most'] = (slot, { access }, budget) =>
    access.lookups.countPolicies(space, slot, family, budget);
  const policies: Way = {
    kind: policy.kind,
    slots(slot, env, budget) {
      note(env, policy.kind);
      return env.access.lookups.policiesOf(space, slot, family, budget);
    },
    count: countPolicies,
    most: countPolicies,
  };
  const members: Way = {
    kind: member.kind,
    slots(slot, env, budget) {
      note(env, member.kind);
      return env.access.lookups.membersOf(family, [slot], space, budget);
    },
    count: (slot, { access }, _, enough) =>
      access.lookups.countMembers(family, [slot], space, enough),
    most: (slot, { access }) => access.lookups.mostMembers(family, slot, space),
  };
  return { policies, members };
}

function along(way: Way, back: Way): LinkedRows {
  const { kind } = way;
  return {
    kind,
    things: ({ slot }, env, budget) => rowsAt(env, kind, way.slots(slot, env, budget), budget),
    count: ({ slot }, env, budget, enough) => way.count(slot, env, budget, enough),
    index: byWayBack(kind, back),
  };
}

/** Finds the rows that a way back leads to, by the id of a record of `from`. */
function byWayBack(from: string, { kind, slots, most }: Way): RowIndex {
  const slotOf = ({ store }: Lookups, id: unknown): number | undefined =>
    store.tableNamed(from).find(String(id))?.slot;
  return {
    name: `roles of ${from}`,
    count(id, env, budget) {
      const slot = slotOf(env, id);
      return slot === undefined ? 0 : most(slot, env, budget);
    },
    things(id, env, budget) {
      const slot = slotOf(env, id);
      return slot === undefined ? [] : rowsAt(env, kind, slots(slot, env, budget), budget);
    },
  };
}

function declaredSet({ kind, restsOn, slots, count }: LinkedSlots): LinkedRows {
  return {
    kind,
    *things(row, env, budget) {
      for (const other of [...restsOn, kind]) note(env, other);
      yield* rowsAt(env, kind, slots(row, env, budget), budget);
    },
    count(row, env, budget, enough) {
      for (const other of restsOn) note(env, other);
      return count(row, env, budget, enough);
    },
  };
}

/**
 * The cost of reading a row of another table, in steps of a budget: it is seldom near the last one
 * in memory.
 */
const rowSteps = 6;

function* rowsAt(
  { store }: Lookups,
  kind: string,
  slots: Iterable<number>,
  budget: Budget,
): Generator<Row> {
  const table = store.tableNamed(kind);
  for (const slot of slots) {
    budget.spend(rowSteps);
    const row = table.at(slot);
    if (row !== undefined) yield row;
  }
}

/** The set depends on the whole table, because a newer record could be in it. */
function note({ store }: Lookups, kind: string): void {
  store.fence.note(store.tableNamed(kind).lastLsn);
}
