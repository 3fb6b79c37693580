// Auth policies: how the identities that use one may log in (behaviour/login).

import Type from 'typebox';
import { field, name, type Relation } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { unconfirmed } from './unconfirmed-field.ts';

/** The longest lock-out that an auth policy may set: ten years. @bound per entity */
const lockoutMinutesMax = 10 * 365 * 24 * 60;

const primarySchema = Type.Object({
  cert: Type.Object({ allowExpiredCerts: Type.Boolean(), allowed: Type.Boolean() }),
  extJwt: Type.Object({
    allowed: Type.Boolean(),
    allowedSigners: Type.Array(Type.String({ minLength: 1, maxLength: 200 })),
  }),
  updb: Type.Object({
    allowed: Type.Boolean(),
    lockoutDurationMinutes: Type.Integer({ maximum: lockoutMinutesMax }),
    maxAttempts: Type.Integer({ maximum: 1_000_000 }),
    minPasswordLength: Type.Integer({ maximum: 100 }),
    requireMixedCase: Type.Boolean(),
    requireNumberChar: Type.Boolean(),
    requireSpecialChar: Type.Boolean(),
  }),
});

const secondarySchema = Type.Object({
  requireExtJwtSigner: Type.Optional(Type.String({ maxLength: 200 })),
  requireTotp: Type.Boolean(),
});

type Primary = Type.Static<typeof primarySchema>;

type Secondary = Type.Static<typeof secondarySchema>;

const signerOf = (inverse: string) =>
  ({ kind: 'externalJwtSigner', inverse, onDelete: 'refuse', refusedStatus: 400 }) as const;

const allowedSigners: Relation<Primary> = {
  ...signerOf('allowingPolicies'),
  ids: (primary) => primary.extJwt.allowedSigners,
  strip: (primary) => primary,
};

const requiredSigner: Relation<Secondary> = {
  ...signerOf('requiringPolicies'),
  ids: (secondary) => secondary.requireExtJwtSigner,
  strip: (secondary) => secondary,
};

/** The stored side of auth policies. */
export const authPolicyKind = defineKind({
  kind: 'authPolicy',
  version: 2,
  fields: {
    name: name(),
    primary: field(primarySchema, {
      required: true,
      relations: [allowedSigners],
      merge: (stored, patch) => normalised(merged(stored, patch)),
    }),
    secondary: field(secondarySchema, {
      required: true,
      relations: [requiredSigner],
      merge: (stored, patch) => withoutBlankSigner(merged(stored, patch)),
    }),
    isUnconfirmed: unconfirmed({ since: 2 }),
  },
  many: ['identities', 'enrollingSigners'],
});

/** A stored auth policy. */
export type AuthPolicyRecord = RecordOf<typeof authPolicyKind.fields>;

/** Values out of range become the nearest sensible value (behaviour/login#policy-values). */
export function normalised(primary: Primary): Primary {
  const { updb, extJwt } = primary;
  return {
    ...primary,
    extJwt: { ...extJwt, allowedSigners: [...new Set(extJwt.allowedSigners)] },
    updb: {
      ...updb,
      lockoutDurationMinutes: Math.max(0, updb.lockoutDurationMinutes),
      maxAttempts: Math.max(0, updb.maxAttempts),
      minPasswordLength: Math.max(5, updb.minPasswordLength),
    },
  };
}

/** An empty signer clears it (behaviour/records#patch). */
export function withoutBlankSigner({ requireExtJwtSigner, ...rest }: Secondary): Secondary {
  return requireExtJwtSigner === undefined || requireExtJwtSigner === ''
    ? rest
    : { ...rest, requireExtJwtSigner };
}

/**
 * Objects are merged property by property, everything else is replaced (behaviour/records#patch).
 */
function merged<T>(stored: T, patch: T): T {
  if (!isObject(stored) || !isObject(patch)) return patch;
  const result: Record<string, unknown> = { ...stored };
  for (const [key, value] of Object.entries(patch)) result[key] = merged(result[key], value);
  return result as T;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The policy of identities that set none. */
export const defaultAuthPolicyId = 'default';
