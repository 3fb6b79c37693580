// Recomputes whom policies select, straight from the texts of records, and holds access against it.

import type { Access } from '../access/access.ts';
import type { MemberSpace, PolicyFamily } from '../access/vocabulary.ts';
import type { RecordBase, Row } from '../store/record.ts';
import type { IntegrityTables, RecordFinding } from './integrity.ts';
import type { Kind } from './kind.ts';

/**
 * Checks members one by one against all policies that could select them (behaviour §3.2), each in a
 * time that follows the policies it finds.
 */
export class PolicyChecks {
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #tables: IntegrityTables;
  readonly #access: Pick<Access, 'policiesOf'>;
  readonly #lists: ReadonlyMap<MemberSpace, readonly RoleLists[]>;

  constructor(kinds: readonly Kind[], tables: IntegrityTables, access: Pick<Access, 'policiesOf'>) {
    this.#kinds = new Map(kinds.map((kind) => [kind.kind, kind]));
    this.#tables = tables;
    this.#access = access;
    this.#lists = listsBySpace(kinds, tables);
  }

  /** Reads all policies, one a step: else the first question does, at once. */
  *reading(): Generator<undefined> {
    for (const lists of this.#lists.values()) for (const list of lists) yield* list.reading();
  }

  /** To be called whenever a record in a slot has changed since policies were read. */
  reread(kind: string, slot: number): void {
    for (const lists of this.#lists.values()) {
      for (const list of lists) if (list.kind === kind) list.reread(slot);
    }
  }

  /** Policies that select a member and access does not know of, or the other way round. */
  of(kindName: string, row: Row): RecordFinding[] {
    const { member } = this.#kinds.get(kindName) ?? {};
    const attributes = member?.attributes(row.record as never);
    if (member === undefined || attributes === undefined) return [];
    const found: RecordFinding[] = [];
    for (const list of this.#lists.get(member.space) ?? []) {
      const wanted = list.selecting(row.record.id, attributes);
      const known = this.#access.policiesOf(member.space, row.slot, list.family);
      // Both have each slot once.
      if (wanted.size === known.length && known.every((slot) => wanted.has(slot))) continue;
      for (const slot of differing(wanted, known)) {
        found.push(this.#finding(list, slot, `${kindName} ${row.record.id}`, wanted.has(slot)));
      }
    }
    return found;
  }

  #finding(list: RoleLists, slot: number, member: string, selects: boolean): RecordFinding {
    const policy = this.#tables.table(list.kind).inSlot(slot)?.record;
    const description = selects
      ? `selects the ${member}, which access does not know`
      : `does not select the ${member}, though access says so`;
    return {
      ...{ check: 'policy', kind: list.kind, id: policy?.id ?? `in slot ${slot}` },
      ...{ field: list.field, description, fix: { do: 'access' } },
    };
  }
}

/** The role lists that the policies of a kind have for one space. */
class RoleLists {
  readonly kind: string;
  readonly family: PolicyFamily;
  readonly field: string;
  readonly #tables: IntegrityTables;
  #isRead = false;
  readonly #bySlot = new Map<number, RoleList>();
  readonly #everyone = new Set<number>();
  /** Slots by attribute: of AnyOf lists that want it, of AllOf lists that want it first. */
  readonly #byAttribute = new Map<string, Set<number>>();
  readonly #byMention = new Map<string, Set<number>>();

  constructor(tables: IntegrityTables, kind: string, family: PolicyFamily, field: string) {
    this.#tables = tables;
    this.kind = kind;
    this.family = family;
    this.field = field;
  }

  /** Reads all policies, one a step. */
  *reading(): Generator<undefined> {
    for (const { slot } of this.#tables.table(this.kind).all()) {
      yield;
      this.reread(slot);
    }
    this.#isRead = true;
  }

  /** Takes a policy as it is now. */
  reread(slot: number): void {
    const table = this.#tables.table(this.kind);
    const known = this.#bySlot.get(slot);
    if (known !== undefined) this.#list(slot, known, false);
    this.#bySlot.delete(slot);
    const row = table.inSlot(slot);
    if (row === undefined) return;
    const list = roleList(row.record, this.field);
    this.#bySlot.set(slot, list);
    this.#list(slot, list, true);
  }

  /** Slots of the policies whose list selects a member. */
  selecting(id: string, attributes: readonly string[]): Set<number> {
    if (!this.#isRead) for (const _ of this.reading());
    const having = new Set(attributes);
    const found = new Set(this.#everyone);
    for (const name of having) {
      for (const slot of this.#byAttribute.get(name) ?? []) {
        const list = this.#bySlot.get(slot);
        if (list !== undefined && selects(list, having)) found.add(slot);
      }
    }
    for (const slot of this.#byMention.get(id) ?? []) found.add(slot);
    return found;
  }

  #list(slot: number, { all, allOf, wanted, mentioned }: RoleList, isListed: boolean): void {
    const list = (index: Map<string, Set<number>>, key: string) => {
      const slots = index.get(key) ?? new Set<number>();
      if (isListed) index.set(key, slots.add(slot));
      else if (slots.delete(slot) && slots.size === 0) index.delete(key);
    };
    if (all && isListed) this.#everyone.add(slot);
    else this.#everyone.delete(slot);
    for (const name of allOf ? wanted.slice(0, 1) : wanted) list(this.#byAttribute, name);
    for (const id of mentioned) list(this.#byMention, id);
  }
}

interface RoleList {
  readonly all: boolean;
  readonly allOf: boolean;
  readonly wanted: readonly string[];
  readonly mentioned: ReadonlySet<string>;
}

/** Whether a policy's list in `field` selects a member, by its text alone (behaviour §3.2). */
export function memberTest(
  record: RecordBase,
  field: string,
): (id: string, attributes: readonly string[]) => boolean {
  const list = roleList(record, field);
  return (id, attributes) => list.mentioned.has(id) || selects(list, new Set(attributes));
}

function roleList(record: RecordBase, field: string): RoleList {
  const fields = record as RecordBase & Record<string, unknown>;
  const roles = fields[field] as readonly string[];
  const without = (prefix: string) =>
    roles.filter((role) => role.startsWith(prefix)).map((role) => role.slice(1));
  return {
    all: roles.includes('#all'),
    allOf: fields['semantic'] === 'AllOf',
    wanted: without('#'),
    mentioned: new Set(without('@')),
  };
}

function selects({ all, allOf, wanted }: RoleList, having: ReadonlySet<string>): boolean {
  if (all) return true;
  if (wanted.length === 0) return false;
  return allOf ? wanted.every((name) => having.has(name)) : wanted.some((name) => having.has(name));
}

function listsBySpace(
  kinds: readonly Kind[],
  tables: IntegrityTables,
): ReadonlyMap<MemberSpace, readonly RoleLists[]> {
  const lists = new Map<MemberSpace, RoleLists[]>();
  for (const { kind, policy } of kinds) {
    for (const [side, field] of Object.entries(policy?.sides ?? {})) {
      if (policy === undefined || field === undefined) continue;
      const space = side as MemberSpace;
      const list = new RoleLists(tables, kind, policy.family, field);
      lists.set(space, [...(lists.get(space) ?? []), list]);
    }
  }
  return lists;
}

/** Slots that are in one of the two and not in the other. */
function differing(wanted: ReadonlySet<number>, known: readonly number[]): number[] {
  const others = new Set(known);
  return [
    ...[...wanted].filter((slot) => !others.has(slot)),
    ...known.filter((slot) => !wanted.has(slot)),
  ];
}
