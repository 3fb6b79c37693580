// External JWT signers: whose tokens count as a login (spec/1 "ExternalJwtSigner", behaviour §4.5).

import Type from 'typebox';
import { field, name, optional, time } from '../declare/field.ts';
import { defineKind } from '../declare/kind.ts';

const text = (options: { unique?: boolean; write?: 'never' } = {}) =>
  optional(Type.String({ maxLength: 4096 }), {
    symbol: 'string',
    fromJson: (json) => (json === '' ? undefined : String(json)),
    ...options,
  });

/** The stored side of signers; their operations come with the credentials issue. */
export const externalJwtSignerKind = defineKind({
  kind: 'externalJwtSigner',
  version: 1,
  fields: {
    name: name(),
    issuer: field(Type.String({ minLength: 1, maxLength: 4096 }), {
      required: true,
      unique: true,
      symbol: 'string',
    }),
    audience: field(Type.String({ minLength: 1, maxLength: 4096 }), {
      required: true,
      symbol: 'string',
    }),
    enabled: field(Type.Boolean(), { required: true, symbol: 'boolean' }),
    certPem: text(),
    jwksEndpoint: text(),
    kid: text({ unique: true }),
    fingerprint: text({ unique: true, write: 'never' }),
    commonName: text({ write: 'never' }),
    notBefore: time({ write: 'never' }),
    notAfter: time({ write: 'never' }),
    claimsProperty: text(),
    useExternalId: field(Type.Boolean(), { fallback: false, symbol: 'boolean' }),
    externalAuthUrl: text(),
    clientId: text(),
    scopes: field(Type.Array(Type.String({ maxLength: 1000 })), { fallback: [] }),
    targetToken: optional(Type.Union([Type.Literal('ACCESS'), Type.Literal('ID')]), {
      symbol: 'string',
    }),
  },
  many: ['allowingPolicies', 'requiringPolicies'],
});
