// The JWTs that clients enroll by: signed with the key of the API's TLS certificate, which they
// check them against.

import type { Branded } from '../ids.ts';
import type { Signer } from './signer.ts';

/** A signed enrollment, CA or network JWT. */
export type EnrollmentJwt = Branded<'enrollment jwt'>;

/** Methods in the claim `em` of a one-time enrollment (behaviour/enrollment#jwt). */
export type EnrollmentMethod = 'ott' | 'ottca' | 'updb' | 'erott' | 'trott';

/** What an enrollment JWT says. */
export interface EnrollmentClaims {
  /** `https://host:port` of the API, without a slash behind. */
  readonly issuerUrl: string;
  /** Id of the identity or router. */
  readonly subject: string;
  readonly method: EnrollmentMethod;
  /** The single-use token, a UUID. */
  readonly token: string;
  /** Wall-clock ms; the claim is cut to whole seconds, never later. */
  readonly expiresAtMs: number;
  /** Control-plane addresses, `tls:host:port`; may be empty. */
  readonly controllers: readonly string[];
}

/** The JWT of a one-time enrollment (behaviour/enrollment#jwt). */
export function signEnrollmentToken(
  signer: Signer,
  claims: EnrollmentClaims,
): Promise<EnrollmentJwt> {
  return signed(signer, {
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
 * The JWT by which any holder of a certificate of the CA enrolls; it never ends
 * (behaviour/enrollment#lasting-jwts).
 */
export function signCaToken(
  signer: Signer,
  issuerUrl: string,
  caId: string,
): Promise<EnrollmentJwt> {
  return signed(signer, {
    iss: withSlash(issuerUrl),
    sub: caId,
    aud: ['openziti-enroller'],
    jti: caId,
    em: 'ca',
  });
}

/** The JWT that only tells a client which network this is; it never ends (behaviour/enrollment). */
export function signNetworkToken(signer: Signer, issuerUrl: string): Promise<EnrollmentJwt> {
  const url = withSlash(issuerUrl);
  return signed(signer, { iss: url, sub: url, em: 'network' });
}

async function signed(signer: Signer, claims: object): Promise<EnrollmentJwt> {
  return (await signer.sign(claims)) as EnrollmentJwt;
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
