// An entity as a file names it, and its translation from and to the API: names stand for ids.

import { isDeepStrictEqual } from 'node:util';
import type { Reference, Section, SectionName } from './sections.ts';

/** The fields of an entity as a file has them, without its name. */
export type Fields = Readonly<Record<string, unknown>>;

/** Finds what stands for an entity on the other side: an id for its name, or a name for its id. */
export type Translate = (to: SectionName, key: string) => string | undefined;

/** A reference that names nothing. */
export interface Dangling {
  /** Path within the entry, with the place in a list. */
  readonly path: readonly (string | number)[];
  readonly to: SectionName;
  readonly value: string;
}

/** An answer of the API as a file's entry. References to unknown ids stay as they are. */
export function fieldsOf(section: Section, detail: Fields, nameOf: Translate): Fields {
  const fields: Record<string, unknown> = {};
  for (const name of section.fields) {
    const value = detail[section.renamed[name]?.detail ?? name];
    if (!isTold(section, name, value)) continue;
    fields[name] = section.partial.has(name) ? withoutNulls(value) : value;
  }
  const named = translated(section, fields, nameOf);
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => [name, sorted(name, value)]),
  );
}

/**
 * Whether a file tells the value: null only where a creation requires the field, and for a list
 * that was never set.
 */
export function isTold(section: Section, name: string, value: unknown): boolean {
  const isFit = value !== null || section.required.has(name) || section.unsettable.has(name);
  return value !== undefined && isFit;
}

/**
 * The value of a file for an update, in which null means absent: a list that was never set is empty
 * in an update, because only a creation can leave it unset (behaviour/requests).
 */
export function updateValueOf(section: Section, name: string, value: unknown): unknown {
  return value === null && section.unsettable.has(name) ? [] : value;
}

/** By name, because the order of the controller is that of ids, which differ on another one. */
function sorted(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return sets.has(name) ? value.toSorted() : value;
  if (name !== 'primary' && name !== 'extJwt') return value;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, sorted(key, held)]));
}

/** A file's entry as a body of the API. References to unknown names stay as they are. */
export function bodyOf(section: Section, fields: Fields, idOf: Translate): Fields {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(translated(section, fields, idOf))) {
    body[section.renamed[name]?.body ?? name] = value;
  }
  return body;
}

/** The references of an entry that `isKnown` does not know. */
export function danglingIn(
  section: Section,
  fields: Fields,
  isKnown: (to: SectionName, name: string) => boolean,
): Dangling[] {
  const found: Dangling[] = [];
  for (const reference of section.references) {
    const { path, to, form } = reference;
    const look = (name: unknown, step: readonly (string | number)[]) => {
      if (typeof name !== 'string' || isKnown(to, name)) return;
      found.push({ path: [...path, ...step], to, value: name });
    };
    const value = valueAt(fields, path);
    if (form === 'one') look(value, []);
    else if (form === 'keys') for (const name of keysOf(value)) look(name, [name]);
    else if (Array.isArray(value)) {
      for (const [at, entry] of value.entries())
        look(form === 'roles' ? named(entry) : entry, [at]);
    }
  }
  return found;
}

/** The part of a role that names an entity; undefined for attributes. */
function named(role: unknown): string | undefined {
  return typeof role === 'string' && role.startsWith('@') ? role.slice(1) : undefined;
}

function keysOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

function translated(section: Section, fields: Fields, translate: Translate): Fields {
  let result = fields;
  for (const reference of section.references) {
    const value = valueAt(result, reference.path);
    if (value === undefined || value === null) continue;
    result = withValue(result, reference.path, replaced(reference, value, translate));
  }
  return result;
}

function replaced({ to, form }: Reference, value: unknown, translate: Translate): unknown {
  const other = (key: unknown) =>
    typeof key === 'string' && key !== '' ? (translate(to, key) ?? key) : key;
  if (form === 'one') return other(value);
  if (form === 'keys') {
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [other(key), held]));
  }
  if (!Array.isArray(value)) return value;
  if (form === 'many') return value.map(other);
  return value.map((role: unknown) => {
    const key = named(role);
    return key === undefined ? role : `@${String(other(key))}`;
  });
}

function valueAt(fields: Fields, path: readonly string[]): unknown {
  let value: unknown = fields;
  for (const step of path) value = isObject(value) ? value[step] : undefined;
  return value;
}

function withValue(
  fields: Fields,
  [step = '', ...rest]: readonly string[],
  value: unknown,
): Fields {
  const inner = fields[step];
  return {
    ...fields,
    [step]: rest.length === 0 || !isObject(inner) ? value : withValue(inner, rest, value),
  };
}

/** A value that is changed. */
export interface Change {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * The fields of `wanted` in which the entity differs. Fields that `wanted` does not name are not
 * compared. Null is compared in two cases only, because elsewhere it means absent in an update: a
 * list that was never set counts as empty, and an update unsets some fields by null.
 */
export function changesOf(section: Section, wanted: Fields, present: Fields): Change[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    const to = updateValueOf(section, name, value);
    return to === null && !section.nullable.has(name)
      ? []
      : changesAt(name, to, present[name], section.partial.has(name));
  });
}

function changesAt(path: string, to: unknown, from: unknown, isPartial: boolean): Change[] {
  if (isPartial && isObject(to) && isObject(from)) {
    return Object.entries(to).flatMap(([name, inner]) =>
      changesAt(`${path}.${name}`, inner, from[name], true),
    );
  }
  return isSame(path, to, from) ? [] : [{ path, from, to }];
}

/** Lists whose order has no meaning: the controller stores them sorted. */
const sets = new Set(
  'roleAttributes identityRoles serviceRoles edgeRouterRoles postureCheckRoles configs allowedSigners permissions'.split(
    ' ',
  ),
);
/** Words that the controller reads in any case. */
const caseless = new Set(['semantic', 'type']);

function isSame(path: string, to: unknown, from: unknown): boolean {
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (isEmpty(to) && isEmpty(from)) return true;
  if (typeof to === 'string' && typeof from === 'string') {
    if (name === 'certPem') return to.trim() === from.trim();
    return caseless.has(name) ? to.toLowerCase() === from.toLowerCase() : to === from;
  }
  if (sets.has(name) && Array.isArray(to) && Array.isArray(from)) {
    return isDeepStrictEqual([...new Set(to)].sort(), [...new Set(from)].sort());
  }
  return isDeepStrictEqual(to, from);
}

/** Answers leave out, or hold as null, what a file may name as empty. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** The same value; members that are null, which mean absent ones, are left out at any depth. */
export function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const held = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(held.map(([key, inner]) => [key, withoutNulls(inner)]));
}

/** Whether a value is an object and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
