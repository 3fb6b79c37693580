// References of converted records to records that are not in the home: they are dropped, or the
// record with them.

import type { Kind, KindRelation } from '../../declare/kinds/kind.ts';
import type { ConvertedRecord } from './conversion.ts';
import { LeftOut } from './left-out.ts';
import type { EntityNotes } from './notes.ts';
import { quoted } from './quoted.ts';

type Whole = ConvertedRecord['record'];

/** The record without references that lead nowhere, or why it cannot be without one. */
export function withoutLostReferences(
  kind: Kind,
  record: Whole,
  has: (kind: string, id: string) => boolean,
  notes: EntityNotes,
): Whole | LeftOut {
  let settled = record;
  for (const { field, relation } of kind.relations) {
    for (const id of idsIn(relation, settled[field])) {
      if (has(relation.kind, id)) continue;
      const without = settledField(kind, { field, relation }, settled[field], id);
      const target = `${wordsOf(relation.kind)} ${quoted(id)}`;
      if (without === undefined) {
        return new LeftOut(`Its ${field} names the ${target}, which is not in the home.`);
      }
      const isEmpty = Array.isArray(without.value) && without.value.length === 0;
      notes.changed(
        `Its ${field} named the ${target}, which is not in the home: ${without.what}` +
          `${isEmpty ? ', and nothing is left in it' : ''}.`,
      );
      settled = { ...settled, [field]: without.value };
    }
  }
  return settled;
}

/** The value of a field without a reference; undefined if the record cannot be without it. */
function settledField(
  kind: Kind,
  { field, relation }: Pick<KindRelation, 'field' | 'relation'>,
  value: unknown,
  id: string,
): { readonly value: unknown; readonly what: string } | undefined {
  if (relation.onDelete === 'cascade') return undefined;
  const stripped = relation.strip(value, id);
  if (!idsIn(relation, stripped).includes(id)) {
    return { value: stripped, what: 'the reference is dropped' };
  }
  const fallback = kind.fields[field]?.fallback;
  if (typeof fallback !== 'string' || fallback === id) return undefined;
  return { value: fallback, what: `it becomes ${fallback}` };
}

function idsIn(relation: KindRelation['relation'], value: unknown): readonly string[] {
  if (value === undefined) return [];
  const ids = relation.ids(value) ?? [];
  return typeof ids === 'string' ? [ids] : ids;
}

/** `externalJwtSigner` as `external jwt signer`. */
function wordsOf(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
