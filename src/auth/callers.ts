// Finds the caller of a request: the API session and the identity of its session token.

import type { Caller } from '../declare/operations/operation.ts';
import { type ApiError, accessTokenRefused, tokenInvalid } from '../errors/errors.ts';
import { type ApiSessionRecord, apiSessionKind } from '../records/api-session.ts';
import { type IdentityRecord, identityKind } from '../records/identity.ts';
import { tokenHash } from '../records/token-hash.ts';
import type { Row } from '../store/record.ts';
import type { ChangeSet } from '../store/transaction.ts';
import type { AuthEnvironment, Context } from './context.ts';
import { type FactorContext, factorsOf } from './factors.ts';
import { isBound } from './oidc/access-tokens.ts';
import { isRevoked } from './oidc/revocations.ts';
import { expiryOf } from './sessions/session-expiry.ts';

/**
 * Why a request has no caller although it brings a token: a session token or an access token that
 * is not good, or an access token that has expired.
 */
export type BadToken = 'invalid' | 'invalid access token' | 'expired access token';

/** The refusal of a request with such a token. */
export function badTokenRefused(bad: BadToken): ApiError {
  switch (bad) {
    case 'invalid':
      return tokenInvalid();
    case 'invalid access token':
      return accessTokenRefused('invalid');
    case 'expired access token':
      return accessTokenRefused('expired');
  }
}

/** A request as its caller is found by it. */
export interface CallingContext extends FactorContext {
  readonly request: Pick<Context['request'], 'header'> & {
    readonly peer: Pick<Context['request']['peer'], 'certificates'>;
  };
  /** Its bearer tokens that claim to be ours. */
  readonly ownTokens: readonly string[];
}

/**
 * The caller by the token in `zt-session` or `net-session` (behaviour/api-sessions#tokens), else by
 * an access token (behaviour/oidc#requests). Undefined without a token; a `BadToken` for one that
 * is unknown, ended or idle too long (behaviour/api-sessions#idle), or whose identity is disabled.
 */
export function findCaller(context: CallingContext): Caller | undefined | BadToken {
  const { env, request } = context;
  const token = request.header('zt-session') || request.header('net-session');
  if (token === '') return callerByAccessToken(context);
  const session = env.store.table(apiSessionKind).findBy('tokenHash', tokenHash(token));
  return session === undefined ? 'invalid' : callerOf(context, session, { token });
}

/** The first access token decides; other tokens of ours are no credentials of a request. */
function callerByAccessToken(context: CallingContext): Caller | undefined | BadToken {
  const { env, request } = context;
  for (const token of context.ownTokens) {
    const now = env.clock.now();
    const claims = env.accessTokens.verify(token, now);
    if (claims === undefined) continue;
    if (claims === 'expired') return 'expired access token';
    const session =
      claims === 'invalid' ? undefined : env.store.table(apiSessionKind).find(claims.z_asid);
    if (
      claims === 'invalid' ||
      session?.record.identityId !== claims.sub ||
      isRevoked(env.store, claims)
    ) {
      return 'invalid access token';
    }
    const { certificates } = request.peer;
    const evaluated = claims.z_cfs === null ? undefined : env.clientChains.evaluate(certificates);
    if (!isBound(claims, { evaluated, network: env.accessTokens.network, now })) {
      return 'invalid access token';
    }
    const access = {
      expiresAt: claims.exp * 1000,
      generation: claims.z_gen,
      audience: claims.aud[0],
      issuer: claims.iss,
    };
    const found = callerOf(context, session, { token, access });
    return found === 'invalid' ? 'invalid access token' : found;
  }
  return undefined;
}

/**
 * The caller of an API session in the present state, used before and after an operation has to
 * wait. `invalid` when the session may not call any more.
 */
export function callerAgain(context: FactorContext, before: Caller): Caller | 'invalid' {
  const session = context.env.store.table(apiSessionKind).find(before.session.record.id);
  return session === undefined ? 'invalid' : callerOf(context, session, before);
}

function callerOf(
  context: FactorContext,
  session: Row<ApiSessionRecord>,
  { token, access }: { readonly token: string; readonly access?: Caller['access'] },
): Caller | 'invalid' {
  const { env } = context;
  const identity = env.store.table(identityKind).find(session.record.identityId);
  const now = env.clock.now();
  if (identity === undefined || isDisabled(identity.record, now)) return 'invalid';
  if (hasExpired(env, session, now)) return 'invalid';
  const { isAdmin, isDefaultAdmin } = identity.record;
  // Based on the factors owed now: a policy may ask for more or less than at login
  // (behaviour/api-sessions#per-request).
  const { queries, secondFactorUntil } = factorsOf(context, session.record);
  return {
    session,
    token,
    access,
    identity: identity.record,
    isAdmin: isAdmin || isDefaultAdmin,
    isPartial: queries.length > 0,
    secondFactorUntil,
  };
}

/** Kinds of the records that make a caller what it is. */
const callerKinds: ReadonlySet<string> = new Set([
  'apiSession',
  'authPolicy',
  'externalJwtSigner',
  'identity',
  'mfaEnrollment',
]);

/**
 * Whether a commit may have taken a caller's right. It is called within each commit, so it looks
 * only at the kinds.
 */
export function concernsCallers({ changes }: ChangeSet): boolean {
  return changes.some(({ table }) => callerKinds.has(table.kind));
}

/** Whether an API session was idle too long at `now`, wall-clock ms, or its life is over. */
export function hasExpired(
  { activity, config }: Pick<AuthEnvironment, 'activity' | 'config'>,
  { slot, record }: Row<ApiSessionRecord>,
  now: number,
): boolean {
  const activeAt = activity.lastActivityAt(slot);
  if (activeAt === undefined) return false;
  return expiryOf(config, record, activeAt + activity.unheardMs) <= now;
}

/** Whether an identity is disabled at `now`, wall-clock ms (behaviour/identities#disabling). */
export function isDisabled(
  { disabledAt, disabledUntil }: Pick<IdentityRecord, 'disabledAt' | 'disabledUntil'>,
  now: number,
): boolean {
  return disabledAt !== undefined && (disabledUntil === undefined || disabledUntil > now);
}
