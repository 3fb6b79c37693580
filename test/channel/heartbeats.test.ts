// The wheel on which the channels of all routers beat.

import t from 'tap';
import { Heartbeats } from '../../src/channel/heartbeats.ts';
import { SimulatedClock } from '../simulated/clock.ts';

t.test('members beat when they asked to, and leave the wheel', async (t) => {
  const clock = new SimulatedClock();
  const wheel = new Heartbeats(clock);
  const beats: string[] = [];
  const member = (name: string, ...next: number[]) => ({
    beat: () => {
      beats.push(`${name}${wheel.tick}`);
      return next.shift() ?? 0;
    },
  });
  wheel.add(member('a', 3, 10, 1));
  wheel.add(member('b'));
  clock.advance(1000);
  t.strictSame(beats, ['a1', 'b1']);
  clock.advance(20_000);
  t.strictSame(beats, ['a1', 'b1', 'a4', 'a14', 'a15']);
  t.equal(clock.timers, 0, 'nothing is timed without members');
  wheel.add(member('c'));
  clock.advance(1000);
  t.equal(beats.at(-1)?.[0], 'c');
});

t.test('many members that are due together beat in several turns', async (t) => {
  const clock = new SimulatedClock();
  const perTurn: number[] = [];
  let beats = 0;
  const wheel = new Heartbeats(clock, () => {
    perTurn.length = 0;
  });
  for (let number = 0; number < 1000; number++) {
    wheel.add({
      beat: () => {
        beats += 1;
        return 1;
      },
    });
  }
  clock.soon = new Proxy(clock.soon, {
    apply: (soon, clock, tasks) => {
      perTurn.push(beats);
      return Reflect.apply(soon, clock, tasks);
    },
  });
  clock.advance(1000);
  t.strictSame(perTurn, [256, 512, 768]);
  t.equal(beats, 1000);
  clock.advance(5000);
  t.equal(beats, 6000, 'none is lost or beats twice');
});
