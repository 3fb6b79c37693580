// Third-party certificate authorities (behaviour/cas).

import Type from 'typebox';
import { ca } from '../../machines/ca.ts';
import { field, name, optional, roleSchema } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';
import { plainTextFormat } from '../declare/plain-text.ts';

/** Where values are found in a certificate. */
export const claimLocations = ['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'] as const;

/** Which values count. */
export const claimMatchers = ['ALL', 'PREFIX', 'SUFFIX', 'SCHEME'] as const;

/** What is made of each value. */
export const claimParsers = ['NONE', 'SPLIT'] as const;

/** An external id claim as a CA holds it. */
export interface ExternalIdClaim {
  readonly location: (typeof claimLocations)[number];
  readonly matcher: (typeof claimMatchers)[number];
  readonly matcherCriteria: string;
  readonly parser: (typeof claimParsers)[number];
  readonly parserCriteria: string;
  /** From 0. */
  readonly index: number;
}

const flag = () => field(Type.Boolean(), { required: true, symbol: 'boolean' });

const criteria = Type.String({ maxLength: 1000 });

// All of it must be there once it is (behaviour/cas#claim-validation).
const externalIdClaim = Type.Object({
  index: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  location: Type.Enum([...claimLocations]),
  matcher: Type.Enum([...claimMatchers]),
  matcherCriteria: criteria,
  parser: Type.Enum([...claimParsers]),
  parserCriteria: criteria,
});

/** How names of identities are made of what a certificate says. */
export const nameFormat = Type.String({ maxLength: 1000, format: plainTextFormat });

const nameFormatDefault = '[caName]-[commonName]';

/** The stored side of CAs. */
export const caKind = defineKind({
  kind: 'ca',
  version: 1,
  fields: {
    state: field(Type.String(), { fallback: 'unverified', write: 'never', show: 'never' }),
    name: name(),
    certPem: field(Type.String({ minLength: 1 }), { required: true, write: 'create' }),
    fingerprint: field(Type.String(), {
      required: true,
      unique: true,
      write: 'never',
      symbol: 'string',
    }),
    verificationToken: field(Type.String(), {
      required: true,
      write: 'never',
      secret: true,
      symbol: 'string',
    }),
    identityNameFormat: field(nameFormat, {
      fallback: nameFormatDefault,
      fromJson: (json) => (String(json).trim() === '' ? nameFormatDefault : String(json)),
    }),
    identityRoles: field(Type.Array(roleSchema), {
      required: true,
      fromJson: (json) => [...new Set(json as string[])],
    }),
    isAuthEnabled: flag(),
    isAutoCaEnrollmentEnabled: flag(),
    isOttCaEnrollmentEnabled: flag(),
    externalIdClaim: optional(externalIdClaim, {
      merge: (stored, patch) => (patch === undefined ? stored : { ...stored, ...patch }),
    }),
  },
  many: ['enrollments', 'authenticators'],
  machine: { declaration: ca, creates: 'create', removes: 'remove' },
});

/** A stored CA. */
export type CaRecord = RecordOf<typeof caKind.fields>;
