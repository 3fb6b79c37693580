// Revocations of tokens, API sessions and identities (behaviour/revocations).

import Type from 'typebox';
import { revocation } from '../../machines/revocation.ts';
import { field, time } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

/** What a revocation names by its id. */
const revocationTypes = ['JTI', 'IDENTITY', 'API_SESSION'] as const;

/** Revocations, by the id of what they revoke. */
export const revocationKind = defineKind({
  kind: 'revocation',
  version: 1,
  fields: {
    state: field(Type.String(), { fallback: 'standing', write: 'never', show: 'never' }),
    type: field(Type.Enum([...revocationTypes]), {
      required: true,
      write: 'create',
      symbol: 'string',
    }),
    expiresAt: time({ write: 'never' }),
    /** Logins before this time are revoked; of an identity alone. */
    issuedBefore: time({ write: 'never', show: 'never' }),
  },
  many: [],
  recordsMax: 'revocationsMax',
  calledBy: ['type'],
  machine: { declaration: revocation, creates: 'revoke', removes: 'remove' },
});

/** Whether it concerns single tokens, and not what they rest on. */
export function isOfTokens(revocation: { readonly type: string } | undefined): boolean {
  return revocation?.type === 'JTI';
}

/** A revocation. */
export type RevocationRecord = RecordOf<typeof revocationKind.fields>;
