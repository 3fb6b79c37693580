// Which addresses count as one peer.

import t from 'tap';
import { addressBlock } from '../../src/platform/address-block.ts';

t.test('an IPv4 address stands by itself, also when mapped', async (t) => {
  t.equal(addressBlock('192.0.2.7'), '192.0.2.7');
  t.equal(addressBlock('::ffff:192.0.2.7'), '192.0.2.7');
});

t.test('an IPv6 address stands for its /64', async (t) => {
  const cases: Readonly<Record<string, string>> = {
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:db8:1:2::6': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    '2001:db8::3:4:5:6': '2001:db8:0:0::/64',
    '2001:db8::2:3:4:5:6': '2001:db8:0:2::/64',
    '::1': '0:0:0:0::/64',
    '::2:3:4:5:6:7:8': '0:2:3:4::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '2001:db8::': '2001:db8:0:0::/64',
    '2001:db8:1:2:3::': '2001:db8:1:2::/64',
    '::': '0:0:0:0::/64',
  };
  for (const [address, block] of Object.entries(cases)) t.equal(addressBlock(address), block);
  t.not(addressBlock('2001:db8:0:1::1'), addressBlock('2001:db8:0:2::1'));
});
