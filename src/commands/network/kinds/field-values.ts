// The values of flags: from what a person typed to a body of the API, with ids for names.

import { isObject } from '../../declarative/entry.ts';
import { CommandFailure } from '../command-failure.ts';
import type { FieldReference, FieldRow, KindRow } from './kind.ts';
import { attributeOf, changed, type ListOrder, listOrder, roleOf } from './roles.ts';

/** Finds the id of an entity that a value names. */
export type IdOf = (kind: string, name: string) => Promise<string>;

/** Field values by the names of fields, as a person gave them: names stand for ids. */
export type Given = ReadonlyMap<FieldRow, unknown>;

/** A change of a list that is only known when the present one is. */
class ListChange {
  readonly order: Extract<ListOrder, { is: 'change' }>;

  constructor(order: Extract<ListOrder, { is: 'change' }>) {
    this.order = order;
  }
}

/** `roleAttributes` as a flag: `--role-attributes`. */
export function flagOf({ name }: Pick<FieldRow, 'name'>): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * The value that the text of a flag stands for. Entities in it are still named.
 * @throws CommandFailure for a text that is no such value
 */
export function valueTyped(field: FieldRow, text: string, isUpdate: boolean): unknown {
  const flag = flagOf(field);
  switch (field.type) {
    case 'text':
      return field.choices === undefined || text === '' ? text : choiceTyped(field, text);
    case 'any':
      return jsonOr(text, text);
    case 'number': {
      const value = Number(text);
      if (text.trim() !== '' && Number.isFinite(value)) return value;
      throw wrongValue(flag, text, 'a number');
    }
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true';
      throw wrongValue(flag, text, 'true or false');
    case 'object': {
      const value = jsonOr(text, undefined);
      if (isObject(value)) return value;
      throw wrongValue(flag, text, `a JSON object, or use --set ${field.name}.MEMBER=VALUE`);
    }
    case 'list':
    case 'roles':
    case 'attributes':
      return listTyped(field, flag, text, isUpdate);
  }
}

function choiceTyped({ choices = [], name }: FieldRow, text: string): string {
  const found = choices.find((word) => word.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  throw wrongValue(flagOf({ name }), text, `one of ${choices.join(', ')}`);
}

function listTyped(field: FieldRow, flag: string, text: string, isUpdate: boolean): unknown {
  if (field.type === 'list' && text.startsWith('[')) {
    const value = jsonOr(text, undefined);
    if (Array.isArray(value)) return value;
    throw wrongValue(flag, text, 'a JSON list or words with commas between them');
  }
  const order = listOrder(flag, text);
  const entryOf = (entry: string) => {
    if (field.type === 'attributes') return attributeOf(flag, entry);
    return field.type === 'roles' ? roleOf(entry) : entry;
  };
  if (order.is === 'whole') return order.entries.map(entryOf);
  if (!isUpdate) {
    throw CommandFailure.wrong(
      `${flag} is ${JSON.stringify(text)}, but only an update adds to a list or removes from it.`,
    );
  }
  return new ListChange({
    is: 'change',
    added: order.added.map(entryOf),
    removed: order.removed.map(entryOf),
  });
}

function wrongValue(flag: string, text: string, wanted: string): CommandFailure {
  return CommandFailure.wrong(`${flag} is ${JSON.stringify(text)} but must be ${wanted}.`);
}

function jsonOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return otherwise;
  }
}

/** Names of members that would reach into the prototype of an object. */
const forbiddenMembers: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** An order of `--set`: a member of an object field. */
export interface MemberOrder {
  readonly field: FieldRow;
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Reads `primary.updb.maxAttempts=5`. @throws CommandFailure for anything else */
export function memberTyped(kind: KindRow, text: string): MemberOrder {
  const at = text.indexOf('=');
  const [name = '', ...path] = text.slice(0, Math.max(at, 0)).split('.');
  const field = kind.fields.find((one) => one.name === name || one.body === name);
  if (at < 1 || path.includes('')) {
    throw wrongValue('--set', text, 'FIELD=VALUE or FIELD.MEMBER=VALUE');
  }
  if (field === undefined) throw noField(kind, name);
  if (path.length > 0 && field.type !== 'object' && field.type !== 'any') {
    throw CommandFailure.wrong(`--set ${text}: ${name} has no members.`);
  }
  if (path.some((step) => forbiddenMembers.has(step))) {
    throw CommandFailure.wrong(`--set ${text}: there is no such member.`);
  }
  const value = text.slice(at + 1);
  return { field, path, value: jsonOr(value, value) };
}

/** Fields that a message names; the help names all of them. */
const fieldsShown = 3;

/** The failure for a field that a kind lacks. */
export function noField({ title, fields }: KindRow, name: string): CommandFailure {
  const known = fields.map((field) => flagOf(field).slice(2)).sort();
  const more = known.length > fieldsShown ? ', …' : '';
  const list = known.slice(0, fieldsShown).join(', ');
  return CommandFailure.wrong(`${title} has no field "${name}". Fields are: ${list}${more}`);
}

/** A value with one member set; the objects on the way are copied. */
export function withMember(
  value: unknown,
  [step, ...rest]: readonly string[],
  member: unknown,
): unknown {
  if (step === undefined) return member;
  const object = isObject(value) ? value : {};
  return { ...object, [step]: withMember(object[step], rest, member) };
}

/**
 * The body for given values: ids for names, and lists that change made of those that are there.
 * @param present the entity as the API shows it, for an update
 */
export async function bodyOf(
  given: Given,
  idOf: IdOf,
  present?: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const [field, value] of given) {
    if (value instanceof ListChange) {
      const order = {
        is: 'change' as const,
        added: await entriesOf(field, value.order.added, idOf),
        removed: await entriesOf(field, value.order.removed, idOf),
      };
      const before = present?.[field.detail];
      body[field.body] = changed(Array.isArray(before) ? before.map(String) : [], order);
    } else {
      let resolved = value;
      for (const reference of field.references ?? []) {
        resolved = await withIds(reference, reference.path, resolved, idOf);
      }
      body[field.body] = resolved;
    }
  }
  return body;
}

async function entriesOf(
  field: FieldRow,
  entries: readonly string[],
  idOf: IdOf,
): Promise<string[]> {
  const [reference] = field.references ?? [];
  if (reference === undefined) return [...entries];
  return (await withIds(reference, [], entries, idOf)) as string[];
}

async function withIds(
  reference: FieldReference,
  [step, ...rest]: readonly string[],
  value: unknown,
  idOf: IdOf,
): Promise<unknown> {
  if (step !== undefined) {
    if (!isObject(value) || value[step] === undefined) return value;
    return { ...value, [step]: await withIds(reference, rest, value[step], idOf) };
  }
  const { to, form } = reference;
  const other = async (name: unknown) =>
    typeof name === 'string' && name !== '' ? await idOf(to, name) : name;
  if (form === 'one') return await other(value);
  if (form === 'keys') {
    if (!isObject(value)) return value;
    const pairs: [string, unknown][] = [];
    for (const [name, held] of Object.entries(value)) pairs.push([await idOf(to, name), held]);
    return Object.fromEntries(pairs);
  }
  if (!Array.isArray(value)) return value;
  const list: unknown[] = [];
  for (const entry of value as unknown[]) {
    const isName = form === 'many' || (typeof entry === 'string' && entry.startsWith('@'));
    if (!isName || typeof entry !== 'string') list.push(entry);
    else if (form === 'many') list.push(await idOf(to, entry));
    else list.push(`@${await idOf(to, entry.slice(1))}`);
  }
  return list;
}
