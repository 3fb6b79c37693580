// Access tokens of the OIDC provider as the credential of a request (behaviour/oidc#requests).

import { hash } from 'node:crypto';
import { RecentCache } from '../../containers/recent-cache.ts';
import {
  claimedKid,
  claimedToken,
  type OidcTokens,
  type VerifiedToken,
} from '../../pki/tokens/oidc-tokens.ts';
import { jwtCharactersMax } from '../../pki/tokens/signer.ts';
import type { EvaluatedChain } from '../certificates/client-chain.ts';
import { isWithinDates } from '../certificates/client-chain.ts';
import type { Issuers } from './issuers.ts';

/** The dependencies of `AccessTokens`. */
export interface AccessTokensOptions {
  readonly tokens: OidcTokens;
  readonly issuers: Pick<Issuers, 'has'>;
  /** Token texts that are remembered. */
  readonly knownMax: number;
  /** SPIFFE names of the certificates that we issue begin so: `spiffe://DOMAIN/`. */
  readonly network: string;
  /** Whether there is an API session of this id, before a signature is verified. */
  readonly hasSession: (id: string) => boolean;
}

/** Clients of the provider: an audience of any other is not for us (behaviour/oidc#clients). */
export const oidcClients: ReadonlySet<string> = new Set(['native', 'openziti']);

/** Finds the claims of access tokens. A text that is known costs a hash. */
export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #known: RecentCache<string, AccessClaims>;
  /** As in the options. */
  readonly network: string;

  constructor(options: AccessTokensOptions) {
    this.#options = options;
    this.network = options.network;
    this.#known = new RecentCache(options.knownMax, () => 1);
  }

  /** Whether a text claims to be a token of ours, of whatever sort. */
  isOwn(text: string): boolean {
    const { tokens } = this.#options;
    // As those of the present key begin: parsing each would cost as much as all else for one.
    if (text.startsWith(tokens.start)) return text.length <= jwtCharactersMax;
    return tokens.hasKey(claimedKid(text, jwtCharactersMax));
  }

  /** Lets each text be verified once more. */
  forget(): void {
    // The cache has two generations.
    this.#known.age();
    this.#known.age();
  }

  /**
   * The claims of an access token that is not expired at `now`, wall-clock ms. Whether its session
   * stands is for the caller to see. Undefined for a token of another sort.
   */
  verify(text: string, now: number): AccessClaims | 'expired' | 'invalid' | undefined {
    // Keyed by hash, so that no token outlives its request in memory.
    const digest = hash('sha256', text, 'base64');
    const known = this.#known.get(digest) ?? this.#verified(text, digest);
    if (typeof known !== 'object') return known;
    return known.exp * 1000 <= now ? 'expired' : known;
  }

  #verified(text: string, digest: string): AccessClaims | 'invalid' | undefined {
    const { tokens, issuers, hasSession } = this.#options;
    const claimed = claimedToken(text, jwtCharactersMax);
    if (claimed?.sort !== 'a' || typeof claimed.apiSessionId !== 'string') return undefined;
    if (!hasSession(claimed.apiSessionId)) return 'invalid';
    const verified = tokens.verify(text, 'a');
    if (verified === undefined || !issuers.has(verified.iss)) return 'invalid';
    if (!oidcClients.has(verified.aud[0])) return 'invalid';
    const { sub, aud, iss, exp, jti, z_asid, z_cfs, z_cae, z_gen } = verified;
    const claims = { sub, aud, iss, exp, jti, z_asid, z_cfs, z_cae, z_gen };
    this.#known.set(digest, claims);
    return claims;
  }
}

/** The claims of an access token that requests depend on. */
export type AccessClaims = Pick<
  VerifiedToken,
  'sub' | 'aud' | 'iss' | 'exp' | 'jti' | 'z_asid' | 'z_cfs' | 'z_cae' | 'z_gen'
>;

/** The certificate of a connection, as a bound token asks for it. */
export interface BoundTo {
  readonly evaluated: EvaluatedChain | undefined;
  /** As `AccessTokens.network`. */
  readonly network: string;
  /** Wall-clock ms. */
  readonly now: number;
}

/**
 * Whether the certificate that the client shows is one that the token is bound to, or one that was
 * issued for its API session (behaviour/oidc#certificates).
 */
export function isBound(
  { z_cfs, z_cae, sub, z_asid }: Pick<AccessClaims, 'z_cfs' | 'z_cae' | 'sub' | 'z_asid'>,
  { evaluated, network, now }: BoundTo,
): boolean {
  if (z_cfs === null) return true;
  const { leaf, issuingCa } = evaluated ?? {};
  if (leaf === undefined || issuingCa === undefined) return false;
  const ofSession = `${network}identity/${sub}/apiSession/${z_asid}/`;
  if (issuingCa.by === 'own' && isWithinDates(issuingCa, now)) {
    const isOfIt = leaf.alternativeNames.some(
      ({ type, value }) => type === 'url' && value.startsWith(ofSession),
    );
    if (isOfIt) return true;
  }
  return isNamed({ z_cfs, z_cae }, evaluated, now);
}

/** Whether the certificate that the client shows is one of those that the token names. */
export function isNamed(
  { z_cfs, z_cae }: Pick<AccessClaims, 'z_cfs' | 'z_cae'>,
  evaluated: EvaluatedChain | undefined,
  now: number,
): boolean {
  const { leaf, issuingCa } = evaluated ?? {};
  if (leaf === undefined || issuingCa === undefined) return false;
  const isTrusted = z_cae || isWithinDates(issuingCa, now);
  return isTrusted && z_cfs?.includes(leaf.fingerprint) === true;
}
