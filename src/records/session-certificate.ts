// Session certificates: the certificates that identify an API session
// (behaviour/api-sessions#certificates, behaviour/login#effects).

import Type from 'typebox';
import { field, optional, reference, time } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

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
    /**
     * PEM; absent if an authenticator holds it, because one certificate is used in many sessions.
     */
    certificate: optional(Type.String(), { write: 'never', show: 'never' }),
    fingerprint: text(),
    subject: text(),
    validFrom: time({ write: 'never' }),
    validTo: time({ write: 'never' }),
    /** Issued for the session; otherwise it is the one that its client logged in with. */
    isIssued: field(Type.Boolean(), { fallback: false, write: 'never', show: 'never' }),
  },
  many: [],
  calledBy: ['subject', 'apiSessionId'],
});

/** A stored session certificate. */
export type SessionCertificateRecord = RecordOf<typeof sessionCertificateKind.fields>;
