// Computes when an API session expires, or changes by itself.

import { isoTime } from '../../declare/resources/view.ts';
import type { Header } from '../../platform/http-exchange.ts';
import type { ApiSessionRecord } from '../../records/api-session.ts';
import type { Config } from '../../settings/config.ts';

/** The relevant settings. */
export type SessionTimes = Pick<Config, 'session' | 'auth'>;

/** The part of an API session that its expiry depends on. */
export interface ExpiringSession {
  readonly createdAt: number;
  readonly jwt: { readonly until: number } | undefined;
}

/**
 * Wall-clock ms at which an API session ends: once it has been idle for too long
 * (behaviour/api-sessions#idle), or at the end of its life, whichever comes first. Requests do not
 * prolong a session with JWTs.
 */
export function expiryOf(
  { session, auth }: SessionTimes,
  record: ExpiringSession,
  lastActivityAt: number,
): number {
  const lifeEnds = lifetimeEndOf(auth, record);
  if (record.jwt !== undefined) return lifeEnds;
  return Math.min(lastActivityAt + session.timeoutMinutes * 60_000, lifeEnds);
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
  record: ExpiringSession & Pick<ApiSessionRecord, 'secondFactorUntil'>,
  lastActivityAt: number,
): SessionEvent {
  const { secondFactorUntil } = record;
  const endsAt = expiryOf(times, record, lastActivityAt);
  return secondFactorUntil !== undefined && secondFactorUntil < endsAt
    ? { at: secondFactorUntil, event: 'expireSecondaryJwt' }
    : { at: endsAt, event: 'timeout' };
}

/**
 * Wall-clock ms at which the life of an API session ends, or that of its tokens; Infinity if
 * neither has a bound.
 */
export function lifetimeEndOf(
  { sessionLifetimeMaxMinutes: minutes }: SessionTimes['auth'],
  { createdAt, jwt }: ExpiringSession,
): number {
  const tokensEnd = jwt?.until ?? Number.POSITIVE_INFINITY;
  return minutes === 0 ? tokensEnd : Math.min(tokensEnd, createdAt + minutes * 60_000);
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
