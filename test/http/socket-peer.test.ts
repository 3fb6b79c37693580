// Peer addresses as text, also mapped and shortened ones.

import t from 'tap';
import { PeerCache } from '../../src/http/server/socket-peer.ts';
import * as fc from '../properties.ts';

t.test('IPv6 addresses are written as everywhere', async () => {
  // Zeros often, as runs of them are what can go wrong.
  const group = fc.oneof(fc.constant(0), fc.constant(0), fc.nat(0xffff));
  const isMapped = (groups: readonly number[]) => groups.slice(0, 6).join() === '0,0,0,0,0,65535';
  const addresses = fc
    .array(group, { minLength: 8, maxLength: 8 })
    .filter((groups) => !isMapped(groups));
  fc.assert(
    fc.property(addresses, (groups) => {
      const bytes = Uint8Array.from(groups.flatMap((value) => [value >> 8, value & 255]));
      const full = groups.map((value) => value.toString(16)).join(':');
      const { address } = new PeerCache().peer(bytes.buffer);
      return `[${address}]` === new URL(`http://[${full}]`).hostname;
    }),
    { numRuns: 500 },
  );
});

t.test('IPv4 addresses are dotted, mapped or not, and their peers are kept', async (t) => {
  const peers = new PeerCache();
  const plain = Uint8Array.of(10, 0, 0, 7).buffer;
  const mapped = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 7).buffer;
  t.same(peers.peer(plain), { address: '10.0.0.7', certificates: [] });
  t.equal(peers.peer(mapped), peers.peer(plain));
  t.equal(
    peers.peer(Uint8Array.of(0x20, 1, ...new Array(13).fill(0), 1).buffer).address,
    '2001::1',
  );
});

t.test('peers are kept up to a bound', async (t) => {
  const peers = new PeerCache();
  const first = Uint8Array.of(10, 0, 0, 0).buffer;
  const kept = peers.peer(first);
  for (let index = 1; index <= 1024; index += 1) {
    peers.peer(Uint8Array.of(10, 1, index >> 8, index & 255).buffer);
  }
  t.not(peers.peer(first), kept);
});
