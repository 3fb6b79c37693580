// The consequences of a wrong password in all operations that require one
// (behaviour/login#lockout).

import type { Context, Reply } from '../../declare/operation.ts';
import type { ErrorCode } from '../../error-codes.ts';
import { ApiError } from '../../errors.ts';
import { authPolicyKind } from '../../records/auth-policy.ts';
import type { AuthenticatorRecord } from '../../records/authenticator.ts';
import { identityKind } from '../../records/identity.ts';

/**
 * Counts the failure, locks the identity out if its auth policy says so, and refuses with `code`: a
 * session must not be a way to guess passwords past the lockout. An identity that is locked out is
 * disabled and loses its API sessions; an administrator keeps them, and is locked out only at
 * unknown addresses (behaviour/login#known-addresses).
 */
export function wrongPassword(
  context: Context,
  { id, identityId }: Pick<AuthenticatorRecord, 'id' | 'identityId'>,
  code: ErrorCode,
): Reply {
  const { env, tx, now } = context;
  const identity = env.store.table(identityKind).find(identityId)?.record;
  const policies = env.store.table(authPolicyKind);
  const updb = policies.find(identity?.authPolicyId ?? '')?.record.primary.updb;
  if (identity !== undefined && env.lockouts.failure(id, updb?.maxAttempts ?? 0) === 'lock') {
    const durationMinutes = updb?.lockoutDurationMinutes ?? 0;
    const sent = env.send(tx, 'identity', identity.id, { type: 'lockOut', now, durationMinutes });
    if (sent.to === 'disabled') env.endApiSessions(tx, identity.id);
  }
  return { form: 'refused', error: new ApiError(code) };
}
