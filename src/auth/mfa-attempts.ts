// Counts wrong MFA codes per identity, in memory, and bars an identity that gives too many
// (behaviour/mfa#guessing, RFC 4226 §7.3).

import type { Clock } from '../ports.ts';
import { dropOldest } from './recent-logins.ts';

interface Attempts {
  /** Wrong codes since the last bar or right code. */
  readonly wrong: number;
  /** Bars since the last right code. */
  readonly bars: number;
  /** Monotonic ms, because the wall clock may be set back and forth. */
  readonly barredUntil: number;
}

/** The bounds of guessing. */
export const attemptBounds = {
  /**
   * Wrong MFA codes in a row before an identity is barred (behaviour/mfa#guessing). With the window
   * of three steps, ten guesses hit one time in 33,000. @bound per identity
   */
  mfaWrongCodesMax: 10,
  /** The first bar after wrong MFA codes; each further bar is twice as long. @bound per identity */
  mfaBarMs: 60_000,
  /** The longest bar. Ten guesses per hour need 4 years on average. @bound per identity */
  mfaBarMsMax: 3_600_000,
  /** Identities whose wrong MFA codes are counted, 150 bytes each. @bound per controller */
  mfaAttemptIdentitiesMax: 100_000,
};

const noAttempts: Attempts = { wrong: 0, bars: 0, barredUntil: Number.NEGATIVE_INFINITY };

/** The counters of all identities. They are lost on a restart, like those of passwords. */
export class MfaAttempts {
  readonly #bounds: Readonly<typeof attemptBounds>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Ordered by last wrong code. */
  readonly #attempts = new Map<string, Attempts>();

  constructor(bounds: Readonly<typeof attemptBounds>, clock: Pick<Clock, 'monotonic'>) {
    this.#bounds = bounds;
    this.#clock = clock;
  }

  /** Whether codes of the identity are refused for now, right or wrong. */
  isBarred(identityId: string): boolean {
    const { barredUntil } = this.#attempts.get(identityId) ?? noAttempts;
    return this.#clock.monotonic() < barredUntil;
  }

  /** Counts a wrong code. One too many bars the identity, each time for twice as long as before. */
  wrong(identityId: string): void {
    const { mfaWrongCodesMax, mfaBarMs, mfaBarMsMax, mfaAttemptIdentitiesMax } = this.#bounds;
    const before = this.#attempts.get(identityId) ?? noAttempts;
    const wrong = before.wrong + 1;
    const isBar = wrong >= mfaWrongCodesMax;
    const barMs = Math.min(mfaBarMs * 2 ** before.bars, mfaBarMsMax);
    this.#attempts.delete(identityId);
    this.#attempts.set(
      identityId,
      isBar
        ? { wrong: 0, bars: before.bars + 1, barredUntil: this.#clock.monotonic() + barMs }
        : { ...before, wrong },
    );
    dropOldest(this.#attempts, mfaAttemptIdentitiesMax);
  }

  /** A right code, or an enrollment that is gone: counts and bars are reset. */
  clear(identityId: string): void {
    this.#attempts.delete(identityId);
  }
}
