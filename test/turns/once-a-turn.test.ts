// What is requested many times runs once, in a later turn.

import t from 'tap';
import { onceATurn } from '../../src/turns/once-a-turn.ts';
import { SimulatedClock } from '../simulated/clock.ts';

function scene() {
  const clock = new SimulatedClock();
  let runs = 0;
  const turn = onceATurn(clock, () => void runs++);
  return { clock, turn, runs: () => runs };
}

t.test('however often it is requested, it runs once, and not in this turn', async (t) => {
  const { clock, turn, runs } = scene();
  turn.request();
  turn.request();
  t.ok(turn.isRequested);
  t.equal(runs(), 0);
  t.equal(clock.turn(), 1, 'there is one callback');
  t.equal(runs(), 1);
  t.notOk(turn.isRequested);
  t.equal(clock.turn(), 0);
  turn.request();
  clock.turn();
  t.equal(runs(), 2);
});

t.test('a run may request the next one', async (t) => {
  const clock = new SimulatedClock();
  let left = 3;
  const turn = onceATurn(clock, () => {
    left -= 1;
    if (left > 0) turn.request();
  });
  turn.request();
  clock.turn();
  t.equal(left, 2);
  clock.drain();
  t.equal(left, 0);
});

t.test('a run that throws can be requested again', async (t) => {
  const clock = new SimulatedClock();
  const turn = onceATurn(clock, () => {
    throw new Error('no');
  });
  turn.request();
  t.throws(() => clock.turn(), { message: 'no' });
  t.notOk(turn.isRequested);
  turn.request();
  t.throws(() => clock.turn(), { message: 'no' });
});

t.test('a run that is requested for later is not hurried by another request', async (t) => {
  const { clock, turn, runs } = scene();
  turn.requestIn(100);
  turn.request();
  clock.advance(99);
  t.equal(runs(), 0);
  t.ok(turn.isRequested);
  clock.advance(1);
  t.equal(runs(), 1);
  t.notOk(turn.isRequested);
});

t.test('a cancelled run does not happen, whatever it waited for', async (t) => {
  const { clock, turn, runs } = scene();
  turn.cancel();
  turn.request();
  turn.cancel();
  t.notOk(turn.isRequested);
  clock.turn();
  turn.requestIn(100);
  turn.cancel();
  t.equal(clock.timers, 0);
  clock.advance(100);
  t.equal(runs(), 0);
});

t.test('a request after a cancelled one counts from its own time', async (t) => {
  const { clock, turn, runs } = scene();
  turn.request();
  turn.cancel();
  turn.requestIn(100);
  clock.drain();
  t.equal(runs(), 0, 'the callback of the first is over');
  clock.advance(100);
  t.equal(runs(), 1);
  turn.request();
  turn.cancel();
  turn.request();
  clock.drain();
  t.equal(runs(), 2);
});
