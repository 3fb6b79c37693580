// Checks a password in a time that does not reveal whether the user exists.

import type { Argon2Parameters, Random } from '../../platform/ports.ts';
import type { Share } from './login-queue.ts';
import { formatPhc, hashBytes, parsePhc, saltBytes } from './password-hash.ts';
import type { SharedHasher } from './shared-hasher.ts';

/** Checks whether `phc` is a hash of `password`; an undefined `phc` means an unknown user. */
export type PasswordCheck = (
  phc: string | undefined,
  password: string,
  share: Share,
) => Promise<boolean>;

/**
 * Creates the check of a controller. An unknown user and an unreadable hash cost one verification
 * with `parameters`, like a wrong password, and return false. Rejects as the hasher does, with Busy
 * among others.
 */
export function createPasswordCheck(
  hasher: SharedHasher,
  random: Random,
  parameters: Argon2Parameters,
): PasswordCheck {
  // A random hash matches no password, and creating it needs no hashing.
  const decoy = formatPhc(parameters, random.bytes(saltBytes), random.bytes(hashBytes));
  return async (phc, password, share) => {
    const isKnown = phc !== undefined && parsePhc(phc) !== undefined;
    const isRight = await hasher.verify(isKnown ? phc : decoy, password, share);
    return isKnown && isRight;
  };
}
