// Parses a compact JWT and checks its claims for a signer, without the signature.

import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { JwtSigner } from './jwks-endpoints.ts';

/** The parts of a JWT that is not verified yet. */
export interface UnverifiedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The lifetime of a token, in ms since the epoch. */
export interface Lifetime {
  readonly fromMs: number;
  /** The token is expired from this ms on. */
  readonly untilMs: number;
}

/**
 * Takes a compact JWS (RFC 7515 §3.1) apart; undefined for anything else, and for more than
 * `charactersMax`. Of duplicate names in an object the last one counts (RFC 7519 §4). Depth needs
 * no bound of its own, because this code descends only as far as a pointer says.
 */
export function parseToken(text: string, charactersMax: number): UnverifiedToken | undefined {
  // jose would ignore spaces within the parts.
  if (text.length > charactersMax || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return undefined;
  try {
    return { header: decodeProtectedHeader(text), claims: decodeJwt(text) };
  } catch {
    return undefined;
  }
}

/**
 * Whether the audience of the signer is one of the token's (RFC 7519 §4.1.3). A signer without one
 * signs only tokens without the claim.
 */
export function isMeantFor(
  audience: string | undefined,
  { aud }: UnverifiedToken['claims'],
): boolean {
  return Array.isArray(aud) ? aud.includes(audience) : aud === audience;
}

/**
 * The lifetime that a token claims (RFC 7519 §4.1.4 to §4.1.6). Undefined when a date is not a
 * number, or when there is no `exp`: a token without end could never be revoked.
 */
export function lifetimeOf({ exp, nbf, iat }: UnverifiedToken['claims']): Lifetime | undefined {
  if (!isDate(exp)) return undefined;
  const starts: number[] = [];
  for (const start of [nbf, iat]) {
    if (start === undefined) continue;
    if (!isDate(start)) return undefined;
    starts.push(start);
  }
  return { fromMs: Math.max(0, ...starts) * 1000, untilMs: exp * 1000 };
}

/**
 * The claim by which the token's identity is found: `claimsProperty` selects it, `sub` when unset
 * (behaviour/external-jwt#claim). Undefined unless it is a non-empty string.
 */
export function identityClaim(
  { claimsProperty }: Pick<JwtSigner, 'claimsProperty'>,
  claims: UnverifiedToken['claims'],
): string | undefined {
  const value = selectedClaim(claimsProperty || 'sub', claims);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The claim that a selector names: a JSON pointer (RFC 6901) when it begins with a slash, else the
 * name of a top-level claim (behaviour/external-jwt#claim).
 */
export function selectedClaim(selector: string, claims: UnverifiedToken['claims']): unknown {
  const steps = selector.startsWith('/') ? pointerSteps(selector) : [selector];
  let value: unknown = claims;
  for (const step of steps) value = member(value, step);
  return value;
}

/** Whether a selector can be used: in a pointer 0 or 1 follows each tilde (RFC 6901 §3). */
export function isUsableSelector(selector: string): boolean {
  return !selector.startsWith('/') || !/~(?![01])/.test(selector);
}

function isDate(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** `~1` before `~0`, so that `~01` becomes `~1` (RFC 6901 §4). */
function pointerSteps(pointer: string): string[] {
  const steps = pointer.slice(1).split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Own members only, because every object inherits a member named `constructor`. */
function member(value: unknown, step: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined;
  return Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
}
