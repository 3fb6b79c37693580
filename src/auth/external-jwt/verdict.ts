// Evaluates one token of one signer by the present keys and time, without its signature.

import type { KeyObject } from 'node:crypto';
import { keyTypeFor } from './algorithms.ts';
import type { JwtSigner } from './jwks-endpoints.ts';
import type { KeySet } from './key-set.ts';
import {
  identityClaim,
  isMeantFor,
  type Lifetime,
  lifetimeOf,
  type UnverifiedToken,
} from './token.ts';

/** The reason why a token of a signer is refused; for logs and tests. */
export type RefusalReason =
  | 'algorithm'
  | 'audience'
  | 'claim'
  | 'critical header'
  | 'dates'
  | 'expired'
  | 'identity'
  | 'issuer'
  | 'no key id'
  | 'not yet valid'
  | 'signature'
  | 'signature unchecked'
  | 'unknown key';

/** The facts of a token that passed. */
export interface Proof {
  /** The value by which its identity is found. */
  readonly claim: string;
  readonly lifetime: Lifetime;
}

/** A token that passes if its signature is valid. */
export interface Evaluation {
  readonly proof: Proof;
  /** The key that must have signed it, with the algorithm. */
  readonly key: KeyObject;
  readonly algorithm: string;
}

/**
 * Evaluates a token by all but its signature (behaviour/external-jwt#checks). A token that fails
 * here causes neither a signature check nor a fetch of keys. So a forged token may be answered
 * `expired`, which tells its maker nothing new. Without `keys` every key is unknown.
 */
export function evaluate(
  token: UnverifiedToken,
  signer: JwtSigner,
  keys: KeySet | undefined,
  nowMs: number,
): Evaluation | RefusalReason {
  const { alg, kid, crit } = token.header;
  // No critical extension of a header is supported here (RFC 7515 §4.1.11).
  if (crit !== undefined) return 'critical header';
  if (typeof kid !== 'string' || kid === '') return 'no key id';
  if (typeof alg !== 'string' || keyTypeFor(alg) === undefined) return 'algorithm';
  const proof = proofOf(token, signer);
  if (typeof proof === 'string') return proof;
  const untimely = timeRefusal(proof.lifetime, nowMs);
  if (untimely !== undefined) return untimely;
  const key = keys?.find(kid, alg);
  // The key determines the allowed header, never the other way round (RFC 8725 §3.1).
  if (key === undefined) return keys?.has(kid) ? 'algorithm' : 'unknown key';
  return { proof, key, algorithm: alg };
}

/** Whether a lifetime has not begun or is over; there is no leeway (behaviour/external-jwt). */
export function timeRefusal(
  { fromMs, untilMs }: Lifetime,
  nowMs: number,
): 'expired' | 'not yet valid' | undefined {
  if (untilMs <= nowMs) return 'expired';
  return fromMs > nowMs ? 'not yet valid' : undefined;
}

function proofOf({ claims }: UnverifiedToken, signer: JwtSigner): Proof | RefusalReason {
  if (claims['iss'] !== signer.issuer) return 'issuer';
  if (!isMeantFor(signer.audience, claims)) return 'audience';
  const lifetime = lifetimeOf(claims);
  if (lifetime === undefined) return 'dates';
  const claim = identityClaim(signer, claims);
  return claim === undefined ? 'claim' : { claim, lifetime };
}
