// What operations with a password share: the share that a hash counts for, the rules for a new
// password, and the consequences of a wrong one (behaviour/login).

import { isKnownAddress } from '../../auth/known-addresses.ts';
import type { Share } from '../../auth/passwords/login-queue.ts';
import { passwordProblem } from '../../auth/passwords/password-rules.ts';
import type { Refused } from '../../declare/operations/operation.ts';
import type { ErrorCode } from '../../errors/error-codes.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { addressBlock } from '../../platform/address-block.ts';
import { authPolicyKind } from '../../records/auth-policy.ts';
import type { AuthenticatorRecord } from '../../records/authenticator.ts';
import { type IdentityRecord, identityKind } from '../../records/identity.ts';
import type { Context } from '../context.ts';
import { countWrongPassword } from './wrong-passwords.ts';

/**
 * The share of a caller who claims to be `username`, before the password is checked.
 * @param identity the identity with this user name, if there is one
 */
export function loginShare(
  { env, now, request }: Context,
  username: string,
  identity: IdentityRecord | undefined,
): Share {
  const { address } = request.peer;
  // The known addresses in an administrator's identity survive a restart.
  const isKnown =
    env.recentLogins.has(address, username) ||
    isKnownAddress(identity?.knownAddresses, address, now);
  return { address: addressBlock(address), username, isKnown };
}

/** The share of a logged-in caller, else of a caller who sets a password for `identityId`. */
export function callerShare({ callerIfAny, request }: Context, identityId: string): Share {
  return {
    address: addressBlock(request.peer.address),
    username: callerIfAny?.identity.id ?? identityId,
    isKnown: callerIfAny !== undefined,
  };
}

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
  context.restsOn('identity', identity);
  const policy = store.table(authPolicyKind).find(identity.record.authPolicyId);
  if (policy !== undefined) {
    context.restsOn('authPolicy', policy);
    const problem = passwordProblem(policy.record.primary.updb, password, limits);
    if (problem !== undefined) throw fieldError('password', problem, password);
  }
  return hasher.hash(password, config.argon2, callerShare(context, identityId));
}

/**
 * Counts the failure, locks the identity out if its auth policy says so, and refuses with `code`: a
 * session must not be a way to guess passwords past the lockout. An identity that is locked out is
 * disabled and loses its API sessions; an administrator keeps them, and is locked out only at
 * unknown addresses (behaviour/login#known-addresses).
 */
export function wrongPassword(
  context: Context,
  { id, identityId, username }: Pick<AuthenticatorRecord, 'id' | 'identityId' | 'username'>,
  code: ErrorCode,
): Refused {
  const { env, tx, now } = context;
  const identity = env.store.table(identityKind).find(identityId)?.record;
  const policies = env.store.table(authPolicyKind);
  const updb = policies.find(identity?.authPolicyId ?? '')?.record.primary.updb;
  if (identity !== undefined && countWrongPassword(context, id, updb?.maxAttempts ?? 0)) {
    const durationMinutes = updb?.lockoutDurationMinutes ?? 0;
    const sent = env.send(tx, 'identity', identity.id, { type: 'lockOut', now, durationMinutes });
    if (sent.to === 'disabled') env.endApiSessions(tx, identity.id);
    env.refusedLogins.lockedOut(identity.id, username ?? '', context.request.peer.address);
  }
  return { form: 'refused', error: new ApiError(code) };
}
