// Certificates that tokens are bound to (behaviour/oidc#certificates).

import { ApiError } from '../errors/errors.ts';
import type { LoginClaims } from '../pki/tokens/oidc-tokens.ts';
import { readCertificateRequest } from '../pki/x509/csr.ts';
import { makeRoom, storeIssued } from '../resources/api-sessions/own-session-certificate.ts';
import type { Context } from './context.ts';
import type { Granted } from './grants.ts';
import { csrCharactersMax } from './login-input.ts';
import type { Parameters } from './parameters.ts';

/** Claims, with the certificate that was issued for them. */
export interface Bound {
  readonly claims: LoginClaims;
  /** PEM, the certificate itself first; undefined if none was asked for. */
  readonly certificate: string | undefined;
}

/** Issues a new certificate if the client asks for one, and binds the grant of a token to it. */
export function rebound(
  context: Context,
  granted: Granted,
  parameters: Parameters,
): Granted & { readonly certificate: string | undefined } {
  const csr = parameters.one('csr_pem', csrCharactersMax);
  // A token that is good for anybody who has it stays that.
  if (csr === '' || granted.claims.z_cfs === null) return { ...granted, certificate: undefined };
  const { claims, certificate } = issueBound(context, granted.claims, csr);
  return { ...granted, claims: { ...granted.claims, z_cfs: claims.z_cfs }, certificate };
}

/**
 * Issues a certificate for a request, and binds the claims to it besides the certificate of the
 * login. @throws ApiError INVALID_REQUEST for a request that cannot be signed
 */
export function issueBound(context: Context, claims: LoginClaims, csr: string | undefined): Bound {
  if (csr === undefined) return { claims, certificate: undefined };
  const { env } = context;
  const { sub: identityId, z_asid: apiSessionId, z_acf } = claims;
  const request = readRequest(csr);
  makeRoom(context, identityId, apiSessionId);
  const id = env.ids.entity();
  const issued = env.issuing.boundSession(request, { identityId, apiSessionId, id });
  storeIssued(context, { id, apiSessionId }, issued);
  const fingerprints = [...(z_acf === undefined ? [] : [z_acf]), issued.fingerprint];
  return { claims: { ...claims, z_cfs: fingerprints }, certificate: issued.chainPem };
}

/** A certificate request. @throws ApiError INVALID_REQUEST for one that cannot be signed */
export function readRequest(csr: string) {
  try {
    return readCertificateRequest(csr, 'csr');
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    const cause = {
      field: 'csr',
      reason: 'is no certificate request that is signed here',
      value: '',
    };
    throw new ApiError('INVALID_REQUEST', { cause });
  }
}
