// The addresses from which an administrator logged in recently, stored in the identity.

import { addressBlock } from '../platform/address-block.ts';

/**
 * A known address: a block as `addressBlock` returns it, and the day of the last login from there.
 */
export interface KnownAddress {
  readonly address: string;
  /** Days since the Unix epoch, in UTC. */
  readonly day: number;
}

/** How long an address stays known after the last login from it (behaviour/login). */
const knownAddressDays = 30;

const msPerDay = 86_400_000;

/** Whether there was a login from `address` within the last 30 days. @param now wall-clock ms */
export function isKnownAddress(
  known: readonly KnownAddress[] | undefined,
  address: string,
  now: number,
): boolean {
  if (known === undefined) return false;
  const block = addressBlock(address);
  const oldest = dayOf(now) - knownAddressDays;
  return known.some((one) => one.address === block && one.day >= oldest);
}

/**
 * The list after a login from `address`, the latest last: the same list if the address is already
 * noted for today, so that an address costs one write per day.
 * @param most entries that are kept; the one with the oldest login is dropped first
 */
export function withKnownAddress(
  known: KnownAddress[] | undefined,
  address: string,
  now: number,
  most = adminAddressesMax,
): KnownAddress[] {
  const block = addressBlock(address);
  const day = dayOf(now);
  if (known?.some((one) => one.address === block && one.day >= day)) return known;
  const others = (known ?? []).filter(
    (one) => one.address !== block && one.day >= day - knownAddressDays,
  );
  return [...others, { address: block, day }].slice(-most);
}

function dayOf(now: number): number {
  return Math.floor(now / msPerDay);
}

/** Known addresses of one administrator, 30 bytes each in the record. @bound per identity */
const adminAddressesMax = 100;
