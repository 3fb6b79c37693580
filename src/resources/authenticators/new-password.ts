// Checks a new password against the rules for its owner, then hashes it.

import { passwordProblem } from '../../auth/password-rules.ts';
import type { Context } from '../../declare/operation.ts';
import { fieldError } from '../../errors.ts';
import { authPolicyKind } from '../../records/auth-policy.ts';
import { identityKind } from '../../records/identity.ts';
import { callerShare } from './hash-share.ts';

/**
 * Hashes a password if it satisfies the rules of the identity's auth policy
 * (behaviour/login#password-rules). For `prepare`, whose facts then depend on identity and policy.
 * @throws ApiError 400 with field `password` or `identityId`; Busy when too many are being hashed.
 */
export async function newPasswordHash(
  context: Context,
  identityId: string,
  password: string,
): Promise<string> {
  const { store, hasher, config, limits } = context.env;
  const identity = store.table(identityKind).find(identityId);
  if (identity === undefined) {
    throw fieldError('identityId', 'no identity has this id', identityId);
  }
  context.restsOn('identity', identity as never);
  const policy = store.table(authPolicyKind).find(identity.record.authPolicyId);
  if (policy !== undefined) {
    context.restsOn('authPolicy', policy as never);
    const problem = passwordProblem(policy.record.primary.updb, password, limits);
    if (problem !== undefined) throw fieldError('password', problem, password);
  }
  return hasher.hash(password, config.argon2, callerShare(context, identityId));
}
