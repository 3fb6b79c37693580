// Reads the values of a creation or an update: from a file, and from flags of fields, members and
// tags.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import { isObject, withoutNulls } from '../../declarative/entry.ts';
import { CommandFailure } from '../command-failure.ts';
import { textOf } from '../connection/connection-plan.ts';
import { type MemberOrder, memberTyped, noField, valueTyped, withMember } from './field-values.ts';
import type { FieldRow, KindRow } from './kind.ts';

/** Values by field, and what changes objects that are there. */
export interface GivenValues {
  readonly fields: Map<FieldRow, unknown>;
  readonly members: readonly MemberOrder[];
  /** Tags that are set; undefined for one that is removed. */
  readonly tags: ReadonlyMap<string, string | undefined>;
  /** Tags of the file, in place of all that are there. */
  readonly wholeTags: unknown;
}

type Flags = Readonly<Record<string, unknown>>;

/** Reads them. @throws CommandFailure before anything is sent */
export async function givenValues(
  kind: KindRow,
  flags: Flags,
  isUpdate: boolean,
  context: ProcessContext,
): Promise<GivenValues> {
  const { file, set, tag } = flags;
  const fields = new Map<FieldRow, unknown>();
  let wholeTags: unknown;
  if (typeof file === 'string') {
    const { tags, ...content } = await contentOf(file, context);
    wholeTags = tags;
    for (const [name, value] of Object.entries(content)) {
      const field = kind.fields.find((one) => one.name === name || one.body === name);
      if (field === undefined) throw noField(kind, name);
      fields.set(field, value);
    }
  }
  for (const field of kind.fields) {
    const typed = typedValue(field, flags);
    if (typeof typed === 'boolean') fields.set(field, typed);
    else if (typeof typed === 'string') fields.set(field, valueTyped(field, typed, isUpdate));
  }
  for (const [field] of fields) refuseFixed(kind, field, isUpdate);
  const members = strings(set).map((text) => memberTyped(kind, text));
  return { fields, members, tags: new Map(strings(tag).map(tagTyped)), wholeTags };
}

/** `--no-traversal` is the flag of the field `noTraversal`, and says that it is true. */
function typedValue({ name, type }: FieldRow, flags: Flags): unknown {
  const [, first, rest] = /^no([A-Z])(.*)$/.exec(name) ?? [];
  if (type !== 'boolean' || first === undefined) return flags[name];
  const opposite = flags[`${first.toLowerCase()}${rest}`];
  return typeof opposite === 'boolean' ? !opposite : undefined;
}

function refuseFixed({ title }: KindRow, { name, isFixed }: FieldRow, isUpdate: boolean): void {
  if (!isUpdate || isFixed !== true) return;
  throw CommandFailure.wrong(`${name} of ${title} is set at its creation and stays as it is.`);
}

/** Members of objects, on top of what is given or there. */
export function withMembers(
  body: Record<string, unknown>,
  members: readonly MemberOrder[],
  present: Readonly<Record<string, unknown>> = {},
): void {
  for (const { field, path, value } of members) {
    // Answers hold unset members as null, which bodies may not.
    const before = Object.hasOwn(body, field.body) ? body[field.body] : present[field.detail];
    body[field.body] = withMember(withoutNulls(before), path, value);
  }
}

/** The tags of a body; undefined if they stay as they are. */
export function tagsOf(
  { tags, wholeTags }: GivenValues,
  present: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> | undefined {
  if (tags.size === 0 && wholeTags === undefined) return undefined;
  const before = wholeTags ?? present['tags'];
  const after = new Map(Object.entries(isObject(before) ? before : {}));
  for (const [key, value] of tags) {
    if (value === undefined) after.delete(key);
    else after.set(key, value);
  }
  return Object.fromEntries(after);
}

function tagTyped(text: string): readonly [string, string | undefined] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  if (at < 0 && text.length > 1 && text.endsWith('-')) return [text.slice(0, -1), undefined];
  throw CommandFailure.wrong(`--tag is ${JSON.stringify(text)} but must be KEY=VALUE or KEY-.`);
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** YAML or JSON; a member that stands twice is a fault in both. */
async function contentOf(
  file: string,
  context: ProcessContext,
): Promise<Readonly<Record<string, unknown>>> {
  const { parseAllDocuments } = await import('yaml');
  const documents = parseAllDocuments(textOf(context, file), { prettyErrors: false });
  const shown = file === '-' ? 'standard input' : file;
  if (!Array.isArray(documents) || documents.length !== 1) {
    const count = Array.isArray(documents) ? documents.length : 0;
    throw CommandFailure.wrong(`${shown} must hold one document, not ${count}.`);
  }
  const [document] = documents;
  const [problem] = document?.errors ?? [];
  if (problem !== undefined) throw CommandFailure.wrong(`${shown}: ${problem.message}`);
  const content: unknown = document?.toJS({ maxAliasCount: 100 });
  if (isObject(content)) return content;
  throw CommandFailure.wrong(`${shown} must hold an object with the fields of the entity.`);
}
