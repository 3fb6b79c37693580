// Counting wrong MFA codes: when they block an identity, for how long, and what resets the count.

import t from 'tap';
import { MfaAttempts } from '../../src/auth/mfa-attempts.ts';
import { SimulatedClock } from '../simulated/clock.ts';

const limits = {
  mfaWrongCodesMax: 3,
  mfaBarMs: 1000,
  mfaBarMsMax: 5000,
  mfaAttemptIdentitiesMax: 3,
};

function start() {
  const clock = new SimulatedClock();
  return { clock, attempts: new MfaAttempts(limits, clock) };
}

t.test('the last allowed wrong code blocks, separately for each identity', async (t) => {
  const { attempts } = start();
  for (const barred of [false, false, true]) {
    attempts.wrong('a');
    t.equal(attempts.isBarred('a'), barred);
  }
  t.notOk(attempts.isBarred('b'));
});

t.test('each block lasts twice as long, up to the longest', async (t) => {
  const { clock, attempts } = start();
  for (const barMs of [1000, 2000, 4000, 5000, 5000]) {
    for (let wrong = 0; wrong < 3; wrong++) attempts.wrong('a');
    clock.advance(barMs - 1);
    t.ok(attempts.isBarred('a'), `${barMs} ms`);
    clock.advance(1);
    t.notOk(attempts.isBarred('a'), 'and not a moment longer');
  }
  for (let bars = 0; bars < 2000; bars++) {
    for (let wrong = 0; wrong < 3; wrong++) attempts.wrong('b');
  }
  clock.advance(5000);
  t.notOk(attempts.isBarred('b'), 'also after as many as no number doubles');
});

t.test('a correct code resets the count and the doubling', async (t) => {
  const { clock, attempts } = start();
  for (let wrong = 0; wrong < 5; wrong++) attempts.wrong('a');
  clock.advance(1000);
  attempts.clear('a');
  for (let wrong = 0; wrong < 2; wrong++) attempts.wrong('a');
  t.notOk(attempts.isBarred('a'));
  attempts.wrong('a');
  clock.advance(1000);
  t.notOk(attempts.isBarred('a'), 'the first bar again');
});

t.test('a wall clock that is set forward ends no block', async (t) => {
  const { clock, attempts } = start();
  for (let wrong = 0; wrong < 3; wrong++) attempts.wrong('a');
  clock.jump(3_600_000);
  t.ok(attempts.isBarred('a'));
});

t.test('counters are bounded: the one with the oldest failure is dropped', async (t) => {
  const { attempts } = start();
  for (const id of ['a', 'b', 'c', 'a', 'a', 'd']) attempts.wrong(id);
  t.ok(attempts.isBarred('a'));
  attempts.wrong('b');
  attempts.wrong('b');
  t.notOk(attempts.isBarred('b'), 'its first was forgotten');
});
