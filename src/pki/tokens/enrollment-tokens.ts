// The JWTs for enrollment, signed with the key of the API's TLS certificate, so that clients can
// check them.

import type { KeyObject } from 'node:crypto';
import type { EnrollmentMethod } from '../../../machines/enrollment.ts';
import { createVerifier, type Signer } from './signer.ts';

/** The claims of an enrollment JWT. */
export interface EnrollmentClaims {
  /** `https://host:port` of the API, without a trailing slash. */
  readonly issuerUrl: string;
  /** Id of the identity or router. */
  readonly subject: string;
  /** The claim `em`. */
  readonly method: EnrollmentMethod;
  /** The single-use token, a UUID. */
  readonly token: string;
  /** Wall-clock ms; the claim is rounded down to whole seconds. */
  readonly expiresAtMs: number;
  /** Control-plane addresses, `tls:host:port`; may be empty. */
  readonly controllers: readonly string[];
}

/** The JWT of a one-time enrollment (behaviour/enrollment#jwt). */
export function signEnrollmentToken(signer: Signer, claims: EnrollmentClaims): Promise<string> {
  return signer.sign({
    iss: claims.issuerUrl,
    sub: claims.subject,
    aud: [''],
    exp: Math.trunc(claims.expiresAtMs / 1000),
    jti: claims.token,
    em: claims.method,
    ctrls: claims.controllers,
  });
}

/**
 * The JWT by which any holder of a certificate of the CA enrolls; it never expires
 * (behaviour/enrollment#lasting-jwts). Takes the time of one private-key operation.
 */
export function signCaToken(signer: Signer, issuerUrl: string, caId: string): string {
  const claims = {
    iss: withSlash(issuerUrl),
    sub: caId,
    aud: ['openziti-enroller'],
    jti: caId,
    em: 'ca',
  };
  return signer.signNow(JSON.stringify(claims));
}

/**
 * Whether a JWT of `signCaToken` was signed with this key for this address. The header may name an
 * earlier certificate of the key.
 */
export function isCurrentCaToken(jwt: string, key: KeyObject, issuerUrl: string): boolean {
  const [header = ''] = jwt.split('.');
  const { kid } = parsed(Buffer.from(header, 'base64url').toString() || '{}');
  const claims = createVerifier([[String(kid), key]])(jwt) as
    | { readonly iss?: unknown }
    | undefined;
  return claims?.iss === withSlash(issuerUrl);
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text);
}

/**
 * The JWT that only identifies the network to a client; it never expires (behaviour/enrollment).
 */
export function signNetworkToken(signer: Signer, issuerUrl: string): Promise<string> {
  const url = withSlash(issuerUrl);
  return signer.sign({ iss: url, sub: url, em: 'network' });
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
