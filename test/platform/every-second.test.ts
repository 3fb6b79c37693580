// Periodic work in one timer per second.

import t from 'tap';
import { everySecond } from '../../src/platform/every-second.ts';
import { SimulatedClock } from '../simulated/clock.ts';

t.test('all tasks of a clock share one timer, which ends with the last of them', async (t) => {
  const clock = new SimulatedClock();
  const ran: string[] = [];
  const one = everySecond(clock, () => ran.push('one'));
  clock.advance(400);
  const two = everySecond(clock, () => ran.push('two'));
  t.equal(clock.timers, 1);
  clock.advance(600);
  t.same(ran, ['one', 'two'], 'in one turn');
  clock.advance(1000);
  one.cancel();
  one.cancel();
  clock.advance(1000);
  t.same(ran, ['one', 'two', 'one', 'two', 'two']);
  two.cancel();
  t.equal(clock.timers, 0);
  everySecond(clock, () => ran.push('again'));
  clock.advance(1000);
  t.equal(ran.at(-1), 'again');
});

t.test('a task may be registered twice, and may cancel itself', async (t) => {
  const clock = new SimulatedClock();
  let runs = 0;
  const task = () => {
    runs += 1;
    first.cancel();
  };
  const first = everySecond(clock, task);
  const second = everySecond(clock, task);
  clock.advance(1000);
  t.equal(runs, 2);
  clock.advance(1000);
  t.equal(runs, 3);
  second.cancel();
  clock.advance(5000);
  t.equal(runs, 3);
  t.equal(clock.timers, 0);
});

t.test('clocks have timers of their own', async (t) => {
  const [one, two] = [new SimulatedClock(), new SimulatedClock()];
  const ran: string[] = [];
  everySecond(one, () => ran.push('one'));
  everySecond(two, () => ran.push('two'));
  two.advance(1000);
  t.same(ran, ['two']);
});
