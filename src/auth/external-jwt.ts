// What the bearer tokens of a request prove, and by which signer.

import { hash } from 'node:crypto';
import { RecentCache } from '../declare/recent-cache.ts';
import type { ApiError } from '../errors.ts';
import type { CandidateSigners } from './external-jwt-candidates.ts';
import type { KeySet } from './external-jwt-key-set.ts';
import {
  createSignerKeys,
  type JwtSigner,
  type SignerKeyOptions,
  type SignerKeys,
} from './external-jwt-keys.ts';
import { type JwtPurpose, type RefusedToken, refusal } from './external-jwt-refusal.ts';
import { parseToken, type UnverifiedToken } from './external-jwt-token.ts';
import { judge, type Proof, timeRefusal } from './external-jwt-verdict.ts';

/** A token whose signer vouches for it. */
export interface VerifiedToken extends Proof {
  /** `claim` is an `externalId` where `signer.useExternalId` says so, else an identity's `id`. */
  readonly signer: JwtSigner;
}

/** What the tokens of a request come to. Tokens that name no signer are in none of the lists. */
export interface Evidence {
  /** In the order the tokens came: the first one whose identity may log in wins. */
  readonly verified: readonly VerifiedToken[];
  readonly refused: readonly RefusedToken[];
  /** Signers of refused tokens that may pass once the signer's keys were fetched. */
  readonly waiting: readonly JwtSigner[];
}

/** Judges external JWTs. */
export interface ExternalJwts {
  /** To fetch keys ahead, and to let go of them. */
  readonly keys: SignerKeys;
  /**
   * The evidence as it stands, without waiting: for what is checked on every request, and for the
   * decision after `prepare`. A token seen before costs a hash, another one a signature check.
   */
  examine(tokens: readonly string[], signers: CandidateSigners): Evidence;
  /**
   * Fetches the keys that `examine` would miss. It waits at most about `jwksTimeoutMs` and never
   * rejects.
   */
  prepare(tokens: readonly string[], signers: CandidateSigners): Promise<void>;
  /**
   * 401 with what the caller may know of it, for tokens that did not suffice: those that passed
   * name nobody who may log in.
   */
  refusal(purpose: JwtPurpose, evidence: Evidence, signers: CandidateSigners): ApiError;
}

/** What judging needs of the controller. */
export interface ExternalJwtOptions extends SignerKeyOptions {
  readonly clock: SignerKeyOptions['clock'] & { now(): number };
}

/** The judge of one controller, with its key sets and its memory of verified tokens. */
export function createExternalJwts(options: ExternalJwtOptions): ExternalJwts {
  const { clock, limits } = options;
  const keys = createSignerKeys(options);
  const recent = new RecentCache<string, KnownToken>(limits.externalJwtsKnownMax, () => 1);

  const examineOne = (text: string, signers: CandidateSigners): Finding | undefined => {
    if (text.length > limits.jwtCharactersMax) return undefined;
    // By hash, so that no token outlives its request in memory.
    const digest = hash('sha256', text, 'base64');
    const known = recent.get(digest);
    if (known !== undefined && isStillSo(known, signers, keys)) {
      const reason = timeRefusal(known.lifetime, clock.now());
      return reason === undefined ? known : { signer: known.signer, reason };
    }
    const token = parseToken(text, limits.jwtCharactersMax);
    const signer = token && signerOf(token, signers);
    if (token === undefined || signer === undefined) return undefined;
    const keySet = keys.current(signer);
    const verdict = judge(token, signer, keySet, clock.now());
    if (typeof verdict === 'string') return { signer, reason: verdict };
    const verified = { ...verdict, signer, keySet };
    recent.set(digest, verified);
    return verified;
  };

  const examine = (tokens: readonly string[], signers: CandidateSigners): Evidence => {
    const verified: VerifiedToken[] = [];
    const refused: RefusedToken[] = [];
    for (const text of tokens) {
      const found = examineOne(text, signers);
      if (found === undefined) continue;
      if ('reason' in found) refused.push(found);
      else verified.push(found);
    }
    const waiting = refused
      .filter(({ reason, signer }) => reason === 'unknown key' && keys.mayLoad(signer))
      .map(({ signer }) => signer);
    return { verified, refused, waiting };
  };

  return {
    keys,
    examine,
    prepare: async (tokens, signers) => {
      await Promise.all(examine(tokens, signers).waiting.map((signer) => keys.load(signer)));
    },
    refusal: (purpose, { verified, refused }, signers) => {
      const denied = verified.map(({ signer }) => ({ signer, reason: 'identity' }) as const);
      const told = [...refused, ...denied];
      return refusal(purpose, told, signers.all(), limits.challengeCharactersMax);
    },
  };
}

/** A verified token with what that rests on. */
interface KnownToken extends VerifiedToken {
  readonly keySet: KeySet | undefined;
}

type Finding = VerifiedToken | RefusedToken;

/**
 * Whether the signer is the very record of then, still among those that count, and its keys are
 * those of then.
 */
function isStillSo(
  { signer, keySet }: KnownToken,
  signers: CandidateSigners,
  keys: SignerKeys,
): boolean {
  return signers.byId(signer.id) === signer && keys.current(signer) === keySet;
}

/**
 * By issuer, else by key id (behaviour §4.5.2). As the issuer has to fit in the end, a key id only
 * makes out whose token it was to be, for the refusal.
 */
function signerOf(
  { header, claims }: UnverifiedToken,
  signers: CandidateSigners,
): JwtSigner | undefined {
  const { iss } = claims;
  const { kid } = header;
  const byIssuer = typeof iss === 'string' ? signers.byIssuer(iss) : undefined;
  return byIssuer ?? (typeof kid === 'string' ? signers.byKid(kid) : undefined);
}
