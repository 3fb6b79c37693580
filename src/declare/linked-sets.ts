// Sets of rows that belong to a row: what `from` may follow (behaviour §2.5.4, Appendix B).

import type { MemberSpace, PolicyFamily } from '../access/vocabulary.ts';
import type { Row } from '../store/record.ts';
import type { Environment } from './environment.ts';
import { byGroup, type RowIndex, reader } from './field-symbols.ts';
import type { Kind, KindRelation } from './kind.ts';
import type { LinkedSlots, Resource } from './resource.ts';

/** The rows of some kind that belong to a row. */
export interface LinkedRows {
  /** Kind of the rows. */
  readonly kind: string;
  things(row: Row, env: Environment): Iterable<Row>;
  /** From the id of one of them to the rows that it belongs to. */
  readonly index?: RowIndex;
}

/** The sets of a resource by name: those that its kind's relations give, and its own. */
export function linkedSetsOf(
  { kind, linkedSets = {} }: Resource,
  kinds: readonly Kind[],
  resources: readonly Resource[],
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
  for (const sight of selections(kinds, resources)) {
    if (sight.member === kind) sets.set(sight.policiesName, toPolicies(sight));
    if (sight.policy === kind) sets.set(sight.membersName, toMembers(sight));
  }
  for (const [name, declared] of Object.entries(linkedSets)) sets.set(name, declaredSet(declared));
  return sets;
}

/** Whether the relation is a role list: whom it selects, access knows better than its `@id`s. */
function isSide(kind: Kind, { field }: KindRelation): boolean {
  return Object.values(kind.policy?.sides ?? {}).includes(field);
}

/** The records whose field names the row. */
function referring({ kind }: Kind, { index }: KindRelation): LinkedRows {
  return {
    kind,
    things: ({ record }, { store }) => store.table(kind).members(index, record.id),
  };
}

/** The records that the row's field names. */
function referred(own: Kind, { field, index, relation }: KindRelation): LinkedRows {
  const read = reader(field);
  return {
    kind: relation.kind,
    *things(row, { store }) {
      for (const id of (read(row) ?? []) as readonly string[]) {
        const found = store.table(relation.kind).find(id);
        if (found !== undefined) yield found;
      }
    },
    index: byGroup(own, index),
  };
}

/** One side of a family of policies: who is selected by whom. */
interface Selecting {
  readonly policy: Kind;
  readonly member: Kind;
  readonly family: PolicyFamily;
  readonly space: MemberSpace;
  /** What a member calls the policies that select it. */
  readonly policiesName: string;
  /** What a policy calls the members it selects. */
  readonly membersName: string;
}

function selections(kinds: readonly Kind[], resources: readonly Resource[]): Selecting[] {
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

function toPolicies(selecting: Selecting): LinkedRows {
  const { policy, member } = selecting;
  return {
    kind: policy.kind,
    things: ({ slot }, env) => rowsAt(env, policy, policySlots(env, selecting, slot)),
    index: bySlots(member, policy, (env, slot) => memberSlots(env, selecting, slot)),
  };
}

function toMembers(selecting: Selecting): LinkedRows {
  const { policy, member } = selecting;
  return {
    kind: member.kind,
    things: ({ slot }, env) => rowsAt(env, member, memberSlots(env, selecting, slot)),
    index: bySlots(policy, member, (env, slot) => policySlots(env, selecting, slot)),
  };
}

type Slots = ArrayLike<number> & Iterable<number>;

function policySlots(env: Environment, selecting: Selecting, member: number): Slots {
  const { policy, space, family } = selecting;
  note(env, policy.kind);
  return env.access.policiesOf(space, member, family);
}

function memberSlots(env: Environment, selecting: Selecting, policy: number): Slots {
  const { member, space, family } = selecting;
  note(env, member.kind);
  return env.access.membersOf(family, policy, space);
}

/** From the id of a record of `from` to rows of `own`. */
function bySlots(
  own: Kind,
  from: Kind,
  slotsOf: (env: Environment, slot: number) => Slots,
): RowIndex {
  const slotsOfId = (env: Environment, id: unknown): Slots => {
    const row = env.store.table(from.kind).find(String(id));
    return row === undefined ? [] : slotsOf(env, row.slot);
  };
  return {
    name: `roles of ${from.kind}`,
    count: (id, env) => slotsOfId(env, id).length,
    things: (id, env) => rowsAt(env, own, slotsOfId(env, id)),
  };
}

function declaredSet({ kind, restsOn, slots }: LinkedSlots): LinkedRows {
  return {
    kind,
    *things(row, env) {
      for (const other of restsOn) note(env, other);
      note(env, kind);
      const table = env.store.table(kind);
      for (const slot of slots(row, env)) {
        const found = table.at(slot);
        if (found !== undefined) yield found;
      }
    },
  };
}

function* rowsAt({ store }: Environment, { kind }: Kind, slots: Iterable<number>): Generator<Row> {
  const table = store.table(kind);
  for (const slot of slots) {
    const row = table.at(slot);
    if (row !== undefined) yield row;
  }
}

/** Which they are rests on the whole table: a newer record could be among them. */
function note({ store }: Environment, kind: string): void {
  store.fence.note(store.table(kind).lastLsn);
}
