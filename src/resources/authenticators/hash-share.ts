// The share that the password hashes of a request count for.

import { addressBlock } from '../../address-block.ts';
import type { Share } from '../../auth/fair-line.ts';
import { isKnownAddress } from '../../auth/known-addresses.ts';
import type { Context } from '../../declare/operation.ts';
import type { IdentityRecord } from '../../records/identity.ts';

/**
 * The share of a caller who claims to be `username`, before the password is checked.
 * @param identity the identity with this user name, if there is one
 */
export function loginShare(
  { env, now, request }: Context,
  username: string,
  identity: IdentityRecord | undefined,
): Share {
  const { address } = request.peer;
  // The known addresses in an administrator's identity survive a restart.
  const isKnown =
    env.recentLogins.has(address, username) ||
    isKnownAddress(identity?.knownAddresses, address, now);
  return { address: addressBlock(address), username, isKnown };
}

/** The share of a logged-in caller, else of a caller who sets a password for `identityId`. */
export function callerShare({ callerIfAny, request }: Context, identityId: string): Share {
  return {
    address: addressBlock(request.peer.address),
    username: callerIfAny?.identity.id ?? identityId,
    isKnown: callerIfAny !== undefined,
  };
}
