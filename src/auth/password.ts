// Checks a password so that nobody learns from the time it takes whether the user exists.

import type { Argon2Parameters, Random } from '../ports.ts';
import type { SharedHasher } from './admission.ts';
import type { Share } from './fair-line.ts';
import { formatPhc, hashBytes, parsePhc, saltBytes } from './phc.ts';

/**
 * Checks whether `password` is the one behind `phc`; undefined stands for a user who isn't there.
 */
export type PasswordCheck = (
  phc: string | undefined,
  password: string,
  share: Share,
) => Promise<boolean>;

/**
 * Makes the check of a controller. An unknown user and an unreadable hash cost one verification
 * with `parameters`, as a wrong password does, and are false. Rejects as the hasher does, with Busy
 * among others.
 */
export function createPasswordCheck(
  hasher: SharedHasher,
  random: Random,
  parameters: Argon2Parameters,
): PasswordCheck {
  // No password leads to a random hash, so this one costs no hashing to make.
  const decoy = formatPhc(parameters, random.bytes(saltBytes), random.bytes(hashBytes));
  return async (phc, password, share) => {
    const isKnown = phc !== undefined && parsePhc(phc) !== undefined;
    const isRight = await hasher.verify(isKnown ? phc : decoy, password, share);
    return isKnown && isRight;
  };
}
