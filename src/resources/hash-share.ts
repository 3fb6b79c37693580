// On whose account a request has passwords hashed.

import { addressBlock } from '../address-block.ts';
import type { Share } from '../auth/fair-line.ts';
import { isKnownAddress } from '../auth/known-addresses.ts';
import type { Context } from '../declare/operation.ts';
import type { IdentityRecord } from '../records/identity.ts';

/**
 * The share of somebody who says they are `username`, before the password is looked at.
 * @param identity whose user name it is, where there is such a user
 */
export function loginShare(
  { env, now, request }: Context,
  username: string,
  identity: IdentityRecord | undefined,
): Share {
  const { address } = request.peer;
  // What an administrator's identity knows outlives a restart.
  const isKnown =
    env.recentLogins.has(address, username) ||
    isKnownAddress(identity?.knownAddresses, address, now);
  return { address: addressBlock(address), username, isKnown };
}

/** The share of a caller who is logged in, else of the one who sets a password for `identityId`. */
export function callerShare({ callerIfAny, request }: Context, identityId: string): Share {
  return {
    address: addressBlock(request.peer.address),
    username: callerIfAny?.identity.id ?? identityId,
    isKnown: callerIfAny !== undefined,
  };
}
