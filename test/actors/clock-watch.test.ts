// A jump of the wall clock is reported once; a drift is not.

import t from 'tap';
import { ClockWatch } from '../../src/actors/clock-watch.ts';
import { createLog } from '../../src/observe/logs.ts';
import { SimulatedClock } from '../simulated/clock.ts';

const minute = 60_000;

function watched() {
  const clock = new SimulatedClock();
  const logged: string[] = [];
  const write = (line: string) => void logged.push(line);
  const { log } = createLog({ level: 'warn', clock, readable: false, write });
  const watch = new ClockWatch(clock, log);
  watch.start();
  return { clock, logged, watch };
}

t.test('forward and back', async (t) => {
  const { clock, logged, watch } = watched();
  clock.jump(5000);
  clock.advance(minute);
  t.match(logged, [/"byMs":5000,.*jumped forward: see to its time service/]);
  clock.advance(10 * minute);
  t.equal(logged.length, 1, 'told once');
  clock.jump(-3_600_000);
  clock.advance(minute);
  t.match(logged[1], /"byMs":-3600000,.*jumped back: see to its time service/);
  watch.stop();
  clock.jump(minute);
  clock.advance(minute);
  t.equal(logged.length, 2, 'no longer watched');
  t.equal(clock.timers, 0);
});

t.test('there and back within a minute', async (t) => {
  const { clock, logged, watch } = watched();
  clock.jump(3_600_000);
  clock.advance(5000);
  clock.jump(-3_600_000);
  clock.advance(minute);
  t.match(logged, [/"byMs":3600000,.*jumped forward/, /"byMs":-3600000,.*jumped back/]);
  t.match(watch.jumps, { forward: 1, back: 1 });
});

t.test('a clock that is corrected gradually', async (t) => {
  const { clock, logged } = watched();
  for (let n = 0; n < 100; n++) {
    clock.jump(4999);
    clock.advance(minute);
  }
  t.same(logged, []);
});
