// Session tokens: the JWT in the answer for a session, signed on the hottest path, and its check
// (behaviour/sessions#token).

import type { TokenKeys } from './token-keys.ts';

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
}

/** How long a session token is good, in seconds: 365 days. */
const sessionTokenSeconds = 365 * 24 * 3600;

/**
 * Session tokens of one controller.
 * @param keys sign other tokens, too; claim `z_t` tells them apart.
 * @param issuerUrl `https://host:port` of the API.
 */
export function createSessionTokens(
  keys: Pick<TokenKeys, 'signer' | 'verify'>,
  issuerUrl: string,
): SessionTokens {
  const iss = JSON.stringify(issuerUrl);
  const start = `{"iss":${iss},"aud":["openziti"],"z_t":"s","z_leg":true,"sub":"`;
  return {
    sign: (claims, nowMs) => {
      const { sessionId, serviceId, apiSessionId, identityId, type } = claims;
      // Ids go into the JSON without escaping, so they may contain only id characters.
      if (!plainIds.test(`${sessionId}/${serviceId}/${apiSessionId}/${identityId}`)) {
        throw new Error('an id holds a character that no id has');
      }
      const issuedAt = Math.trunc(nowMs / 1000);
      const dates = `"iat":${issuedAt},"exp":${issuedAt + sessionTokenSeconds}`;
      const own = `"z_asid":"${apiSessionId}","z_iid":"${identityId}","z_st":"${type}"`;
      const json = `${start}${serviceId}","jti":"${sessionId}",${dates},${own}}`;
      return keys.signer.signNow(json);
    },
    verify: (jwt, nowMs) => readClaims(keys.verify(jwt), nowMs),
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
