// Auth policies: the allowed ways to log in for the identities that name one (behaviour/login).

import { ApiError } from '../../errors/errors.ts';
import { authPolicyKind, normalised, withoutBlankSigner } from '../../records/auth-policy.ts';
import { externalJwtSignerKind } from '../../records/external-jwt-signer.ts';
import { refuseIfPolicyBarsAdmins } from '../authenticators/admin-logins.ts';
import { type Context, defineResource } from '../context.ts';
import { checkLoginRule, hasPolicy, refuseIfReliedOn } from './login-rules.ts';

/** Auth policies in the management API. */
export const authPolicies = defineResource({
  kind: authPolicyKind,
  path: 'auth-policies',
  answered: 'here',
  title: 'auth policy',
  names: { one: 'AuthPolicy', many: 'AuthPolicies' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'auth-policy',
  alsoFiltered: [
    'primary.cert.allowed',
    'primary.cert.allowExpiredCerts',
    'primary.updb.allowed',
    'primary.updb.minPasswordLength',
    'primary.updb.requireSpecialChar',
    'primary.updb.requireNumberChar',
    'primary.updb.requireMixedCase',
    'primary.updb.maxAttempts',
    'primary.extJwt.allowed',
    'secondary.requireTotp',
    'secondary.requireExtJwtSigner',
  ],
  check(context, draft, _body, stored) {
    checkLoginRule(context, draft, stored, hasPolicy);
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
  removing: (context, record) => refuseIfReliedOn(context, record, hasPolicy),
  systemIsEditable: true,
  // A policy that new identities of a signer get (behaviour/external-jwt#enrollment-by-token).
  deleteConflicts: true,
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

/** Unknown signers are 404 (behaviour/errors#unknown-references). */
function refuseUnknownSigner(context: Context, field: string, ids: readonly string[]): void {
  const table = context.env.store.table(externalJwtSignerKind);
  const value = ids.find((id) => table.find(id) === undefined);
  if (value === undefined) return;
  const cause = { field, reason: 'no external JWT signer has this id', value };
  throw new ApiError('NOT_FOUND', { cause });
}
