// Third-party certificate authorities (behaviour/cas).

import Type from 'typebox';
import { ca } from '../../machines/ca.ts';
import { isEmpty } from '../declare/kinds/compiled.ts';
import { field, name, optional, optionalAttributes } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { plainTextFormat } from '../declare/resources/plain-text.ts';
import { unconfirmed } from './unconfirmed-field.ts';
import { emptyWhereUnset } from './unset-lists.ts';

/** The parts of a certificate in which values are searched. */
export const claimLocations = ['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'] as const;

/** The values that count. */
export const claimMatchers = ['ALL', 'PREFIX', 'SUFFIX', 'SCHEME'] as const;

/** How each value is parsed. */
export const claimParsers = ['NONE', 'SPLIT'] as const;

/** An external id claim as stored in a CA. */
export interface ExternalIdClaim {
  readonly location: (typeof claimLocations)[number];
  readonly matcher: (typeof claimMatchers)[number];
  readonly matcherCriteria: string;
  readonly parser: (typeof claimParsers)[number];
  readonly parserCriteria: string;
  /** The index, from 0. */
  readonly index: number;
}

const flag = () => field(Type.Boolean(), { required: true, symbol: 'boolean' });

const criteria = Type.String({ maxLength: 1000 });

// If the claim is present, all of it must be (behaviour/cas#claim-validation).
const externalIdClaim = Type.Object({
  index: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  location: Type.Enum([...claimLocations]),
  matcher: Type.Enum([...claimMatchers]),
  matcherCriteria: criteria,
  parser: Type.Enum([...claimParsers]),
  parserCriteria: criteria,
});

/** The format of identity names that are made from the data of a certificate. */
export const nameFormat = Type.String({ maxLength: 1000, format: plainTextFormat });

const nameFormatDefault = '[caName]-[commonName]';

/** The index of `identityRoles` among the values of each version. */
const identityRolesAt = 10;

/** The stored side of CAs. */
export const caKind = defineKind({
  kind: 'ca',
  version: 3,
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
    identityRoles: optionalAttributes({ required: true }),
    isAuthEnabled: flag(),
    isAutoCaEnrollmentEnabled: flag(),
    isOttCaEnrollmentEnabled: flag(),
    externalIdClaim: optional(externalIdClaim, {
      nullable: true,
      // The empty object keeps what is stored, also where nothing is (behaviour/cas#patches).
      merge: (stored, patch) =>
        patch === undefined || isEmpty(patch) ? stored : { ...stored, ...patch },
    }),
    /**
     * By which holders of its certificates enroll (behaviour/enrollment#lasting-jwts). A start
     * signs it where it is missing.
     */
    jwt: optional(Type.String(), { write: 'never', secret: true, since: 2 }),
    isUnconfirmed: unconfirmed({ since: 2 }),
  },
  // Version 3 may lack identityRoles.
  downgrades: { 3: emptyWhereUnset(identityRolesAt) },
  many: ['enrollments', 'authenticators'],
  machine: { declaration: ca, creates: 'create', removes: 'remove' },
});

/** A stored CA. */
export type CaRecord = RecordOf<typeof caKind.fields>;
