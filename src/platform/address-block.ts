// Groups addresses that count as one peer when callers share a bounded resource.

/**
 * The block of addresses that one peer is assumed to have: a single IPv4 address, also when it is
 * mapped into IPv6, or the /64 network of an IPv6 address, because providers give each customer at
 * least that many (RFC 6177). `address` is in the form that Node reports.
 */
export function addressBlock(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7);
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const zeros = new Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
