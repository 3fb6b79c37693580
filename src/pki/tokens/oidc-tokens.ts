// Tokens of the OIDC provider: access, refresh, id and TOTP tokens (behaviour/oidc#tokens). Like
// session tokens they are signed on the caller's stack, because an answer and the frame that it
// rests on are made in one turn.

import { createHash } from 'node:crypto';
import type { TokenKeys } from './token-keys.ts';

/**
 * The claims that all tokens of one login have, and that each refresh copies
 * (behaviour/oidc#claims). Lists of fingerprints are SHA-1 in hex.
 */
export interface LoginClaims {
  /** Id of the identity. */
  readonly sub: string;
  /** The client that asked for the login. */
  readonly aud: readonly [string];
  /** Seconds since the epoch. */
  readonly auth_time: number;
  readonly amr: readonly string[];
  readonly scopes: readonly string[];
  /** Id of the API session. */
  readonly z_asid: string;
  readonly z_aid: string;
  readonly z_authid: string;
  readonly z_ct?: readonly string[];
  /** Certificates, one of which the bearer has to show; null for none. */
  readonly z_cfs: readonly string[] | null;
  /** The certificate that logged in. */
  readonly z_acf?: string;
  /** Whether that one may have expired. */
  readonly z_cae: boolean;
  readonly z_env: object;
  readonly z_sdk: object;
  /** Address of the authorization request. */
  readonly z_ra: string;
  readonly z_ice: boolean;
  readonly z_cer: boolean;
  readonly z_ckrr: boolean;
  readonly z_iccc: boolean;
}

/** The claims that are read from the identity with each token. */
export interface IdentityClaims {
  readonly z_ia?: true;
  readonly z_eid?: string;
}

/** An access or refresh token whose signature was verified. */
export interface VerifiedToken extends LoginClaims {
  readonly z_t: 'a' | 'r';
  readonly iss: string;
  readonly jti: string;
  /** Seconds since the epoch. */
  readonly exp: number;
  readonly iat: number;
  /** Counts the refresh tokens of its session: ours alone. */
  readonly z_gen: number;
}

/** The facts of one token besides those of its login. */
export interface TokenFacts extends IdentityClaims {
  readonly issuer: string;
  readonly jti: string;
  readonly clientId: string;
  readonly generation: number;
  /** Wall-clock ms. */
  readonly now: number;
  readonly lifetimeMs: number;
}

/** The facts of an id token. */
export interface IdTokenFacts extends Omit<TokenFacts, 'jti' | 'generation'> {
  readonly name: string;
  /** The access token beside it; undefined for none. */
  readonly accessToken: string | undefined;
  /** Undefined for one that no code was exchanged for. */
  readonly code: string | undefined;
  readonly nonce: string | undefined;
}

/** Signs and verifies tokens of the provider with the token key. */
export interface OidcTokens {
  /** Whether a key of ours has this name: a token with another one is not ours. */
  hasKey(kid: unknown): boolean;
  /** Each token of the key that signs at present begins so. */
  readonly start: string;
  access(claims: LoginClaims, facts: TokenFacts): string;
  refresh(claims: LoginClaims, facts: TokenFacts): string;
  id(claims: LoginClaims, facts: IdTokenFacts): string;
  /** Proves to routers that a TOTP code was given; it does not expire by itself. */
  totp(claims: Pick<LoginClaims, 'sub' | 'aud' | 'z_asid'>, facts: TotpTokenFacts): string;
  /**
   * The claims of a token of this sort; undefined for anything else. Neither its time nor its
   * session is looked at. `nbf` is not compared: nothing is issued for later, and a clock that was
   * set back must not refuse what it has signed.
   */
  verify(jwt: string, sort: VerifiedToken['z_t']): VerifiedToken | undefined;
  /** As `verify`, for an id token, also an expired one. */
  verifyId(jwt: string): VerifiedId | undefined;
}

/** The facts of a TOTP token. */
export interface TotpTokenFacts {
  readonly issuer: string;
  readonly jti: string;
  readonly now: number;
}

/** An id token whose signature was verified. */
export interface VerifiedId {
  readonly sub: string;
  readonly aud: readonly [string];
  readonly z_asid: string;
}

/** Tokens by the keys of the network. */
export function createOidcTokens(keys: Pick<TokenKeys, 'signer' | 'has' | 'verify'>): OidcTokens {
  const sign = (claims: object) => keys.signer.signNow(JSON.stringify(claims));
  const tokenOf = (sort: VerifiedToken['z_t'], claims: LoginClaims, facts: TokenFacts) =>
    sign({
      iss: facts.issuer,
      ...claims,
      ...identityClaims(facts),
      ...dates(facts),
      nbf: seconds(facts.now),
      jti: facts.jti,
      client_id: facts.clientId,
      z_t: sort,
      z_gen: facts.generation,
    });
  return {
    hasKey: (kid) => keys.has(kid),
    get start() {
      return keys.signer.start;
    },
    access: (claims, facts) => tokenOf('a', claims, facts),
    refresh: (claims, facts) => tokenOf('r', claims, facts),
    id: ({ sub, aud, auth_time, amr, z_asid }, facts) =>
      sign({
        iss: facts.issuer,
        sub,
        aud,
        auth_time,
        amr,
        z_asid,
        ...dates(facts),
        azp: facts.clientId,
        client_id: facts.clientId,
        ...(facts.accessToken === undefined ? {} : { at_hash: leftHalf(facts.accessToken) }),
        ...(facts.code === undefined ? {} : { c_hash: leftHalf(facts.code) }),
        ...(facts.nonce === undefined ? {} : { nonce: facts.nonce }),
        name: facts.name,
        z_ia: facts.z_ia ?? false,
        ...(facts.z_eid === undefined ? {} : { z_eid: facts.z_eid }),
      }),
    totp: ({ sub, aud, z_asid }, { issuer, jti, now }) =>
      sign({ iss: issuer, sub, aud, z_asid, iat: seconds(now), jti, z_t: 't' }),
    verify(jwt, sort) {
      const claims = keys.verify(jwt);
      return isVerified(claims) && claims.z_t === sort ? claims : undefined;
    },
    verifyId(jwt) {
      const claims = keys.verify(jwt);
      return isId(claims) && isOfNoOtherSort(claims) ? claims : undefined;
    },
  };
}

/** The sort of a token and its session as its text claims it, before anything is verified. */
export interface ClaimedToken {
  readonly kid: unknown;
  readonly sort: unknown;
  readonly apiSessionId: unknown;
}

/**
 * What a text claims to be, so that what cannot be good costs no signature; undefined for no JWT.
 */
export function claimedToken(text: string, charactersMax: number): ClaimedToken | undefined {
  const kid = claimedKid(text, charactersMax);
  const claimed = kid === undefined ? undefined : partOf(text.split('.', 2)[1] ?? '');
  if (claimed === undefined) return undefined;
  return { kid, sort: claimed['z_t'], apiSessionId: claimed['z_asid'] };
}

/** The key that a text names, without a look at its claims; undefined for no JWT. */
export function claimedKid(text: string, charactersMax: number): unknown {
  if (text.length > charactersMax) return undefined;
  return partOf(text.slice(0, Math.max(0, text.indexOf('.'))))?.['kid'];
}

function partOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Only the claims of the login, for the tokens that replace this one. */
export function loginClaimsOf(token: VerifiedToken): LoginClaims {
  const { iss, jti, exp, iat, z_t, z_gen, ...rest } = token;
  const { nbf, client_id, z_ia, z_eid, ...claims } = rest as LoginClaims & Partial<OfOne>;
  return claims;
}

/** Claims that each token has anew, beside those of `VerifiedToken`. */
type OfOne = IdentityClaims & { readonly nbf: number; readonly client_id: string };

function identityClaims({ z_ia, z_eid }: IdentityClaims): IdentityClaims {
  return {
    ...(z_ia === undefined ? {} : { z_ia }),
    ...(z_eid === undefined ? {} : { z_eid }),
  };
}

function dates({ now, lifetimeMs }: Pick<TokenFacts, 'now' | 'lifetimeMs'>) {
  const iat = seconds(now);
  // Rounded up, so that no token is dead when it is issued.
  return { iat, exp: Math.ceil((now + lifetimeMs) / 1000) };
}

const seconds = (ms: number) => Math.trunc(ms / 1000);

/** OpenID Connect Core §3.1.3.6, for ES256. */
function leftHalf(text: string): string {
  const digest = createHash('sha256').update(text).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

/**
 * Only we have the key, so a claim that is not as we write it belongs to another sort of token, or
 * to a bug; neither is good.
 */
function isVerified(claims: unknown): claims is VerifiedToken {
  if (!isId(claims) || !isObject(claims)) return false;
  const { z_t, iss, jti, exp, iat, z_gen, auth_time, amr, scopes, z_cfs, z_aid, z_authid } = claims;
  return (
    (z_t === 'a' || z_t === 'r') &&
    [iss, jti, z_aid, z_authid].every((text) => typeof text === 'string') &&
    [exp, iat, z_gen, auth_time].every(isCount) &&
    // A date in ms would be good for thousands of years.
    Number(exp) - Number(iat) <= lifetimeSecondsMax &&
    [amr, scopes].every(isTexts) &&
    (z_cfs === null || isTexts(z_cfs))
  );
}

function isId(claims: unknown): claims is VerifiedId {
  if (!isObject(claims)) return false;
  const { sub, aud, z_asid } = claims;
  return typeof sub === 'string' && isTexts(aud) && aud.length === 1 && typeof z_asid === 'string';
}

/** Every other sort of token that the key signs has a claim `z_t`. */
function isOfNoOtherSort(claims: object): boolean {
  return !('z_t' in claims) && 'azp' in claims;
}

/** A lifetime of a token, longer than any that can be set. @bound */
const lifetimeSecondsMax = 400 * 24 * 3600;

const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
