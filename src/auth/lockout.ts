// Counts consecutive wrong passwords per authenticator, in memory, and says when to lock
// (behaviour/login#lockout).

/**
 * What follows from a failure: `lock` is to disable the identity for the policy's time and to end
 * its API sessions; `count` is nothing yet.
 */
export type FailureVerdict = 'count' | 'lock';

/** The counters of all authenticators. Lost on a restart, as the behaviour has it. */
export class Lockouts {
  readonly #authenticatorsMax: number;
  /** In the order of their last failure. */
  readonly #failures = new Map<string, number>();

  /**
   * @param authenticatorsMax counters kept; beyond it the one that failed longest ago is forgotten.
   */
  constructor(authenticatorsMax = lockoutAuthenticatorsMax) {
    this.#authenticatorsMax = authenticatorsMax;
  }

  /**
   * A wrong password. Not to be called while the identity is disabled: such attempts don't count,
   * and a check that was under way when another one locked must look again.
   * @param maxAttempts of the auth policy; 0 never locks.
   */
  failure(authenticatorId: string, maxAttempts: number): FailureVerdict {
    const count = (this.#failures.get(authenticatorId) ?? 0) + 1;
    this.#failures.delete(authenticatorId);
    if (maxAttempts <= 0) return 'count';
    if (count >= maxAttempts) return 'lock';
    this.#failures.set(authenticatorId, count);
    if (this.#failures.size > this.#authenticatorsMax) this.#forgetOldest();
    return 'count';
  }

  /** A right password, a new password, or an authenticator that is gone: counting starts anew. */
  clear(authenticatorId: string): void {
    this.#failures.delete(authenticatorId);
  }

  #forgetOldest(): void {
    for (const oldest of this.#failures.keys()) {
      this.#failures.delete(oldest);
      return;
    }
  }
}

/** Authenticators whose wrong passwords are counted, 100 bytes each. @bound per controller */
const lockoutAuthenticatorsMax = 100_000;
