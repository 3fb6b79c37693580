// Authenticators: the credentials of identities (behaviour/certificates, behaviour/login).

import Type from 'typebox';
import { authenticator } from '../../machines/authenticator.ts';
import { field, optional, optionalReference, reference, time } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { plainTextFormat } from '../declare/resources/plain-text.ts';
import { publicKeyFingerprintIn } from '../pki/x509/pem.ts';

/** Length of a user name in characters. */
export const usernameBounds = { minLength: 4, maxLength: 100 };

/** A user name that is given to an identity (behaviour/login#limits). */
export const usernameSchema = Type.String({ ...usernameBounds, format: plainTextFormat });

const certificateText = () =>
  optional(Type.String(), { write: 'never', show: 'present', symbol: 'string' });

const fingerprint = () =>
  optional(Type.String(), { write: 'never', show: 'never', symbol: 'string', since: 2 });

/** Shown only while it is true; unset for no. */
const request = () => optional(Type.Boolean(), { write: 'never', symbol: 'boolean', since: 3 });

const flag = (since: number) =>
  field(Type.Boolean(), { fallback: false, write: 'never', symbol: 'boolean', since });

/** The indexes of state, method and certificate among the values of each version. */
const [stateAt, methodAt, certPemAt] = [4, 5, 9];

/**
 * The present name of a state. Up to version 2, a password had the certificate region as well,
 * although it had no certificate.
 */
function formerState(state: string, method: unknown): string {
  return method === 'updb' ? state.replace(/^certificate:(current|removed),/, '') : state;
}

/** The stored side of authenticators. */
export const authenticatorKind = defineKind({
  kind: 'authenticator',
  version: 3,
  fields: {
    state: field(Type.String(), { fallback: '', write: 'never', show: 'never' }),
    method: field(Type.Enum(['updb', 'cert']), {
      required: true,
      write: 'create',
      symbol: 'string',
    }),
    identityId: reference('identity', {
      inverse: 'authenticators',
      onDelete: 'cascade',
      write: 'create',
    }),
    username: optional(usernameSchema, { unique: true, symbol: 'string' }),
    /** A PHC string. */
    passwordHash: optional(Type.String(), { write: 'never', show: 'never', secret: true }),
    certPem: certificateText(),
    fingerprint: optional(Type.String(), { write: 'never', unique: true, symbol: 'string' }),
    pendingCertPem: optional(Type.String(), { write: 'never', show: 'never' }),
    pendingFingerprint: optional(Type.String(), { write: 'never', show: 'never' }),
    isIssuedByNetwork: flag(1),
    caId: optionalReference('ca', {
      inverse: 'authenticators',
      onDelete: 'cascade',
      write: 'never',
      show: 'never',
    }),
    /** SHA-256 of the certificate's public key. */
    publicKeyPrint: fingerprint(),
    pendingPublicKeyPrint: fingerprint(),
    /** Whether the last extension used another key. */
    lastExtendRolledKeys: field(Type.Boolean(), {
      fallback: false,
      since: 2,
      write: 'never',
      show: 'present',
      toJson: (isSo) => isSo || undefined,
    }),
    /**
     * Whether the last login with the certificate showed the chain up to a root of this network.
     */
    lastAuthResolvedToRoot: flag(2),
    isExtendRequested: request(),
    isKeyRollRequested: request(),
    extendRequestedAt: time({ write: 'never', since: 3 }),
  },
  // Version 2 appends data on the certificate's key and on its last use. Version 3 renames the
  // state of passwords.
  migrations: {
    1: (values) => [
      ...values,
      publicKeyFingerprintIn(values[certPemAt]) ?? null,
      null,
      false,
      false,
    ],
    2: (values) => values.with(stateAt, formerState(String(values[stateAt]), values[methodAt])),
  },
  formerState: (state, { method }) => formerState(state, method),
  many: ['wrongPasswords'],
  calledBy: ['method', 'identityId'],
  uniqueKeys: [{ name: 'method', key: ({ identityId, method }) => `${identityId}/${method}` }],
  machine: { declaration: authenticator, creates: 'create', removes: 'remove' },
});

/** A stored authenticator. */
export type AuthenticatorRecord = RecordOf<typeof authenticatorKind.fields>;
