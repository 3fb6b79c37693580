// Evaluates the bearer tokens of a request: which identity they prove, and by which signer.

import { hash } from 'node:crypto';
import { RecentCache } from '../../containers/recent-cache.ts';
import type { BearerToken, SignatureCheck } from '../../declare/operations/operation.ts';
import type { ApiError } from '../../errors/errors.ts';
import { jwtCharactersMax } from '../../pki/tokens/signer.ts';
import { boundsOf } from '../../settings/bounds.ts';
import { isSignedBy } from './algorithms.ts';
import type { CandidateSigners } from './candidates.ts';
import {
  createSignerKeys,
  type JwtSigner,
  type SignerKeyOptions,
  type SignerKeys,
} from './jwks-endpoints.ts';
import type { KeySet } from './key-set.ts';
import { type JwtPurpose, type RefusedToken, refusal } from './refusal.ts';
import { parseToken, type UnverifiedToken } from './token.ts';
import { type Evaluation, evaluate, type Proof, timeRefusal } from './verdict.ts';

/** A token whose signer vouches for it. */
export interface VerifiedToken extends Proof {
  /** `claim` is an `externalId` where `signer.useExternalId` says so, else an identity's `id`. */
  readonly signer: JwtSigner;
}

/** The result for the tokens of a request. Tokens that name no signer are in none of the lists. */
export interface Evidence {
  /** In the order of the tokens: the first one whose identity may log in wins. */
  readonly verified: readonly VerifiedToken[];
  readonly refused: readonly RefusedToken[];
  /** Signers of refused tokens that may pass once the signer's keys are fetched. */
  readonly waiting: readonly JwtSigner[];
  /** Refused tokens that pass if `check` finds their signatures valid. */
  readonly unchecked: readonly UncheckedToken[];
}

/** A refused token that passes if its signature is valid. */
export interface UncheckedToken extends RefusedToken {
  readonly token: BearerToken;
  readonly evaluation: Evaluation;
}

/** Evaluates external JWTs. */
export interface ExternalJwts {
  /** The key sets, to fetch keys in advance and to remove them. */
  readonly keys: SignerKeys;
  /**
   * The present evidence, without waiting: for checks on every request, and for the decision after
   * `fetchKeys` and `check`. A token that was verified before costs one hash.
   */
  examine(tokens: readonly BearerToken[], signers: CandidateSigners): Evidence;
  /**
   * Fetches the keys that `examine` would miss. It waits at most about `jwksTimeoutMs` and never
   * rejects.
   */
  fetchKeys(tokens: readonly BearerToken[], signers: CandidateSigners): Promise<void>;
  /**
   * Checks the signatures that `examine` calls unchecked, and stores the results in the token
   * objects, so that `examine` knows them for these tokens even if the token cache is full.
   */
  check(tokens: readonly BearerToken[], signers: CandidateSigners): Promise<void>;
  /**
   * 401 with the details that the caller may know, for tokens that were not sufficient: accepted
   * tokens name no identity that may log in.
   */
  refusal(purpose: JwtPurpose, evidence: Evidence, signers: CandidateSigners): ApiError;
}

/** The parts of the controller that evaluating needs. */
export interface ExternalJwtOptions extends SignerKeyOptions {
  readonly clock: SignerKeyOptions['clock'] & { now(): number };
}

/** The verifier of one controller, with its key sets and its cache of verified tokens. */
export function createExternalJwts(options: ExternalJwtOptions): ExternalJwts {
  const { clock, limits } = options;
  const keys = createSignerKeys(options);
  const bounds = boundsOf({ jwtCharactersMax, ...refusalBounds }, options.bounds);
  const recent = new RecentCache<string, KnownToken>(limits.externalJwtsKnownMax, () => 1);

  const examineOne = (token: BearerToken, signers: CandidateSigners): Finding | undefined => {
    const { text } = token;
    if (text.length > bounds.jwtCharactersMax) return undefined;
    // Keyed by hash, so that no token outlives its request in memory.
    const digest = hash('sha256', text, 'base64');
    const known = recent.get(digest);
    token.signature ??= known?.signature;
    if (known !== undefined && isStillSo(known, signers, keys)) {
      const reason = timeRefusal(known.lifetime, clock.now());
      return reason === undefined ? known : { signer: known.signer, reason };
    }
    const parsed = parseToken(text, bounds.jwtCharactersMax);
    const signer = parsed && signerOf(parsed, signers);
    if (parsed === undefined || signer === undefined) return undefined;
    const keySet = keys.current(signer);
    const evaluation = evaluate(parsed, signer, keySet, clock.now());
    if (typeof evaluation === 'string') return { signer, reason: evaluation };
    const { proof, key } = evaluation;
    const checks = [token.signature, known?.signature];
    const signature = checks.find((check) => check?.key.equals(key));
    if (signature === undefined)
      return { signer, reason: 'signature unchecked', token, evaluation };
    if (!signature.isValid) return { signer, reason: 'signature' };
    const verified = { ...proof, signer, keySet, signature };
    recent.set(digest, verified);
    return verified;
  };

  const examine = (tokens: readonly BearerToken[], signers: CandidateSigners): Evidence => {
    const verified: VerifiedToken[] = [];
    const refused: RefusedToken[] = [];
    const unchecked: UncheckedToken[] = [];
    for (const token of tokens) {
      const found = examineOne(token, signers);
      if (found === undefined) continue;
      if ('evaluation' in found) unchecked.push(found);
      if ('reason' in found) refused.push(found);
      else verified.push(found);
    }
    const waiting = refused
      .filter(({ reason, signer }) => reason === 'unknown key' && keys.mayLoad(signer))
      .map(({ signer }) => signer);
    return { verified, refused, waiting, unchecked };
  };

  return {
    keys,
    examine,
    fetchKeys: async (tokens, signers) => {
      await Promise.all(examine(tokens, signers).waiting.map((signer) => keys.load(signer)));
    },
    check: async (tokens, signers) => {
      for (const { token, evaluation } of examine(tokens, signers).unchecked) {
        const { key, algorithm } = evaluation;
        token.signature = { key, isValid: await isSignedBy(key, algorithm, token.text) };
      }
    },
    refusal: (purpose, { verified, refused }, signers) => {
      const denied = verified.map(({ signer }) => ({ signer, reason: 'identity' }) as const);
      const told = [...refused, ...denied];
      return refusal(purpose, told, signers.all(), bounds.challengeCharactersMax);
    },
  };
}

/** A verified token with the basis of the verdict. */
interface KnownToken extends VerifiedToken {
  readonly keySet: KeySet | undefined;
  /** If signer or key set were replaced, the same key need not check it again. */
  readonly signature: SignatureCheck;
}

type Finding = VerifiedToken | RefusedToken | UncheckedToken;

/**
 * Whether the signer is still the same record and still counts, and its keys are still the same.
 */
function isStillSo(
  { signer, keySet }: KnownToken,
  signers: CandidateSigners,
  keys: SignerKeys,
): boolean {
  return signers.byId(signer.id) === signer && keys.current(signer) === keySet;
}

/**
 * By issuer, else by key id (behaviour/external-jwt#signer). The issuer must match in any case, so
 * a key id only determines the signer that a refusal names.
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

const refusalBounds = {
  /**
   * Ids and issuers of signers in one WWW-Authenticate: clients refuse answers with headers of more
   * than 8 or 16 KiB. @bound per request
   */
  challengeCharactersMax: 2048,
};
