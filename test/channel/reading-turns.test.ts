// The turns in which frames are read: no router takes more than its share of the main thread.

import t from 'tap';
import { ReadingTurns, type TurnReader } from '../../src/channel/reading-turns.ts';
import { SimulatedClock } from '../simulated/clock.ts';

/** A clock on which handling takes time. */
class WorkClock extends SimulatedClock {
  workedMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.workedMs;
  }
}

/** Work of one router: the ms that each of its frames takes. */
function reader(clock: WorkClock, done: string[], name: string, frames: number[]): TurnReader {
  return {
    isQueued: false,
    debtMs: 0,
    readNext: () => {
      const ms = frames.shift();
      if (ms === undefined) return false;
      clock.workedMs += ms;
      done.push(name);
      return true;
    },
  };
}

t.test('a turn takes about 2 ms, and the rest waits', async (t) => {
  const clock = new WorkClock();
  const turns = new ReadingTurns(clock);
  const done: string[] = [];
  turns.arrived(reader(clock, done, 'a', Array(1000).fill(0.1)));
  const perTurn: number[] = [];
  for (let before = 0; done.length < 1000; before = done.length) {
    clock.turn();
    perTurn.push(done.length - before);
  }
  t.ok(Math.max(...perTurn) <= 26, String(Math.max(...perTurn)));
  t.ok(perTurn.length >= 40);
});

t.test('a router whose frames take long lets others have their goes', async (t) => {
  const clock = new WorkClock();
  const turns = new ReadingTurns(clock);
  const done: string[] = [];
  turns.arrived(reader(clock, done, 'slow', Array(10).fill(20)));
  turns.arrived(reader(clock, done, 'a', Array(100).fill(0.1)));
  turns.arrived(reader(clock, done, 'b', Array(100).fill(0.1)));
  clock.drain();
  t.equal(done.length, 210);
  const beforeThird = done.slice(0, done.indexOf('slow', done.indexOf('slow', 1) + 1));
  t.ok(beforeThird.filter((name) => name === 'a').length >= 90, 'of another router');
});

t.test('other work has turns after a frame that took long', async (t) => {
  const clock = new WorkClock();
  const turns = new ReadingTurns(clock);
  const done: string[] = [];
  turns.arrived(reader(clock, done, 'slow', [20, 20]));
  let empty = 0;
  while (done.length < 2) {
    clock.turn();
    empty += 1;
  }
  t.ok(empty >= 9, `${empty} turns`);
});

t.test('what arrives while others wait, waits behind them', async (t) => {
  const clock = new WorkClock();
  const turns = new ReadingTurns(clock);
  const done: string[] = [];
  const first = reader(clock, done, 'a', Array(100).fill(0.1));
  turns.arrived(first);
  turns.arrived(reader(clock, done, 'b', [0.1]));
  turns.arrived(first);
  clock.drain();
  t.equal(done.length, 101);
  t.ok(done.indexOf('b') <= 15);
});
