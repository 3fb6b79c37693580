// One field of a record in filters: its type, how it is read, and the index that finds it.

import type { TSchema } from 'typebox';
import type { FilterSymbol, IndexPath, Scalar, ValueType } from '../../filter/scope.ts';
import type { Row } from '../../store/record.ts';
import type { MemberSpace } from '../kinds/access-vocabulary.ts';
import { fieldReader } from '../kinds/compiled.ts';
import type { Field } from '../kinds/field.ts';
import type { Kind, KindRelation } from '../kinds/kind.ts';
import type { Lookups } from './symbol-sources.ts';

/** The meaning of a name for the rows of a resource. */
export type ResourceSymbol = FilterSymbol<Row, Lookups> & {
  /** It depends only on the row's record. */
  readonly isOwn: boolean;
};

/** An index of a resource's table, or a path through one of access. */
export type RowIndex = IndexPath<Row, Lookups>;

/** Symbols of every resource besides its map of tags (behaviour/filters#symbols). */
export function baseSymbol(kind: Kind, name: string): ResourceSymbol | undefined {
  switch (name) {
    case 'id':
      return { ...own('string', ({ record }) => record.id), index: byId(kind), isOrdered: true };
    case 'createdAt':
      return { ...own('datetime', ({ record }) => record.createdAt), isOrdered: true };
    case 'updatedAt':
      return own('datetime', ({ record }) => record.updatedAt);
    case 'isSystem':
      return own('boolean', ({ record }) => record.isSystem ?? false);
    default:
      return undefined;
  }
}

/**
 * A declared field as a symbol, or a property within one: `primary.cert.allowed`. Undefined if
 * filters cannot compare the values.
 */
export function fieldSymbol(kind: Kind, name: string): ResourceSymbol | undefined {
  const [head = '', ...path] = name.split('.');
  const field = kind.fields[head];
  if (field === undefined) return undefined;
  if (path.length > 0) return propertySymbol(head, path, field);
  const type = field.symbol ?? typeOf(field.schema);
  if (type === undefined || type === 'map') return undefined;
  const index = fieldIndex(kind, name, field);
  const found = index === undefined ? {} : { index };
  const read = fieldReader(name);
  if (type === 'set') {
    const values = (row: Row) => (read(row) ?? []) as readonly Scalar[];
    return { form: 'set', type: 'string', isOwn: true, read: values, ...found };
  }
  const scalar = (row: Row) => (read(row) ?? undefined) as Scalar | undefined;
  return { ...own(type, scalar), isOrdered: field.ordered, ...found };
}

function propertySymbol(
  head: string,
  path: readonly string[],
  field: Field,
): ResourceSymbol | undefined {
  let schema: TSchema | undefined = field.schema;
  for (const key of path) schema = propertiesOf(schema)[key];
  const type = schema && typeOf(schema);
  const read = fieldReader(head);
  return (
    type &&
    own(type, (row) => {
      let value = read(row);
      for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
      return (value ?? undefined) as Scalar | undefined;
    })
  );
}

function propertiesOf(schema: TSchema | undefined): Readonly<Record<string, TSchema>> {
  return (schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {};
}

/** The value at a path of a map: by the whole path as one key, else key by key. */
export function mapSymbol(read: (row: Row) => unknown, path: string): ResourceSymbol {
  return { form: 'map', isOwn: true, read: (row) => valueAt(read(row), path) };
}

/** The relation of a field that holds the id of one other record. */
export function foreignKey(kind: Kind, name: string): KindRelation | undefined {
  const isOne = kind.fields[name]?.symbol === 'string';
  return isOne ? kind.relations.find(({ field }) => field === name) : undefined;
}

function own(type: ValueType, read: (row: Row) => Scalar | undefined) {
  return { form: 'scalar', type, isOwn: true, read } as const;
}

function typeOf(schema: TSchema): ValueType | undefined {
  const { type, format } = schema as { type?: string; format?: string };
  if (type === 'string') return format === 'date-time' ? 'datetime' : 'string';
  return type === 'boolean' || type === 'integer' ? type : undefined;
}

function fieldIndex(kind: Kind, name: string, field: Field): RowIndex | undefined {
  if (field.unique) return byUnique(kind, name);
  const { space } = kind.member ?? {};
  if (space !== undefined && name === 'roleAttributes') return byRoleAttribute(kind, space);
  // A role list holds more than the ids that its group index knows.
  const isRoleList = Object.values(kind.policy?.sides ?? {}).includes(name);
  const relation = isRoleList ? undefined : kind.relations.find((one) => one.field === name);
  if (relation !== undefined) return byGroup(kind, relation.index);
  const isText = (field.symbol ?? typeOf(field.schema)) === 'string';
  return field.grouped && isText ? byText(kind, name) : undefined;
}

function byId({ kind }: Kind): RowIndex {
  return {
    name: 'id',
    count: () => 1,
    things: (id, { store }) => present(store.tableNamed(kind).find(String(id))),
  };
}

function byUnique({ kind }: Kind, name: string): RowIndex {
  return {
    name: `unique ${name}`,
    count: () => 1,
    things: (key, { store }) => present(store.tableNamed(kind).findBy(name, String(key))),
  };
}

/** By a group index of the kind's table: the rows that refer to an id. */
export function byGroup({ kind }: Kind, index: string): RowIndex {
  return {
    name: `group ${index}`,
    count: (key, { store }) => store.tableNamed(kind).group(index).count(String(key)),
    things: (key, { store }) => store.tableNamed(kind).members(index, String(key)),
  };
}

/** By the group index of a text; records without one, or with an empty one, are in no group. */
function byText(kind: Kind, name: string): RowIndex {
  const index = byGroup(kind, name);
  return {
    ...index,
    count: (key, env, budget) =>
      key === '' ? Number.POSITIVE_INFINITY : index.count(key, env, budget),
  };
}

function byRoleAttribute({ kind }: Kind, space: MemberSpace): RowIndex {
  return {
    name: 'role attribute',
    count: (attribute, { access }) => access.membersWith(space, String(attribute)),
    *things(attribute, { access, store }) {
      const table = store.tableNamed(kind);
      store.fence.note(table.lastLsn);
      for (const slot of access.select(space, 'AnyOf', [`#${attribute}`])) {
        yield* present(table.at(slot));
      }
    },
  };
}

function present(row: Row | undefined): readonly Row[] {
  return row === undefined ? [] : [row];
}

function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const map = value as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(map, path)) return map[path] ?? undefined;
  const dot = path.indexOf('.');
  if (dot < 0) return undefined;
  const key = path.slice(0, dot);
  return Object.hasOwn(map, key) ? valueAt(map[key], path.slice(dot + 1)) : undefined;
}
