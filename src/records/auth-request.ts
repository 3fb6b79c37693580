// Authorization requests of the OIDC provider: logins in progress (behaviour/oidc#requests).

import Type from 'typebox';
import { authRequest } from '../../machines/auth-request.ts';
import { field, optional, time } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

const given = { write: 'never', show: 'never' } as const;
const text = () => field(Type.String(), { ...given, fallback: '' });
const secret = () => field(Type.String(), { ...given, fallback: '', secret: true });
const texts = () => field(Type.Array(Type.String()), { ...given, fallback: [] });
const count = () => field(Type.Integer(), { ...given, fallback: 0 });

/** What the client said at its login, and what its credential was. */
const loginSchema = Type.Object({
  authenticatorId: Type.String(),
  caId: Type.Optional(Type.String()),
  isImproperChain: Type.Boolean(),
  configTypes: Type.Array(Type.String()),
  env: Type.Record(Type.String(), Type.Unknown()),
  sdk: Type.Record(Type.String(), Type.Unknown()),
  userAgent: Type.String(),
  csr: Type.Optional(Type.String()),
  /** Of the certificate that logged in, SHA-1 in hex. */
  fingerprint: Type.Optional(Type.String()),
  allowsExpired: Type.Boolean(),
  isExtendable: Type.Boolean(),
  isExtendRequested: Type.Boolean(),
  isKeyRollRequested: Type.Boolean(),
});

/** Authorization requests. They live for minutes, so neither log nor snapshots have them. */
export const authRequestKind = defineKind({
  kind: 'authRequest',
  version: 1,
  volatile: true,
  fields: {
    state: field(Type.String(), { ...given, fallback: 'created' }),
    clientId: text(),
    redirectUri: text(),
    scopes: texts(),
    /** The client's own value, which is sent back to it; undefined if it sent none. */
    clientState: optional(Type.String(), { ...given, secret: true }),
    nonce: optional(Type.String(), { ...given, secret: true }),
    codeChallenge: secret(),
    /** Config types that the client named at the beginning. */
    configTypes: texts(),
    /** Where it came from. */
    address: text(),
    /** Only the login page of this request has it. */
    formToken: secret(),
    /** Only whoever has given the last factor has it: without it, no code is sent. */
    callbackKey: secret(),
    expiresAt: time(given),
    identityId: field(Type.String(), { ...given, fallback: '', grouped: true }),
    authenticatedAt: time(given),
    factors: texts(),
    owed: texts(),
    failures: count(),
    codeHash: field(Type.String(), { ...given, fallback: '', secret: true, grouped: true }),
    codeUntil: count(),
    login: optional(loginSchema, given),
  },
  many: [],
  calledBy: ['identityId', 'clientId'],
  machine: { declaration: authRequest, creates: 'authorize', removes: 'revoke' },
});

/** An authorization request. */
export type AuthRequestRecord = RecordOf<typeof authRequestKind.fields>;

/** What the client said at its login. */
export type AuthRequestLogin = NonNullable<AuthRequestRecord['login']>;
