// Issues tokens, and forms the answer with them (behaviour/oidc#tokens).

import { ApiError } from '../errors/errors.ts';
import type { LoginClaims, TokenFacts, VerifiedToken } from '../pki/tokens/oidc-tokens.ts';
import { loginClaimsOf } from '../pki/tokens/oidc-tokens.ts';
import { jwtCharactersMax } from '../pki/tokens/signer.ts';
import { apiSessionKind } from '../records/api-session.ts';
import { identityKind } from '../records/identity.ts';
import type { Context } from './context.ts';
import type { Granted } from './grants.ts';
import { originOf } from './replies.ts';

/** What tokens are issued for. */
export interface Issue {
  readonly claims: LoginClaims;
  readonly clientId: string;
  /** As the session has it by now. */
  readonly generation: number;
  /** Whether there is a refresh token among them. */
  readonly isRenewable: boolean;
  /** Of an exchange of a code. */
  readonly code?: string;
  readonly nonce?: string | undefined;
  /** PEM of a certificate that was issued with them. */
  readonly certificate: string | undefined;
}

/** Tokens that were issued. */
export interface Issued extends Issue {
  readonly access: string;
  readonly refresh: string | undefined;
  readonly id: string | undefined;
}

/** Lifetimes of tokens, in ms. */
export function lifetimesOf({ env }: Pick<Context, 'env'>) {
  const { accessTokenMinutes, idTokenMinutes, refreshTokenMinutes } = env.config.oidc;
  return {
    accessMs: wholeMs(accessTokenMinutes),
    idMs: wholeMs(idTokenMinutes),
    refreshMs: wholeMs(refreshTokenMinutes),
  };
}

/**
 * The next tokens for a refresh token. The one before the present one gives the present tokens
 * again.
 */
export function renewed(
  { env, tx, now }: Context,
  { claims, session, certificate }: Granted & Pick<Issue, 'certificate'>,
): Issue {
  const { generation } = session.jwt;
  const isPresent = claims.z_gen === generation;
  const until = now + lifetimesOf({ env }).refreshMs;
  const type = isPresent ? 'rotate' : 'prolong';
  env.send(tx, apiSessionKind.kind, session.id, { type, now, until });
  return {
    claims: loginClaimsOf(claims),
    clientId: claims.aud[0],
    generation: isPresent ? generation + 1 : generation,
    isRenewable: true,
    certificate,
  };
}

/** Issues all tokens that a client gets. */
export function issue(context: Context, asked: Issue): Issued {
  const { claims, clientId, generation, isRenewable } = asked;
  const { accessMs, refreshMs } = lifetimesOf(context);
  const { env } = context;
  const common = commonFacts(context, claims);
  const facts = { ...common, clientId, generation };
  const access = accessToken(context, { ...facts, lifetimeMs: accessMs }, claims);
  const refresh = isRenewable
    ? bounded(context, claims, (short) =>
        env.oidcTokens.refresh(short, { ...facts, jti: env.ids.uuid(), lifetimeMs: refreshMs }),
      )
    : undefined;
  const id = claims.scopes.includes('openid')
    ? idTokenOf(context, { claims }, { ...asked, access }, common).text
    : undefined;
  return { ...asked, access, refresh, id };
}

function accessToken(
  context: Context,
  facts: Omit<TokenFacts, 'jti'>,
  claims: LoginClaims,
): string {
  const { env } = context;
  return bounded(context, claims, (short) =>
    env.oidcTokens.access(short, { ...facts, jti: env.ids.uuid() }),
  );
}

/** The answer with tokens (RFC 6749 §5.1). */
export function tokensReply(context: Context, issued: Issued): object {
  const { access, refresh, id, claims, certificate } = issued;
  return {
    access_token: access,
    token_type: 'Bearer',
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
    expires_in: secondsIn(lifetimesOf(context).accessMs),
    ...(id === undefined ? {} : { id_token: id }),
    scope: claims.scopes.join(' '),
    ...(certificate === undefined ? {} : { session_cert: certificate }),
  };
}

/** An access token alone. The session lasts as long as it at least. */
export function issueAccess(
  context: Context,
  granted: Granted & Pick<Issue, 'certificate'>,
): object {
  const { env, tx, now } = context;
  const { claims, session, certificate } = granted;
  const { accessMs } = lifetimesOf(context);
  // An access token buys none that lives longer than itself.
  const lifetimeMs = claims.z_t === 'a' ? claims.exp * 1000 - now : accessMs;
  const until = now + lifetimeMs;
  env.send(tx, apiSessionKind.kind, session.id, { type: 'prolong', now, until });
  const facts = {
    ...commonFacts(context, claims),
    clientId: claims.aud[0],
    // One that was lost with its answer is not used by the use of this one.
    generation: claims.z_gen,
    lifetimeMs,
  };
  return {
    access_token: accessToken(context, facts, loginClaimsOf(claims)),
    token_type: 'Bearer',
    expires_in: secondsIn(lifetimeMs),
    scope: claims.scopes.join(' '),
    ...(certificate === undefined ? {} : { session_cert: certificate }),
  };
}

/** An id token. */
export function idTokenOf(
  context: Context,
  { claims }: { readonly claims: LoginClaims | VerifiedToken },
  { access, code, nonce }: Partial<Pick<Issued, 'access' | 'code' | 'nonce'>>,
  common = commonFacts(context, claims),
): { readonly text: string; readonly expiresIn: number } {
  const { env } = context;
  const { idMs } = lifetimesOf(context);
  const text = env.oidcTokens.id(claims, {
    ...common,
    clientId: claims.aud[0],
    lifetimeMs: idMs,
    name: env.store.table(identityKind).find(claims.sub)?.record.name ?? '',
    accessToken: access,
    code,
    nonce,
  });
  return { text, expiresIn: secondsIn(idMs) };
}

/** Read anew for each token, unlike what the login said. */
function commonFacts(context: Context, { sub }: Pick<LoginClaims, 'sub'>) {
  const { env, now } = context;
  const identity = env.store.table(identityKind).find(sub)?.record;
  const { isAdmin = false, isDefaultAdmin = false, externalId } = identity ?? {};
  return {
    issuer: `${originOf(context)}/oidc`,
    now,
    ...(isAdmin || isDefaultAdmin ? { z_ia: true as const } : {}),
    ...(externalId === undefined ? {} : { z_eid: externalId }),
  };
}

/** Clients and routers refuse longer tokens, so what is least needed is left out. */
function bounded(
  { env }: Context,
  claims: LoginClaims,
  sign: (claims: LoginClaims) => string,
): string {
  const whole = sign(claims);
  if (whole.length <= jwtCharactersMax) return whole;
  env.logShortened({ identityId: claims.sub });
  const { z_ct, ...rest } = claims;
  const short = sign({ ...rest, z_env: {}, z_sdk: {} });
  if (short.length > jwtCharactersMax) {
    throw new ApiError('INVALID_REQUEST', { message: 'The token would be too long.' });
  }
  return short;
}

const wholeMs = (minutes: number) => Math.ceil(minutes * 60_000);

const secondsIn = (ms: number) => Math.trunc(ms / 1000);
