// Whether the key of the home opens what records keep sealed, and what such records are.

import type { Kind } from '../declare/kind.ts';
import type { Look } from '../store/fault.ts';
import type { RecordBase } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { SealedText, Sealing } from './sealing.ts';
import { tokenHash } from './token-hash.ts';

/** Every text that a store holds sealed. */
export function* sealedTexts(store: Store, kinds: readonly Kind[]): Generator<SealedText> {
  for (const { kind, sealedFields } of kinds) {
    if (sealedFields.length === 0) continue;
    for (const { record } of store.table(kind).all()) yield* textsOf(kind, sealedFields, record);
  }
}

/** What is asked of a text once it is open. */
export type Fits = (record: RecordBase, field: string, plain: Buffer) => boolean;

/**
 * Looks at every such record. What does not open is lost: nobody can make it up again.
 * @param fits by kind, where more is known of what a text must be
 */
export function* sealedFaults(
  store: Store,
  kinds: readonly Kind[],
  sealing: Pick<Sealing, 'open'>,
  fits: Readonly<Record<string, Fits>>,
): Look {
  for (const { kind, sealedFields } of kinds) {
    if (sealedFields.length === 0) continue;
    for (const { record } of store.table(kind).all()) {
      const closed = sealedFields.filter((field) => {
        const plain = opened(sealing, kind, record, field);
        return plain === undefined || !(fits[kind]?.(record, field, plain) ?? true);
      });
      if (closed.length === 0) yield;
      for (const field of closed) {
        const description = `${kind} ${record.id}: its ${words[field] ?? field} cannot be opened`;
        yield { description, advice: advice[kind] ?? keyBack };
      }
    }
  }
}

/** Whether a sealed token is the one that its record is found by. */
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

function opened(
  sealing: Pick<Sealing, 'open'>,
  kind: string,
  record: RecordBase,
  field: string,
): Buffer | undefined {
  try {
    return sealing.open(textIn(record, field) ?? '', { kind, id: record.id, field });
  } catch {
    return undefined;
  }
}

function textIn(record: RecordBase, field: string): string | undefined {
  const value: unknown = Reflect.get(record, field);
  return typeof value === 'string' ? value : undefined;
}

const words: Readonly<Record<string, string>> = { recoveryCodes: 'recovery codes', jwt: 'JWT' };

const keyBack = 'put the pki/sealing.key back that it was sealed by and restart';

const advice: Readonly<Record<string, string>> = {
  mfaEnrollment: `${keyBack}, or remove the MFA of its identity, so that it can enroll again`,
  apiSession: `${keyBack}, or delete it: its client logs in again`,
  enrollment: `${keyBack}, or delete it and create another one`,
};
