// Auth policies: how the identities that name one may log in (spec/1 "AuthPolicy", behaviour §4).

import Type from 'typebox';
import { defineResource } from '../declare/crud.ts';
import { field, name, type Relation } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';
import type { Context } from '../declare/operation.ts';
import { ApiError } from '../errors.ts';
import { refuseIfPolicyBarsAdmins } from './admin-logins.ts';

/** The longest lock-out that an auth policy may ask for: ten years. @bound per entity */
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
  version: 1,
  fields: {
    name: name(),
    primary: field(primarySchema, {
      required: true,
      relations: [allowedSigners],
      fromJson: (json) => json as Primary,
      merge: (stored, patch) => normalised(merged(stored, patch)),
    }),
    secondary: field(secondarySchema, {
      required: true,
      relations: [requiredSigner],
      merge: (stored, patch) => withoutBlankSigner(merged(stored, patch)),
    }),
  },
  many: ['identities'],
});

/** A stored auth policy. */
export type AuthPolicyRecord = RecordOf<typeof authPolicyKind.fields>;

/** The policy of identities that name none. */
export const defaultAuthPolicyId = 'default';

/** Auth policies in the management API. */
export const authPolicies = defineResource({
  kind: authPolicyKind,
  path: 'auth-policies',
  title: 'auth policy',
  names: { one: 'AuthPolicy', many: 'AuthPolicies' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  symbols: [
    ...['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'name'],
    ...['primary.cert.allowed', 'primary.cert.allowExpiredCerts', 'primary.updb.allowed'],
    ...['primary.updb.minPasswordLength', 'primary.updb.requireSpecialChar'],
    ...['primary.updb.requireNumberChar', 'primary.updb.requireMixedCase'],
    ...['primary.updb.maxAttempts', 'primary.extJwt.allowed'],
    ...['secondary.requireTotp', 'secondary.requireExtJwtSigner'],
  ],
  check(context, draft) {
    draft.primary = normalised(draft.primary);
    draft.secondary = withoutBlankSigner(draft.secondary);
    const { requireExtJwtSigner: required } = draft.secondary;
    refuseUnknownSigner(
      context,
      'primary.extJwt.allowedSigners',
      draft.primary.extJwt.allowedSigners,
    );
    refuseUnknownSigner(context, 'secondary.requireExtJwtSigner', required ? [required] : []);
  },
  written(context, { id }, _body, stored) {
    if (stored !== undefined) refuseIfPolicyBarsAdmins(context, id);
  },
  systemIsEditable: true,
  example: {
    name: 'operators',
    primary: {
      cert: { allowExpiredCerts: false, allowed: true },
      extJwt: { allowed: false, allowedSigners: [] },
      updb: {
        allowed: true,
        lockoutDurationMinutes: 15,
        maxAttempts: 5,
        minPasswordLength: 12,
        requireMixedCase: true,
        requireNumberChar: true,
        requireSpecialChar: false,
      },
    },
    secondary: { requireTotp: false },
  },
});

/** Unknown signers are 404 (behaviour §1.5.2). */
function refuseUnknownSigner(context: Context, field: string, ids: readonly string[]): void {
  const table = context.env.store.table('externalJwtSigner');
  const value = ids.find((id) => table.find(id) === undefined);
  if (value === undefined) return;
  const cause = { field, reason: 'no external JWT signer has this id', value };
  throw new ApiError('NOT_FOUND', { cause });
}

/** Values out of range become the nearest that makes sense (behaviour §4.2.5). */
function normalised(primary: Primary): Primary {
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

/** An empty signer clears it (behaviour §12.4.2). */
function withoutBlankSigner({ requireExtJwtSigner, ...rest }: Secondary): Secondary {
  return requireExtJwtSigner === undefined || requireExtJwtSigner === ''
    ? rest
    : { ...rest, requireExtJwtSigner };
}

/** Objects merge property by property, all else is replaced (behaviour §12.4.2). */
function merged<T>(stored: T, patch: T): T {
  if (!isObject(stored) || !isObject(patch)) return patch;
  const result: Record<string, unknown> = { ...stored };
  for (const [key, value] of Object.entries(patch)) result[key] = merged(result[key], value);
  return result as T;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
