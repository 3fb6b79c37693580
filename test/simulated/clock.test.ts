// The simulated clock and chance themselves.

import t from 'tap';
import { SimulatedClock } from './clock.ts';
import { SimulatedRandom } from './random.ts';

t.test('timers run in order of time, then of arming, unless taken back', async (t) => {
  const clock = new SimulatedClock(1000);
  const ran: string[] = [];
  clock.after(20, () => ran.push(`b@${clock.now()}`));
  clock.after(10, () => {
    ran.push(`a@${clock.now()}`);
    clock.after(5, () => ran.push(`nested@${clock.now()}`));
  });
  clock.after(20, () => ran.push('c'));
  clock.after(15, () => ran.push('never')).cancel();
  t.equal(clock.nextTimerMs, 10);
  clock.advance(19);
  t.same(ran, ['a@1010', 'nested@1015']);
  clock.advance(1);
  t.same(ran.slice(2), ['b@1020', 'c']);
  t.equal(clock.timers, 0);
  t.equal(clock.monotonic(), 20);
});

t.test('soon is a later turn', async (t) => {
  const clock = new SimulatedClock();
  const ran: string[] = [];
  clock.soon(() => {
    ran.push('first');
    clock.soon(() => ran.push('second'));
  });
  t.same(ran, []);
  t.equal(clock.turn(), 1);
  t.same(ran, ['first']);
  clock.drain();
  t.same(ran, ['first', 'second']);
  const again = () => clock.soon(again);
  again();
  t.throws(() => clock.drain(10), /still busy/);
});

t.test('a sleep runs what fell due at its end, and periodic work once', async (t) => {
  const clock = new SimulatedClock(1000);
  const ran: string[] = [];
  clock.after(20, () => ran.push(`once@${clock.now()}`));
  const tick = () => {
    ran.push(`tick@${clock.now()}`);
    clock.after(10, tick);
  };
  clock.after(10, tick);
  clock.after(51, () => ran.push('later'));
  clock.sleep(50);
  t.same(ran, ['tick@1050', 'once@1050']);
  t.equal(clock.nextTimerMs, 1);
});

t.test('the wall clock jumps alone', async (t) => {
  const clock = new SimulatedClock(1000);
  let ran = false;
  clock.after(10, () => {
    ran = true;
  });
  clock.jump(500);
  t.equal(clock.now(), 1500);
  t.equal(clock.monotonic(), 0);
  t.notOk(ran);
  clock.jump(-1000);
  t.equal(clock.now(), 500);
  clock.advance(10);
  t.ok(ran);
});

t.test('settle lets promises and turns run out', async (t) => {
  const clock = new SimulatedClock();
  const ran: string[] = [];
  Promise.resolve()
    .then(() => clock.soon(() => void Promise.resolve().then(() => ran.push('turn'))))
    .then(() => ran.push('promise'));
  await clock.settle();
  t.same(ran, ['promise', 'turn']);
});

t.test('bytes follow from the seed, however they are asked for', async (t) => {
  const whole = new SimulatedRandom(7).bytes(100);
  const parts = new SimulatedRandom(7);
  t.same(Buffer.concat([parts.bytes(1), parts.bytes(40), parts.bytes(0), parts.bytes(59)]), whole);
  t.notSame(new SimulatedRandom(8).bytes(100), whole);
});
