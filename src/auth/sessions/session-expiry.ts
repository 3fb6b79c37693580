// Computes when an API session expires, or changes by itself.

import { isoTime } from '../../declare/resources/view.ts';
import type { Header } from '../../platform/http-exchange.ts';
import type { ApiSessionRecord } from '../../records/api-session.ts';
import type { Config } from '../../settings/config.ts';

/** The relevant settings. */
export type SessionTimes = Pick<Config, 'session' | 'auth'>;

/**
 * Wall-clock ms at which an API session ends: once it has been idle for too long
 * (behaviour/api-sessions#idle), or at the end of its life, whichever comes first.
 */
export function expiryOf(
  { session, auth }: SessionTimes,
  createdAt: number,
  lastActivityAt: number,
): number {
  const restsUntil = lastActivityAt + session.timeoutMinutes * 60_000;
  return Math.min(restsUntil, lifetimeEndOf(auth, createdAt));
}

/** A timed event of an API session. */
export interface SessionEvent {
  /** Wall-clock ms. */
  readonly at: number;
  readonly event: 'timeout' | 'expireSecondaryJwt';
}

/**
 * The next timed event of an API session: it ends, or the JWT expires that completed its second
 * factor (behaviour/api-sessions#secondary-jwts).
 */
export function nextEventOf(
  times: SessionTimes,
  { createdAt, secondFactorUntil }: Pick<ApiSessionRecord, 'createdAt' | 'secondFactorUntil'>,
  lastActivityAt: number,
): SessionEvent {
  const endsAt = expiryOf(times, createdAt, lastActivityAt);
  return secondFactorUntil !== undefined && secondFactorUntil < endsAt
    ? { at: secondFactorUntil, event: 'expireSecondaryJwt' }
    : { at: endsAt, event: 'timeout' };
}

/** Wall-clock ms at which the life of an API session ends; Infinity if its life has no bound. */
export function lifetimeEndOf(
  { sessionLifetimeMaxMinutes: minutes }: SessionTimes['auth'],
  createdAt: number,
): number {
  return minutes === 0 ? Number.POSITIVE_INFINITY : createdAt + minutes * 60_000;
}

/**
 * `headers` and those that tell a client when its API session ends
 * (behaviour/answers#headers). Times are wall-clock ms.
 */
export function withExpiry(headers: readonly Header[], expiresAt: number, now: number): Header[] {
  return [
    ...headers,
    ['expiration-seconds', String(Math.round((expiresAt - now) / 1000))],
    ['expires-at', isoTime(expiresAt)],
  ];
}
