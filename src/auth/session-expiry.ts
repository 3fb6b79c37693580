// Computes when an API session expires.

import type { Config } from '../config.ts';

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

/** Wall-clock ms at which the life of an API session ends; Infinity if its life has no bound. */
export function lifetimeEndOf(
  { sessionLifetimeMaxMinutes: minutes }: SessionTimes['auth'],
  createdAt: number,
): number {
  return minutes === 0 ? Number.POSITIVE_INFINITY : createdAt + minutes * 60_000;
}
