// Shares the machine's cores between the password hashes of many logins.

import type { Argon2Parameters, Hasher } from '../../platform/ports.ts';
import type { Admission } from '../../turns/admission.ts';
import type { Share } from './login-queue.ts';

/** A hasher whose calls name the share they count for. Its calls reject with Busy. */
export interface SharedHasher {
  /** As `Hasher.hash`. */
  hash(password: string, parameters: Argon2Parameters, share: Share): Promise<string>;
  /** As `Hasher.verify`. */
  verify(phc: string, password: string, share: Share): Promise<boolean>;
}

/** A hasher whose calls pass through `admission`. */
export function admittedHasher(hasher: Hasher, admission: Admission<Share>): SharedHasher {
  return {
    hash: (password, parameters, share) =>
      admission.run(() => hasher.hash(password, parameters), share),
    verify: (phc, password, share) => admission.run(() => hasher.verify(phc, password), share),
  };
}

/** The use of a machine's cores for hashing. */
export interface HashingPlan {
  /** `runningMax` of the hashers' admission: each hash occupies one core. */
  readonly runningMax: number;
  /**
   * UV_THREADPOOL_SIZE, to be set before anything uses the pool: hashes must leave threads for
   * signatures and log lines, which take less than a ms each.
   */
  readonly poolThreads: number;
}

/** The plan for a machine of `cores` cores. */
export function planHashing(cores: number): HashingPlan {
  const runningMax = Math.max(1, Math.trunc(cores));
  return { runningMax, poolThreads: runningMax + signaturesRunningMax };
}

/**
 * Signatures of JWTs that are checked or made at once: as many as the threads that hashes leave
 * free, so that neither waits for many of the other. @bound per controller
 */
export const signaturesRunningMax = 2;
