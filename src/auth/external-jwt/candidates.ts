// Finds the bearer tokens of a request, and the signers that may vouch for them.

import type { BearerToken } from '../../declare/operations/operation.ts';
import type { JwtSigner } from './jwks-endpoints.ts';

/** Bearer values of one request that are looked at (behaviour/external-jwt). @bound per request */
const bearersMax = 3;

/**
 * Up to three bearer values of the header `Authorization`, in their order, then those of
 * `Authentication` (behaviour/external-jwt#tokens). Several lines or values are separated by
 * commas, which no token contains; other schemes are skipped.
 */
function bearerTokens(request: { header(name: string): string }): readonly BearerToken[] {
  const tokens: BearerToken[] = [];
  for (const name of ['authorization', 'authentication']) {
    const sent = request.header(name);
    if (sent === '') continue;
    for (const value of sent.split(',')) {
      const [, text] = /^\s*bearer +(\S+)\s*$/i.exec(value) ?? [];
      if (text === undefined || tokens.some((token) => token.text === text)) continue;
      tokens.push({ text, signature: undefined });
      if (tokens.length === bearersMax) return tokens;
    }
  }
  return tokens;
}

/** The bearer tokens of a request. */
export interface Bearers {
  /** Texts that claim to be ours. They are never tried against a signer, nor the reverse. */
  readonly own: readonly string[];
  readonly foreign: readonly BearerToken[];
}

/** Tells the bearer tokens of a request apart. */
export function bearersOf(
  request: { header(name: string): string },
  isOwn: (text: string) => boolean,
): Bearers {
  const all = bearerTokens(request);
  const own = all.filter(({ text }) => isOwn(text));
  if (own.length === 0) return { own: [], foreign: all };
  return { own: own.map(({ text }) => text), foreign: all.filter((token) => !own.includes(token)) };
}

/** The signers that count for a request; each of them is a candidate by `isCandidate`. */
export interface CandidateSigners {
  byId(id: string): JwtSigner | undefined;
  byIssuer(issuer: string): JwtSigner | undefined;
  /** By the signer's own key id or the fingerprint of its certificate. */
  byKid(kid: string): JwtSigner | undefined;
  /** All of them, for the text of a refusal. */
  all(): Iterable<JwtSigner>;
}

/** The part of a table of signers that the search needs. */
export interface SignerTable {
  find(id: string): { readonly record: JwtSigner } | undefined;
  findBy(
    index: 'issuer' | 'kid' | 'fingerprint',
    key: string,
  ): { readonly record: JwtSigner } | undefined;
  rows(): Iterable<{ readonly record: JwtSigner }>;
}

/**
 * Whether tokens of a signer count: it is enabled and not unconfirmed
 * (behaviour/permissions#unconfirmed).
 */
export function isCandidate({ enabled, isUnconfirmed }: JwtSigner): boolean {
  return enabled && isUnconfirmed !== true;
}

/** All candidates, as for a primary login. */
export function candidateSigners(table: SignerTable): CandidateSigners {
  const open = (row: { readonly record: JwtSigner } | undefined) =>
    row !== undefined && isCandidate(row.record) ? row.record : undefined;
  return {
    byId: (id) => open(table.find(id)),
    byIssuer: (issuer) => open(table.findBy('issuer', issuer)),
    byKid: (kid) => open(table.findBy('kid', kid)) ?? open(table.findBy('fingerprint', kid)),
    *all() {
      for (const { record } of table.rows()) if (isCandidate(record)) yield record;
    },
  };
}

/** One signer alone, as an auth policy demands it for the secondary factor. */
export function onlySigner(signer: JwtSigner | undefined): CandidateSigners {
  const the = signer !== undefined && isCandidate(signer) ? signer : undefined;
  const where = (isIt: (it: JwtSigner) => boolean) => (the && isIt(the) ? the : undefined);
  return {
    byId: (id) => where((it) => it.id === id),
    byIssuer: (issuer) => where((it) => it.issuer === issuer),
    byKid: (kid) => where((it) => it.kid === kid || it.fingerprint === kid),
    all: () => (the === undefined ? [] : [the]),
  };
}
