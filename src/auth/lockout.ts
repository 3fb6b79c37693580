// Counts consecutive wrong passwords per authenticator, in memory, and decides when to lock
// (behaviour/login#lockout).

import { dropOldest } from './recent-logins.ts';

/**
 * The consequence of a failure: `lock` disables the identity for the policy's time and ends its API
 * sessions; `count` does nothing yet.
 */
export type FailureVerdict = 'count' | 'lock';

/** The counters of all authenticators. They are lost on a restart, as specified. */
export class Lockouts {
  readonly #authenticatorsMax: number;
  /** Ordered by last failure. */
  readonly #failures = new Map<string, number>();

  /**
   * @param authenticatorsMax counters kept; beyond it the one that failed longest ago is forgotten.
   */
  constructor(authenticatorsMax = lockoutAuthenticatorsMax) {
    this.#authenticatorsMax = authenticatorsMax;
  }

  /**
   * Counts a wrong password. Must not be called while the identity is disabled: such attempts don't
   * count, and a check that was running when another one locked must test that again.
   * @param maxAttempts of the auth policy; 0 never locks.
   */
  failure(authenticatorId: string, maxAttempts: number): FailureVerdict {
    const count = (this.#failures.get(authenticatorId) ?? 0) + 1;
    this.#failures.delete(authenticatorId);
    if (maxAttempts <= 0) return 'count';
    if (count >= maxAttempts) return 'lock';
    this.#failures.set(authenticatorId, count);
    dropOldest(this.#failures, this.#authenticatorsMax);
    return 'count';
  }

  /**
   * A right password, a new password, or an authenticator that is gone: counting restarts from
   * zero.
   */
  clear(authenticatorId: string): void {
    this.#failures.delete(authenticatorId);
  }
}

/** Authenticators whose wrong passwords are counted, 100 bytes each. @bound per controller */
const lockoutAuthenticatorsMax = 100_000;
