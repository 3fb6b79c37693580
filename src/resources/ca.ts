// Third-party certificate authorities (spec/1 "CA", behaviour §7).

import Type from 'typebox';
import { ca } from '../../machines/ca.ts';
import { field, name, optional } from '../declare/field.ts';
import { defineKind } from '../declare/kind.ts';

const flag = () => field(Type.Boolean(), { required: true, symbol: 'boolean' });

const externalIdClaim = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  location: Type.Enum(['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL']),
  matcher: Type.Enum(['ALL', 'PREFIX', 'SUFFIX', 'SCHEME']),
  matcherCriteria: Type.String({ maxLength: 1000 }),
  parser: Type.Enum(['NONE', 'SPLIT']),
  parserCriteria: Type.String({ maxLength: 1000 }),
});

/** The stored side of CAs; their operations come with the credentials issue. */
export const caKind = defineKind({
  kind: 'ca',
  version: 1,
  fields: {
    state: field(Type.String(), { fallback: 'unverified', write: 'never', show: 'never' }),
    name: name(),
    certPem: field(Type.String({ minLength: 1, maxLength: 65536 }), {
      required: true,
      write: 'create',
    }),
    fingerprint: field(Type.String(), {
      required: true,
      unique: true,
      write: 'never',
      symbol: 'string',
    }),
    verificationToken: field(Type.String(), {
      required: true,
      write: 'never',
      symbol: 'string',
    }),
    identityNameFormat: field(Type.String({ maxLength: 1000 }), {
      fallback: '[caName]-[commonName]',
    }),
    identityRoles: field(Type.Array(Type.String({ maxLength: 1000 })), { required: true }),
    isAuthEnabled: flag(),
    isAutoCaEnrollmentEnabled: flag(),
    isOttCaEnrollmentEnabled: flag(),
    externalIdClaim: optional(externalIdClaim),
  },
  many: ['enrollments', 'authenticators'],
  machine: { declaration: ca, creates: 'create', removes: 'remove' },
});
