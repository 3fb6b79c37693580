// The key of the API's TLS certificate: its signatures, and the publication of its public half.

import type { ChainedKey } from '../authority/server-identity.ts';
import { fingerprint } from '../x509/pem.ts';
import { createSigner, type JwksEntry, jwksEntry, type Signer } from './signer.ts';

/** Signs tokens that clients check against the TLS connection (behaviour/enrollment#jwt). */
export interface ApiKey {
  readonly signer: Signer;
  /** The public half with the certificates that vouch for it, for the JWKS. */
  readonly jwk: JwksEntry;
}

/** The API key of a serving pair. @throws PkiProblem for a key that cannot sign a JWT. */
export function createApiKey({ key, certificate, chain }: ChainedKey): ApiKey {
  const kid = fingerprint(certificate);
  const shown = chain.length === 0 ? [certificate] : chain;
  return { signer: createSigner(key, kid), jwk: jwksEntry(key, kid, shown) };
}
