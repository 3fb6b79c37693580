// Counting consecutive wrong passwords.

import t from 'tap';
import { Lockouts } from '../../src/auth/lockout.ts';

t.test('the last allowed failure locks and clears the count', async (t) => {
  const lockouts = new Lockouts(10);
  t.equal(lockouts.failure('a', 3), 'count');
  t.equal(lockouts.failure('a', 3), 'count');
  t.equal(lockouts.failure('b', 3), 'count', 'each authenticator for itself');
  t.equal(lockouts.failure('a', 3), 'lock');
  t.equal(lockouts.failure('a', 3), 'count');
  t.equal(lockouts.failure('a', 3), 'count');
  t.equal(lockouts.failure('a', 3), 'lock', 'it counts from nothing again');
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
  t.equal(lockouts.failure('a', 2), 'count');
});

t.test('a stricter policy takes effect at once', async (t) => {
  const lockouts = new Lockouts(10);
  for (let index = 0; index < 5; index += 1) lockouts.failure('a', 100);
  t.equal(lockouts.failure('a', 3), 'lock');
});

t.test('counters are bounded: the one with the oldest failure is dropped', async (t) => {
  const failed = () => {
    const lockouts = new Lockouts(3);
    for (const id of ['a', 'b', 'c', 'a', 'd']) lockouts.failure(id, 100);
    return lockouts;
  };
  for (const [id, failures] of Object.entries({ a: 2, b: 0, c: 1, d: 1 })) {
    t.equal(failed().failure(id, failures + 1), 'lock', id);
    t.equal(failed().failure(id, failures + 2), 'count', id);
  }
});
