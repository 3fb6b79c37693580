// Addresses from which an administrator is known, and logins that are remembered.

import t from 'tap';
import {
  isKnownAddress,
  type KnownAddress,
  withKnownAddress,
} from '../../src/auth/known-addresses.ts';
import { RecentLogins } from '../../src/auth/recent-logins.ts';

const day = 86_400_000;

t.test('an address is known for 30 days after the last login from it', async (t) => {
  const known = withKnownAddress(undefined, '192.0.2.7', 100 * day, 10);
  t.same(known, [{ address: '192.0.2.7', day: 100 }]);
  t.equal(isKnownAddress(known, '192.0.2.7', 130 * day), true);
  t.equal(isKnownAddress(known, '192.0.2.7', 131 * day), false);
  t.equal(isKnownAddress(known, '192.0.2.8', 100 * day), false);
  t.equal(isKnownAddress(undefined, '192.0.2.7', 100 * day), false);
  t.equal(isKnownAddress(known, '192.0.2.7', 90 * day), true, 'the clock was set back');
});

t.test('an address is recorded once per day, within a bound, and expires', async (t) => {
  const first = withKnownAddress(undefined, 'a', 100 * day, 2);
  t.equal(withKnownAddress(first, 'a', 101 * day - 1, 2), first, 'the same day');
  const next = withKnownAddress(first, 'a', 101 * day, 2);
  t.same(next, [{ address: 'a', day: 101 }]);
  const words = (list: readonly KnownAddress[]) => list.map(({ address }) => address).join('');
  const three = withKnownAddress(withKnownAddress(next, 'b', 102 * day, 2), 'c', 103 * day, 2);
  t.equal(words(three), 'bc');
  t.equal(words(withKnownAddress(three, 'b', 104 * day, 2)), 'cb');
  t.equal(words(withKnownAddress(three, 'd', 200 * day, 9)), 'd', 'old ones are dropped');
});

t.test('logins are remembered by address and user name, the latest ones', async (t) => {
  const logins = new RecentLogins(2);
  logins.note('192.0.2.7', 'admin');
  logins.note('2001:db8::1', 'bob');
  t.equal(logins.has('192.0.2.7', 'admin'), true);
  t.equal(logins.has('2001:db8::2', 'bob'), true, 'the same network');
  t.equal(logins.has('192.0.2.7', 'bob'), false);
  logins.note('192.0.2.7', 'admin');
  logins.note('192.0.2.9', 'carol');
  t.equal(logins.has('2001:db8::1', 'bob'), false, 'the one that logged in longest ago');
  t.equal(logins.has('192.0.2.7', 'admin'), true);
});
