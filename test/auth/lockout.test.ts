// Counting consecutive wrong passwords.

import t from 'tap';
import { Lockouts } from '../../src/auth/lockout.ts';

t.test('the last allowed failure locks and clears the count', async (t) => {
  const lockouts = new Lockouts(10);
  t.equal(lockouts.failure('a', 3), 'count');
  t.equal(lockouts.failure('a', 3), 'count');
  t.equal(lockouts.failures('a'), 2);
  t.equal(lockouts.failure('b', 3), 'count', 'each authenticator for itself');
  t.equal(lockouts.failure('a', 3), 'lock');
  t.equal(lockouts.failures('a'), 0);
  t.equal(lockouts.failure('a', 3), 'count');
  t.equal(lockouts.failure('c', 1), 'lock');
});

t.test('success clears', async (t) => {
  const lockouts = new Lockouts(10);
  lockouts.failure('a', 2);
  lockouts.clear('a');
  t.equal(lockouts.failure('a', 2), 'count');
  t.equal(lockouts.failure('a', 2), 'lock');
});

t.test('without a limit nothing is counted', async (t) => {
  const lockouts = new Lockouts(10);
  for (let index = 0; index < 100; index += 1) t.equal(lockouts.failure('a', 0), 'count');
  t.equal(lockouts.failures('a'), 0);
});

t.test('a policy that got stricter holds at once', async (t) => {
  const lockouts = new Lockouts(10);
  for (let index = 0; index < 5; index += 1) lockouts.failure('a', 100);
  t.equal(lockouts.failure('a', 3), 'lock');
});

t.test('counters are bounded: the one that failed longest ago goes', async (t) => {
  const lockouts = new Lockouts(3);
  for (const id of ['a', 'b', 'c', 'a', 'd']) lockouts.failure(id, 100);
  t.same(
    ['a', 'b', 'c', 'd'].map((id) => lockouts.failures(id)),
    [2, 0, 1, 1],
  );
});
