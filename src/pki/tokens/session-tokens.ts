// Session tokens: the JWT in the answer for a session, signed on the hottest path, and its check
// (behaviour/sessions#token).

import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { createSigner, createVerifier, type JwksEntry, jwksEntry } from './signer.ts';

/** The claims of a session token (behaviour/sessions#token). */
export interface SessionClaims {
  readonly sessionId: string;
  readonly serviceId: string;
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly type: 'Dial' | 'Bind';
}

/** The claims of a verified session token. */
export interface VerifiedSession extends SessionClaims {
  /** Wall-clock ms. */
  readonly expiresAtMs: number;
}

/** Signs and checks session tokens. */
export interface SessionTokens {
  /** Valid for a year from `nowMs` on. Synchronous: one ECDSA signature. */
  sign(claims: SessionClaims, nowMs: number): string;
  /**
   * The claims of a token from the header `session-token` (behaviour/sessions#edge-routers);
   * undefined unless it is an unexpired session token of ours. The caller checks whether the
   * session still exists.
   */
  verify(jwt: string, nowMs: number): VerifiedSession | undefined;
  /** The public key, for the JWKS. */
  readonly jwk: JwksEntry;
}

/** 365 days. */
const lifetimeSeconds = 365 * 24 * 3600;

/**
 * Session tokens of one controller.
 * @param tokenKey EC P-256, `Authority.tokenKey`; claim `z_t` tells its tokens apart.
 * @param issuerUrl `https://host:port` of the API.
 * @param charactersMax longer tokens are refused without parsing.
 */
export function createSessionTokens(
  tokenKey: KeyObject,
  issuerUrl: string,
  charactersMax?: number,
): SessionTokens {
  const kid = tokenKeyId(tokenKey);
  const signer = createSigner(tokenKey, kid);
  const claimsOf = createVerifier(tokenKey, kid, charactersMax);
  const iss = JSON.stringify(issuerUrl);
  const start = `{"iss":${iss},"aud":["openziti"],"z_t":"s","z_leg":true,"sub":"`;
  return {
    jwk: jwksEntry(tokenKey, kid),
    sign: (claims, nowMs) => {
      const { sessionId, serviceId, apiSessionId, identityId, type } = claims;
      // Ids go into the JSON without escaping, so they may contain only id characters.
      if (!plainIds.test(`${sessionId}/${serviceId}/${apiSessionId}/${identityId}`)) {
        throw new Error('an id holds a character that no id has');
      }
      const issuedAt = Math.trunc(nowMs / 1000);
      const dates = `"iat":${issuedAt},"exp":${issuedAt + lifetimeSeconds}`;
      const own = `"z_asid":"${apiSessionId}","z_iid":"${identityId}","z_st":"${type}"`;
      const json = `${start}${serviceId}","jti":"${sessionId}",${dates},${own}}`;
      return signer.signNow(json);
    },
    verify: (jwt, nowMs) => readClaims(claimsOf(jwt), nowMs),
  };
}

const plainIds = /^[\w.-]+\/[\w.-]+\/[\w.-]+\/[\w.-]+$/;

/**
 * `iss` is not compared: only we have the key, and the address may change while tokens are valid.
 */
function readClaims(claims: unknown, nowMs: number): VerifiedSession | undefined {
  if (typeof claims !== 'object' || claims === null) return undefined;
  const { exp, z_t, jti, sub, z_asid, z_iid, z_st } = claims as Record<string, unknown>;
  if (z_t !== 's' || typeof exp !== 'number' || exp * 1000 <= nowMs) return undefined;
  if (typeof jti !== 'string' || typeof sub !== 'string') return undefined;
  if (typeof z_asid !== 'string' || typeof z_iid !== 'string') return undefined;
  if (z_st !== 'Dial' && z_st !== 'Bind') return undefined;
  return {
    sessionId: jti,
    serviceId: sub,
    apiSessionId: z_asid,
    identityId: z_iid,
    type: z_st,
    expiresAtMs: exp * 1000,
  };
}

/** The name of the token key by RFC 7638: it has no certificate that could name it. */
export function tokenKeyId(key: KeyObject): string {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}
