// Says which hosts and addresses the controller's own requests must not lead to
// (behaviour/external-jwt#addresses).

import { BlockList, isIP } from 'node:net';

/** The kinds of places that are refused, as an error names them. */
export type RefusedPlace = 'link-local or metadata' | 'private or loopback';

/** The rules for addresses. */
export interface OutgoingRules {
  /** Whether loopback and private addresses are allowed. */
  readonly allowsPrivate: boolean;
}

/**
 * The refused place that the host of a URL names, by an address or by a well-known name; undefined
 * if it names none. Other names are checked by the addresses that they resolve to.
 * @param hostname as `URL` normalises it
 */
export function refusedHost(hostname: string, rules: OutgoingRules): RefusedPlace | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) return refusedAddress(host, rules);
  const name = host.replace(/\.+$/, '').toLowerCase();
  if (metadataNames.has(name)) return 'link-local or metadata';
  if (rules.allowsPrivate) return undefined;
  return name === 'localhost' || name.endsWith('.localhost') ? 'private or loopback' : undefined;
}

/** The refused place that an address is in; undefined if it is in none, or is no address. */
export function refusedAddress(
  address: string,
  { allowsPrivate }: OutgoingRules,
): RefusedPlace | undefined {
  const plain = address.split('%')[0] ?? '';
  const version = isIP(plain);
  if (version === 0) return undefined;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (neverAllowed.check(plain, family)) return 'link-local or metadata';
  return !allowsPrivate && privateAddresses.check(plain, family)
    ? 'private or loopback'
    : undefined;
}

/** Names under which providers of virtual machines hand out credentials to whoever asks. */
const metadataNames: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

type Subnet = readonly [address: string, bits: number];

const neverAllowed = blockOf(
  [
    // Unspecified: a connection to it reaches this machine (RFC 1122 §3.2.1.3).
    ['0.0.0.0', 8],
    // Link-local (RFC 3927), among them the metadata of most providers.
    ['169.254.0.0', 16],
    // Metadata of Alibaba, of Oracle, and of Azure.
    ['100.100.100.200', 32],
    ['192.0.0.192', 32],
    ['168.63.129.16', 32],
  ],
  [
    ['::', 128],
    ['fe80::', 10],
    // Metadata of Amazon and of Google.
    ['fd00:ec2::254', 128],
    ['fd20:ce::254', 128],
  ],
);

const privateAddresses = blockOf(
  [
    ['127.0.0.0', 8],
    // RFC 1918, RFC 6598.
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['100.64.0.0', 10],
  ],
  [
    ['::1', 128],
    // RFC 4193, and its predecessor of RFC 3879.
    ['fc00::', 7],
    ['fec0::', 10],
  ],
);

/**
 * IPv4 subnets are also found inside IPv6: mapped ones by `BlockList` itself, those that a gateway
 * translates (RFC 6052) or a tunnel carries (RFC 3056) by subnets of their own.
 */
function blockOf(ipv4: readonly Subnet[], ipv6: readonly Subnet[]): BlockList {
  const block = new BlockList();
  for (const [address, bits] of ipv6) block.addSubnet(address, bits, 'ipv6');
  for (const [address, bits] of ipv4) {
    block.addSubnet(address, bits, 'ipv4');
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
    const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
    block.addSubnet(`64:ff9b::${groups}`, 96 + bits, 'ipv6');
    block.addSubnet(`2002:${groups}::`, 16 + bits, 'ipv6');
  }
  return block;
}
