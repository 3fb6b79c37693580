// The addresses from which an administrator logged in lately, as his identity keeps them.

/** One of them: an address as `addressGroup` has it, and the day of the last login from there. */
export interface KnownAddress {
  readonly address: string;
  /** Days since the Unix epoch, in UTC. */
  readonly day: number;
}

/** How long an address stays known after the last login from it (decision 44). */
export const knownAddressDays = 30;

const msPerDay = 86_400_000;

/**
 * What counts as one address: an IPv4 address, or the /64 network of an IPv6 address, whose lower
 * half every host chooses by itself (RFC 4291 §2.5.1).
 */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  // What "::" leaves out are zeros; of those only the first four groups matter.
  const behind = tail === undefined || tail === '' ? 0 : tail.split(':').length;
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - behind);
  const groups = [...before, ...new Array<string>(zeros).fill('0'), ...(tail ?? '').split(':')];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** Whether somebody logged in from `address` within the last 30 days. @param now wall-clock ms */
export function isKnownAddress(
  known: readonly KnownAddress[] | undefined,
  address: string,
  now: number,
): boolean {
  if (known === undefined) return false;
  const group = addressGroup(address);
  const oldest = dayOf(now) - knownAddressDays;
  return known.some((one) => one.address === group && one.day >= oldest);
}

/**
 * The list after a login from `address`, the latest last: the same list where that is noted for
 * today already, so that an address costs one write per day.
 * @param most entries that are kept; the one whose login is longest ago goes first
 */
export function withKnownAddress(
  known: KnownAddress[] | undefined,
  address: string,
  now: number,
  most: number,
): KnownAddress[] {
  const group = addressGroup(address);
  const day = dayOf(now);
  if (known?.some((one) => one.address === group && one.day >= day)) return known;
  const others = (known ?? []).filter(
    (one) => one.address !== group && one.day >= day - knownAddressDays,
  );
  return [...others, { address: group, day }].slice(-most);
}

function dayOf(now: number): number {
  return Math.floor(now / msPerDay);
}
