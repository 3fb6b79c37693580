// Checks that the home's key opens the texts that records keep sealed, and that these are
// plausible.

import { type Fits, fitsItsHash } from '../auth/sealing/sealed-texts.ts';
import type { Sealing } from '../auth/sealing/sealing.ts';
import { fitsFactor } from '../auth/second-factor/mfa.ts';
import type { Kind } from '../declare/kinds/kind.ts';
import type { RecordBase } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { Fault } from './checked-part.ts';

/** Checks every such record. A text that does not open is lost, because nothing can recreate it. */
export function* sealedFaults(
  store: Store,
  kinds: readonly Kind[],
  sealing: Pick<Sealing, 'open'>,
): Generator<Fault | undefined> {
  for (const { kind, sealedFields, fields } of kinds) {
    if (sealedFields.length === 0) continue;
    for (const { record } of store.tableNamed(kind).all()) {
      const closed = sealedFields.filter((field) => {
        const isThere = fields[field]?.required || Reflect.get(record, field) !== undefined;
        return isThere && !opens(sealing, kind, record, field);
      });
      if (closed.length === 0) yield;
      for (const field of closed) {
        const description = `${kind} ${record.id}: its ${words[field] ?? field} cannot be opened`;
        yield { description, advice: advice[kind] ?? keyBack };
      }
    }
  }
}

function opens(
  sealing: Pick<Sealing, 'open'>,
  kind: string,
  record: RecordBase,
  field: string,
): boolean {
  const sealed: unknown = Reflect.get(record, field);
  try {
    const text = typeof sealed === 'string' ? sealed : '';
    const plain = sealing.open(text, { kind, id: record.id, field });
    return fits[kind]?.(record, field, plain) ?? true;
  } catch {
    return false;
  }
}

/** By kind, where more is known of what a text must be. */
const fits: Readonly<Record<string, Fits>> = {
  mfaEnrollment: fitsFactor,
  apiSession: fitsItsHash,
  enrollment: fitsItsHash,
};

const words: Readonly<Record<string, string>> = { recoveryCodes: 'recovery codes', jwt: 'JWT' };

const keyBack = 'put the pki/sealing.key back that it was sealed by and restart';

const advice: Readonly<Record<string, string>> = {
  mfaEnrollment: `${keyBack}, or remove the MFA of its identity, so that it can enroll again`,
  apiSession: `${keyBack}, or delete it: its client logs in again`,
  enrollment: `${keyBack}, or delete it and create another one`,
};
