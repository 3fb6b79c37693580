// Whether a token still buys others: its signature, its session, its identity, its certificate
// (behaviour/oidc#refresh).

import type { JwtSession } from '../../machines/api-session.ts';
import { hasExpired } from '../auth/callers.ts';
import { isNamed } from '../auth/oidc/access-tokens.ts';
import { isRevoked } from '../auth/oidc/revocations.ts';
import type { Refused } from '../declare/operations/operation.ts';
import { ApiError } from '../errors/errors.ts';
import type { VerifiedToken } from '../pki/tokens/oidc-tokens.ts';
import { type ApiSessionRecord, apiSessionKind } from '../records/api-session.ts';
import type { AuthPolicyRecord } from '../records/auth-policy.ts';
import { type IdentityRecord, identityKind } from '../records/identity.ts';
import { admitted } from '../resources/authentication/authentication-session.ts';
import type { Context } from './context.ts';

/** The claims of tokens, and what they rest on. */
export interface Granted {
  readonly claims: VerifiedToken;
  readonly session: ApiSessionRecord & { readonly jwt: JwtSession };
  readonly identity: IdentityRecord;
}

/** How long a refresh token is good after its successor was used. */
const reuseGraceMs = 10_000;

/**
 * What a token of a client grants. A refusal that is returned has ended the session, because the
 * token was used after its successor.
 * @throws ApiError INVALID_GRANT, ACCESS_DENIED.
 */
export function grantOf(
  context: Context,
  text: string,
  sort: VerifiedToken['z_t'],
  client: string,
): Granted | Refused {
  const { env, now } = context;
  const claims = env.oidcTokens.verify(text, sort);
  if (claims === undefined || claims.exp * 1000 <= now) throw invalidGrant();
  if (!env.issuers.has(claims.iss) || claims.aud[0] !== client) throw invalidGrant();
  const row = env.store.table(apiSessionKind).find(claims.z_asid);
  if (row === undefined || hasExpired(env, row, now)) throw invalidGrant();
  const session = row.record;
  const { jwt } = session;
  if (session.identityId !== claims.sub) throw invalidGrant();
  if (jwt === undefined || isRevoked(env.store, claims)) throw invalidGrant();
  const identity = env.store.table(identityKind).find(claims.sub);
  const admission = admitted(context, identity);
  if (admission === undefined || !isAllowed(admission.policy.primary, claims)) throw invalidGrant();
  refuseOtherCertificate(context, claims);
  // Each use may write, and costs signatures.
  env.rates.countLogin(admission.identity);
  const granted = { claims, session: { ...session, jwt }, identity: admission.identity.record };
  return sort === 'r' && isReused(jwt, claims, now) ? endReused(context, granted) : granted;
}

/** The error for every reason, which is told to nobody. */
export function invalidGrant(): ApiError {
  return new ApiError('INVALID_GRANT');
}

/** Whether the auth policy allows the way in which the identity logged in. */
function isAllowed(
  { updb, cert, extJwt }: AuthPolicyRecord['primary'],
  { amr, z_authid }: Pick<VerifiedToken, 'amr' | 'z_authid'>,
): boolean {
  if (amr.includes('password')) return updb.allowed;
  if (amr.includes('cert')) return cert.allowed;
  const signer = z_authid.replace(/^extJwtId:/, '');
  const isOneOfThem = extJwt.allowedSigners.length === 0 || extJwt.allowedSigners.includes(signer);
  return extJwt.allowed && isOneOfThem;
}

/** Here only the certificate itself counts, and no other one of the session. */
function refuseOtherCertificate({ env, now, request }: Context, claims: VerifiedToken): void {
  if (claims.z_cfs === null) return;
  const evaluated = env.clientChains.evaluate(request.peer.certificates);
  if (!isNamed(claims, evaluated, now)) throw new ApiError('ACCESS_DENIED');
}

/**
 * The refresh token before the present one is good until that is used and a little longer, because
 * clients use one twice in a row, or have not got the answer to its first use.
 */
function isReused(
  { generation, usedAt }: JwtSession,
  { z_gen }: VerifiedToken,
  now: number,
): boolean {
  if (z_gen === generation) return false;
  // After a restore: the token was issued later than what is known of its session.
  if (z_gen > generation) throw invalidGrant();
  // A clock that was set back far does not prolong the time.
  const isInTime = usedAt === 0 || Math.abs(now - usedAt) < reuseGraceMs;
  return z_gen < generation - 1 || !isInTime;
}

/** One of two users has stolen it, and nobody knows which (RFC 9700 §4.14.2). */
function endReused({ env, tx, now }: Context, { session, identity }: Granted): Refused {
  const { id } = session;
  env.logReuse({ identityId: identity.id, apiSessionId: id });
  env.registry.cascades.remove(tx, apiSessionKind.kind, id, () =>
    env.send(tx, apiSessionKind.kind, id, { type: 'detectReuse', now }),
  );
  return { form: 'refused', error: invalidGrant() };
}
