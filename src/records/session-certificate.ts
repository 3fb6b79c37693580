// Session certificates: certificates that an API session is known by
// (behaviour/api-sessions#certificates, behaviour/login#effects).

import Type from 'typebox';
import { field, optional, reference, time } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';

const text = () => field(Type.String(), { required: true, write: 'never', symbol: 'string' });

/** The stored side of session certificates. */
export const sessionCertificateKind = defineKind({
  kind: 'sessionCertificate',
  version: 1,
  fields: {
    apiSessionId: reference('apiSession', {
      inverse: 'certificates',
      onDelete: 'cascade',
      write: 'never',
    }),
    /** PEM; absent where an authenticator holds it: one certificate makes many sessions. */
    certificate: optional(Type.String(), { write: 'never', show: 'never' }),
    fingerprint: text(),
    subject: text(),
    validFrom: time({ write: 'never' }),
    validTo: time({ write: 'never' }),
    /** Made for the session; else it is the one that its client logged in with. */
    isIssued: field(Type.Boolean(), { fallback: false, write: 'never', show: 'never' }),
  },
  many: [],
  calledBy: ['subject', 'apiSessionId'],
});

/** A stored session certificate. */
export type SessionCertificateRecord = RecordOf<typeof sessionCertificateKind.fields>;
