// The values that entities of several kinds have in the same form.

import type { RecordBase, Tags } from '../../store/record.ts';
import type { PeerEntity, PeerFields, PeerJson } from '../peer/entity.ts';
import type { EntityNotes } from './notes.ts';
import { quoted } from './quoted.ts';

/**
 * What every record has besides its id.
 * @param createdAt the field with the time of creation
 * @param otherwiseMs the time of creation of an entity that names none
 */
export function baseOf(
  entity: PeerEntity,
  createdAt: string,
  otherwiseMs: number,
  notes: EntityNotes,
): Omit<RecordBase, 'id'> {
  const [created, updated] = [entity.time(createdAt), entity.time('updatedAt')];
  if (created === undefined && updated === undefined) {
    notes.changed('It names no time of creation, and gets that of the migration.');
  }
  return {
    createdAt: created ?? updated ?? otherwiseMs,
    updatedAt: updated ?? created ?? otherwiseMs,
    tags: tagsOf(entity, notes),
    ...(entity.flag('isSystem') ? { isSystem: true } : {}),
  };
}

/** Numbers are kept until the tags are replaced; nested values become JSON text. */
function tagsOf(entity: PeerEntity, notes: EntityNotes): Tags {
  const tags = Object.entries(entity.map('tags')).map(([name, value]) => {
    const isSimple = value === null || typeof value !== 'object';
    if (isSimple && !(typeof value === 'number' && !Number.isFinite(value))) return [name, value];
    notes.changed(`The tag ${quoted(name)} holds no single value, and becomes the text of it.`);
    return [name, isSimple ? String(value) : JSON.stringify(value)];
  });
  return Object.fromEntries(tags);
}

/** The name of an entity; its id where it has none. */
export function nameOf(entity: PeerEntity, notes: EntityNotes): string {
  const name = entity.text('name');
  if (name !== undefined && name !== '') return name;
  notes.changed('It has no name, and gets its id as the name.');
  return entity.id;
}

/** A text; undefined also for a blank one. */
export function textIn(fields: PeerFields, field: string): string | undefined {
  const text = fields.text(field);
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** The texts of a set, sorted as records have them. */
export function sortedSet(fields: PeerFields, field: string): string[] {
  return [...new Set(fields.set(field))].sort();
}

/** The same for a list that was perhaps never set: the peer stores that like an empty one. */
export function sortedSetIfAny(fields: PeerFields, field: string): string[] | undefined {
  const texts = sortedSet(fields, field);
  return texts.length === 0 ? undefined : texts;
}

/** Whether a nested value is a map. */
export function isMap(value: PeerJson): value is { readonly [name: string]: PeerJson } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A cost of hosting or of a router: 0 to 65,535. */
export function costOf(value: PeerJson | undefined, field: string, notes: EntityNotes): number {
  if (value === undefined || value === null) return 0;
  const cost = typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : 0;
  const within = Math.min(Math.max(cost, 0), highestCost);
  if (within !== value) {
    notes.changed(
      `The cost in ${field} is not within 0 and ${highestCost}, and becomes ${within}.`,
    );
  }
  return within;
}

const highestCost = 65_535;

const precedences = ['default', 'required', 'failed'] as const;

/** A precedence of a terminator. */
export type Precedence = (typeof precedences)[number];

/** The precedence of its number, or of its name. */
export function precedenceOf(
  value: PeerJson | undefined,
  field: string,
  notes: EntityNotes,
): Precedence {
  if (value === undefined || value === null || value === '') return 'default';
  const named =
    typeof value === 'number' ? precedences[value] : precedences.find((name) => name === value);
  if (named !== undefined) return named;
  notes.changed(`The precedence in ${field} is unknown, and becomes the default.`);
  return 'default';
}

/** Notes a field that is no part of records, if it says something. */
export function dropText(fields: PeerFields, field: string, notes: EntityNotes): void {
  if (textIn(fields, field) !== undefined) notes.dropped(field);
}

/** The same for a bucket. */
export function dropBucket(fields: PeerFields, field: string, notes: EntityNotes): void {
  const below = fields.below(field);
  if (below !== undefined && below.names().length > 0) notes.dropped(field);
  fields.pass(field);
}
