// Login by the token of an external JWT signer (behaviour/external-jwt).

import { type CandidateSigners, candidateSigners } from '../../auth/external-jwt/candidates.ts';
import type { VerifiedToken } from '../../auth/external-jwt/external-jwt.ts';
import { credentialOfSigner } from '../../auth/sessions/credential-endings.ts';
import { addressBlock } from '../../platform/address-block.ts';
import { externalJwtSignerKind } from '../../records/external-jwt-signer.ts';
import { identityKind } from '../../records/identity.ts';
import type { Context } from '../context.ts';
import { type Admitted, admitted, type Proof } from './authentication-session.ts';

/**
 * Fetches unknown keys that a token names, then checks signatures like `checkTokens`; undefined
 * when there is nothing to wait for. It rejects with Busy when too many logins wait for keys
 * already.
 */
export function fetchKeysAndCheck(context: Context): Promise<undefined> | undefined {
  const { bearerTokens, env } = context;
  const signers = signersOf(context);
  const { waiting } = env.externalJwts.examine(bearerTokens, signers);
  if (waiting.length === 0) return checkTokens(context);
  return env.externalJwts.fetchKeys(bearerTokens, signers).then(() => checkTokens(context));
}

/**
 * As `fetchKeysAndCheck`, for tokens that may be the second factor of a login. It waits for keys as
 * other requests do: shorter, and not at all when too many logins from this address wait already.
 */
export function awaitKeysAndCheck(context: Context): Promise<undefined> | undefined {
  const { bearerTokens, env, request } = context;
  if (bearerTokens.length === 0) return undefined;
  const { waiting } = env.externalJwts.examine(bearerTokens, signersOf(context));
  if (waiting.length === 0) return checkTokens(context);
  const fetched = env.keyWaits.wait(addressBlock(request.peer.address), waiting);
  return fetched === undefined ? checkTokens(context) : fetched.then(() => checkTokens(context));
}

/**
 * Checks the signatures of tokens that are seen for the first time, either the credential of the
 * login or its second factor; undefined when there are none.
 */
function checkTokens(context: Context): Promise<undefined> | undefined {
  const { bearerTokens, env } = context;
  if (bearerTokens.length === 0) return undefined;
  const signers = signersOf(context);
  const { unchecked } = env.externalJwts.examine(bearerTokens, signers);
  if (unchecked.length === 0) return undefined;
  return env.externalJwts.check(bearerTokens, signers).then(() => undefined);
}

/** The first token whose identity may log in decides. @throws ApiError 401 with a challenge. */
export function proveByJwt(context: Context): Proof {
  const { bearerTokens, env } = context;
  const signers = signersOf(context);
  const evidence = env.externalJwts.examine(bearerTokens, signers);
  for (const token of evidence.verified) {
    const login = loginOf(context, token);
    if (login === undefined) continue;
    return { identity: login.identity, authenticatorId: credentialOfSigner(token.signer.id) };
  }
  throw env.externalJwts.refusal('primary', evidence, signers);
}

function signersOf({ env }: Context): CandidateSigners {
  return candidateSigners(env.store.table(externalJwtSignerKind));
}

/** Undefined when the token names no identity, or one that may not log in by it. */
function loginOf(context: Context, { claim, signer }: VerifiedToken): Admitted | undefined {
  const identities = context.env.store.table(identityKind);
  const identity = signer.useExternalId
    ? identities.findBy('externalId', claim)
    : identities.find(claim);
  const login = admitted(context, identity);
  if (login === undefined) return undefined;
  const { allowed, allowedSigners } = login.policy.primary.extJwt;
  const isOneOfThem = allowedSigners.length === 0 || allowedSigners.includes(signer.id);
  return allowed && isOneOfThem ? login : undefined;
}
