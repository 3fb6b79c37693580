// Session certificates: ephemeral certificates of an API session (spec/1 "SessionCertificate",
// behaviour §4.10).

import Type from 'typebox';
import { field, reference, time } from '../declare/field.ts';
import { defineKind } from '../declare/kind.ts';

const text = () => field(Type.String(), { required: true, write: 'never', symbol: 'string' });

/** The stored side of session certificates; their operations come with the credentials issue. */
export const sessionCertificateKind = defineKind({
  kind: 'sessionCertificate',
  version: 1,
  fields: {
    apiSessionId: reference('apiSession', {
      inverse: 'certificates',
      onDelete: 'cascade',
      write: 'never',
    }),
    certificate: text(),
    fingerprint: text(),
    subject: text(),
    validFrom: time({ write: 'never' }),
    validTo: time({ write: 'never' }),
  },
  many: [],
});
