// The answer to a caller whose external JWTs were not sufficient.

import { type ApiError, unauthorized } from '../../errors/errors.ts';
import type { JwtSigner } from './jwks-endpoints.ts';
import type { RefusalReason } from './verdict.ts';

/** A token that names a signer but does not pass. */
export interface RefusedToken {
  readonly signer: JwtSigner;
  readonly reason: RefusalReason;
}

/** The factor that a token was meant for. */
export type JwtPurpose = 'primary' | 'secondary';

/**
 * 401 (behaviour/errors#challenges, behaviour/external-jwt#refusals): `missing` when no token named
 * one of `signers`, else `expired` when expiry is the only problem of one of the tokens, else
 * `invalid`. It names the signers of those tokens, or all acceptable signers, up to `charactersMax`
 * of ids and issuers together. Without signers there is no challenge.
 */
export function refusal(
  purpose: JwtPurpose,
  refused: readonly RefusedToken[],
  signers: Iterable<JwtSigner>,
  charactersMax: number,
): ApiError {
  const expired = refused.filter(({ reason }) => reason === 'expired');
  const told = expired.length > 0 ? expired : refused;
  const concerned = told.length > 0 ? new Set(told.map(({ signer }) => signer)) : signers;
  const parts = partsOf(concerned, charactersMax);
  if (parts === undefined) return unauthorized();
  const error = told.length === 0 ? 'missing' : expired.length > 0 ? 'expired' : 'invalid';
  return unauthorized({
    scheme: 'Bearer',
    realm: `openziti-${purpose}-ext-jwt`,
    error,
    description: descriptions[error],
    parts,
  });
}

const descriptions = {
  missing: 'the request carries no bearer token of an external JWT signer',
  expired: 'the bearer token has expired',
  invalid: 'the bearer token is not valid',
} as const;

function partsOf(
  signers: Iterable<JwtSigner>,
  charactersMax: number,
): { id: string; issuer: string } | undefined {
  const ids: string[] = [];
  const issuers: string[] = [];
  let isEmpty = true;
  let characters = 0;
  for (const { id, issuer } of signers) {
    isEmpty = false;
    characters += id.length + issuer.length + 2;
    if (characters > charactersMax) break;
    ids.push(id);
    issuers.push(issuer);
  }
  return isEmpty ? undefined : { id: ids.join('|'), issuer: issuers.join('|') };
}
