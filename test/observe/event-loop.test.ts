// Pauses of the event loop: measured closely while there is work, once per second in a rest.

import t from 'tap';
import { EventLoopWatch } from '../../src/observe/event-loop.ts';
import { SimulatedClock } from '../simulated/clock.ts';

function start() {
  const clock = new SimulatedClock();
  const totals = { activeMs: 0, turns: 0 };
  const watch = new EventLoopWatch(clock, () => ({ ...totals }));
  const work = (activeMs: number, turns: number): void => {
    totals.activeMs += activeMs;
    totals.turns += turns;
  };
  const monotonic = clock.monotonic.bind(clock);
  let heldUpMs = 0;
  clock.monotonic = () => monotonic() + heldUpMs;
  const holdUp = (ms: number) => void (heldUpMs += ms);
  const observed = () => watch.seconds.counts.reduce((sum, count) => sum + count, 0);
  watch.start();
  return { clock, watch, work, holdUp, observed };
}

t.test('a rest needs one timer per second, and work many', async (t) => {
  const { clock, watch, work, observed } = start();
  clock.advance(1000);
  let before = observed();
  clock.advance(10_000);
  t.equal(observed() - before, 500, 'with the weight of work');
  t.equal(clock.timers, 1);
  work(10, 20);
  clock.advance(1000);
  before = observed();
  work(10, 20);
  clock.advance(1000);
  t.equal(observed() - before, 50);
  clock.advance(1000);
  t.equal(clock.timers, 1, 'a second without work ends it');
  watch.stop();
  t.equal(clock.timers, 0);
});

t.test('a pause while there is work is as long as the timer was late', async (t) => {
  const { clock, watch, work, holdUp } = start();
  clock.advance(20);
  holdUp(50);
  clock.advance(20);
  t.equal(watch.takeLongestMs(), 50);
  t.equal(watch.takeLongestMs(), 0);
  t.equal(watch.recentLongestMs, 50);
  work(1000, 500);
  clock.advance(110_000);
  t.equal(watch.recentLongestMs, 50);
  clock.advance(60_000);
  t.equal(watch.recentLongestMs, 0, 'after two minutes it is no longer recent');
});

t.test('a single long turn of a rest shows in the mean of its turns', async (t) => {
  const { clock, watch, work } = start();
  clock.advance(2000);
  watch.takeLongestMs();
  work(300, 3);
  clock.advance(1000);
  t.equal(watch.takeLongestMs(), 100);
  work(0.5, 1);
  clock.advance(1000);
  t.equal(watch.takeLongestMs(), 0, 'what follows is measured closely');
});

t.test('the totals are those of the thread, if no others are given', async (t) => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const clock = new SimulatedClock();
  const watch = new EventLoopWatch(clock);
  // Before the first turn of a process, Node counts nothing as work.
  await turn();
  watch.start();
  const startMs = performance.now();
  while (performance.now() < startMs + 30);
  await turn();
  clock.advance(1000);
  t.equal(clock.timers, 2, 'there was work');
  watch.stop();
});
