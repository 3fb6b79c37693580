// The whole record that an entity becomes: its values, what every record has, and the fallbacks of
// the kind.

import type { Fields } from '../../declare/kinds/field.ts';
import type { Kind } from '../../declare/kinds/kind.ts';
import { isPlainText } from '../../declare/resources/plain-text.ts';
import type { PeerEntity } from '../peer/entity.ts';
import type { Conversion, ConversionContext, ConvertedRecord } from './conversion.ts';
import { baseOf } from './entity-values.ts';
import { LeftOut } from './left-out.ts';
import type { EntityNotes } from './notes.ts';

type Whole = ConvertedRecord['record'];

/** Characters of an id that others can refer to. */
const idCharacters = 200;

/**
 * The record of an entity, before its references and keys are checked.
 * @throws SourceDamaged for content that cannot be read
 */
export function wholeRecord(
  conversion: Conversion,
  entity: PeerEntity,
  context: ConversionContext,
  notes: EntityNotes,
): Whole | LeftOut {
  const { id } = entity;
  if (id === '' || id.length > idCharacters || !isPlainText(id)) {
    return new LeftOut('Its id is empty, too long, or holds control characters.');
  }
  const { createdAt = 'createdAt', derived, kind } = conversion;
  const base = baseOf(entity, createdAt, context.nowMs, notes);
  const values = conversion.convert(entity, context, notes);
  if (values instanceof LeftOut) return values;
  entity.pass(...derived);
  return { ...fallbacksOf(kind), ...base, ...values, id };
}

/** A record that every home has, as a whole. */
export function builtInRecord(kind: Kind, record: { readonly id: string }, nowMs: number): Whole {
  return { ...fallbacksOf(kind), createdAt: nowMs, updatedAt: nowMs, tags: {}, ...record };
}

/** Computed once per kind. */
const known = new WeakMap<Fields, Readonly<Record<string, unknown>>>();

function fallbacksOf({ fields }: Kind): Readonly<Record<string, unknown>> {
  let fallbacks = known.get(fields);
  if (fallbacks === undefined) {
    const entries = Object.entries(fields).map(([name, { fallback }]) => [name, fallback]);
    known.set(fields, (fallbacks = Object.fromEntries(entries)));
  }
  return fallbacks ?? {};
}
