// Finds every sealed text in records, with the condition that it must satisfy once opened.

import type { Kind } from '../../declare/kinds/kind.ts';
import { tokenHash } from '../../records/token-hash.ts';
import type { RecordBase } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';
import type { SealedText } from './sealing.ts';

/** Every text that a store holds sealed. */
export function* sealedTexts(store: Store, kinds: readonly Kind[]): Generator<SealedText> {
  for (const { kind, sealedFields } of kinds) {
    if (sealedFields.length === 0) continue;
    for (const { record } of store.tableNamed(kind).all())
      yield* textsOf(kind, sealedFields, record);
  }
}

/** The condition for an opened text. */
export type Fits = (record: RecordBase, field: string, plain: Buffer) => boolean;

/** Whether a sealed token is the one in its record's index. */
export const fitsItsHash: Fits = (record, field, plain) =>
  field !== 'token' || tokenHash(plain.toString()) === textIn(record, 'tokenHash');

function* textsOf(
  kind: string,
  fields: readonly string[],
  record: RecordBase,
): Generator<SealedText> {
  for (const field of fields) {
    const sealed = textIn(record, field);
    const hash = field === 'token' ? textIn(record, 'tokenHash') : undefined;
    if (sealed !== undefined) yield { sealed, place: { kind, id: record.id, field }, hash };
  }
}

function textIn(record: RecordBase, field: string): string | undefined {
  const value: unknown = Reflect.get(record, field);
  return typeof value === 'string' ? value : undefined;
}
