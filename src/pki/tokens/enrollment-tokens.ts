// The JWTs for enrollment, signed with the key of the API's TLS certificate, so that clients can
// check them.

import type { Branded } from '../../ids.ts';
import type { Signer } from './signer.ts';

/** A signed enrollment, CA or network JWT. */
export type EnrollmentJwt = Branded<'enrollment jwt'>;

/** Methods in the claim `em` of a one-time enrollment (behaviour/enrollment#jwt). */
export type EnrollmentMethod = 'ott' | 'ottca' | 'updb' | 'erott' | 'trott';

/** The claims of an enrollment JWT. */
export interface EnrollmentClaims {
  /** `https://host:port` of the API, without a trailing slash. */
  readonly issuerUrl: string;
  /** Id of the identity or router. */
  readonly subject: string;
  readonly method: EnrollmentMethod;
  /** The single-use token, a UUID. */
  readonly token: string;
  /** Wall-clock ms; the claim is rounded down to whole seconds. */
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
 * The JWT by which any holder of a certificate of the CA enrolls; it never expires
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

/**
 * The JWT that only identifies the network to a client; it never expires (behaviour/enrollment).
 */
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
