// The heap of deadlines: compared with a sorted list, with clocks that jump, in slices, and with
// failing callbacks.

import t from 'tap';
import { Deadlines, type DeadlinesOptions } from '../../src/actors/deadlines.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';

const hour = 3_600_000;

function setUp(more: Partial<DeadlinesOptions> = {}) {
  const clock = new SimulatedClock(0);
  const handed: string[] = [];
  const errors: string[] = [];
  const deadlines = new Deadlines({
    clock,
    due: (kind, id, at) => {
      handed.push(`${kind}/${id}@${at}`);
      return 'done';
    },
    failed: (error, kind, id) => errors.push(`${kind}/${id}: ${error}`),
    sliceEntriesMax: 500,
    armAheadMsMax: hour,
    ...more,
  });
  return { clock, deadlines, handed, errors };
}

t.test('hands out in time, each once, and only between start and stop', async (t) => {
  const { clock, deadlines, handed } = setUp();
  deadlines.set('session', 'a', 30);
  deadlines.set('session', 'b', 10);
  deadlines.set('identity', 'a', 20);
  clock.advance(15);
  t.same(handed, [], 'not started');
  deadlines.start();
  clock.advance(0);
  t.same(handed, ['session/b@10']);
  clock.advance(10);
  t.same(handed, ['session/b@10', 'identity/a@20']);
  deadlines.stop();
  t.equal(clock.timers, 0);
  clock.advance(100);
  t.equal(handed.length, 2);
  deadlines.start();
  clock.advance(0);
  t.same(handed.at(-1), 'session/a@30');
  t.equal(deadlines.size, 0);
  t.equal(clock.timers, 0);
});

t.test('set replaces, clear takes back', async (t) => {
  const { clock, deadlines, handed } = setUp();
  deadlines.start();
  deadlines.set('s', 'a', 10);
  deadlines.set('s', 'a', 50);
  deadlines.set('s', 'b', 60);
  deadlines.set('s', 'b', 20);
  deadlines.set('s', 'c', 30);
  deadlines.clear('s', 'c');
  deadlines.clear('s', 'c');
  deadlines.clear('other', 'c');
  t.equal(deadlines.size, 2);
  t.equal(deadlines.next, 20);
  clock.advance(100);
  t.same(handed, ['s/b@20', 's/a@50']);
});

t.test(
  'a callback re-arms, and a time that is not ahead waits for the next millisecond',
  async (t) => {
    const answers: (number | 'done')[] = [25, 0, 'done'];
    const times: number[] = [];
    const { clock, deadlines } = setUp({
      due: (_kind, _id, _at, now) => {
        times.push(now);
        return answers.shift() ?? 'done';
      },
    });
    deadlines.start();
    deadlines.set('s', 'a', 10);
    clock.advance(100);
    t.same(times, [10, 25, 26]);
    t.equal(deadlines.size, 0);
  },
);

t.test('a callback may set and clear, its own deadline too', async (t) => {
  const handed: string[] = [];
  const { clock, deadlines } = setUp({
    due: (kind, id, at, now) => {
      handed.push(`${id}@${at}`);
      if (handed.length === 1) {
        deadlines.set(kind, 'a', now + 5);
        deadlines.clear(kind, 'b');
      }
      return 'done';
    },
  });
  deadlines.start();
  deadlines.set('s', 'a', 10);
  deadlines.set('s', 'b', 10);
  clock.advance(100);
  t.equal(handed.length, 2);
  t.equal(handed[1], 'a@15');
  t.equal(deadlines.size, 0);
});

t.test('a callback that throws is retried, the others continue', async (t) => {
  let broken = true;
  const handed: string[] = [];
  const { clock, deadlines, errors } = setUp({
    due: (_kind, id) => {
      if (id === 'a' && broken) throw new Error('disk full');
      handed.push(id);
      return 'done';
    },
  });
  deadlines.start();
  deadlines.set('s', 'a', 10);
  deadlines.set('s', 'b', 11);
  clock.advance(500);
  t.same(errors, ['s/a: Error: disk full']);
  t.same(handed, ['b']);
  broken = false;
  clock.advance(1000);
  t.same(handed, ['b', 'a']);
});

t.test('never more than sliceEntriesMax per turn', async (t) => {
  const { clock, deadlines, handed } = setUp({ sliceEntriesMax: 3 });
  deadlines.rebuild(Array.from({ length: 8 }, (_, i) => ({ kind: 's', id: `${i}`, at: i })));
  clock.jump(1000);
  deadlines.start();
  const turns: number[] = [];
  for (let before = 0; clock.turn() > 0; before = handed.length) turns.push(handed.length - before);
  t.same(turns, [3, 3, 2]);
  t.equal(clock.timers, 0);
});

t.test('never armed more than armAheadMsMax ahead', async (t) => {
  const { clock, deadlines, handed } = setUp();
  deadlines.start();
  deadlines.set('s', 'a', 5 * hour);
  t.equal(clock.nextTimerMs, hour);
  clock.advance(5 * hour - 1);
  t.same(handed, []);
  clock.advance(1);
  t.same(handed, [`s/a@${5 * hour}`]);
});

t.test('a wall clock that jumps forward is noticed within armAheadMsMax', async (t) => {
  const { clock, deadlines, handed } = setUp();
  deadlines.start();
  deadlines.set('s', 'a', 24 * hour);
  clock.jump(48 * hour);
  clock.advance(hour);
  t.same(handed, [`s/a@${24 * hour}`]);
});

t.test('after a backward jump of the wall clock nothing is handed out early', async (t) => {
  const { clock, deadlines, handed } = setUp();
  deadlines.start();
  deadlines.set('s', 'a', hour);
  clock.jump(-2 * hour);
  clock.advance(2 * hour);
  t.same(handed, []);
  deadlines.set('s', 'b', 10);
  clock.advance(10);
  t.same(handed, ['s/b@10']);
  clock.advance(hour);
  t.same(handed, ['s/b@10', `s/a@${hour}`]);
});

t.test('one timer at a time, whatever is set', async (t) => {
  const { clock, deadlines } = setUp();
  deadlines.start();
  for (let i = 0; i < 100; i++) deadlines.set('s', `${i % 20}`, 1000 - i);
  t.equal(clock.timers, 1);
  t.equal(clock.nextTimerMs, 901);
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('set'), id: fc.nat(30), at: fc.nat(200) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('clear'), id: fc.nat(30), at: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('advance'), id: fc.nat(1), at: fc.nat(40) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('jump'),
      id: fc.nat(1),
      at: fc.integer({ min: -50, max: 50 }),
    }),
  },
);

t.test('behaves like a sorted list', async () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const { clock, deadlines, handed } = setUp({ sliceEntriesMax: 4, armAheadMsMax: 25 });
      const list = new Map<string, number>();
      deadlines.start();
      for (const { do: what, id, at } of steps) {
        const name = `${id % 2 === 0 ? 'even' : 'odd'}/${id}`;
        const [kind] = name.split('/') as [string];
        if (what === 'set') {
          deadlines.set(kind, `${id}`, at);
          list.set(name, at);
        } else if (what === 'clear') {
          deadlines.clear(kind, `${id}`);
          list.delete(name);
        } else if (what === 'jump') clock.jump(at);
        else clock.advance(at);
        for (const entry of handed.splice(0)) {
          const [name, time] = entry.split('@') as [string, string];
          if (list.get(name) !== Number(time)) throw new Error(`${entry} was not set`);
          if (Number(time) > clock.now()) throw new Error(`${entry} came early`);
          list.delete(name);
        }
        if (deadlines.size !== list.size) throw new Error(`${deadlines.size} for ${list.size}`);
        const first = list.size === 0 ? undefined : Math.min(...list.values());
        if (deadlines.next !== first) throw new Error(`next ${deadlines.next}, not ${first}`);
      }
      clock.advance(25);
      clock.advance(1000);
      if (deadlines.size > 0) throw new Error(`${deadlines.size} left`);
      const rest = handed.map((entry) => entry.split('@') as [string, string]);
      const expected = [...list].map(([name, time]) => `${name}@${time}`).sort();
      if (
        rest
          .map((pair) => pair.join('@'))
          .sort()
          .join() !== expected.join()
      ) {
        throw new Error(`${rest} for ${expected}`);
      }
    }),
    { numRuns: 300 },
  );
});

t.test('what is due together comes in order of time', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { maxLength: 300 }), (times) => {
      const { clock, deadlines, handed } = setUp();
      deadlines.rebuild(times.map((at, i) => ({ kind: 's', id: `${i}`, at })));
      clock.jump(2000);
      deadlines.start();
      clock.advance(0);
      const came = handed.map((entry) => Number(entry.split('@')[1]));
      const sorted = [...times].sort((a, b) => a - b);
      return came.join() === sorted.join();
    }),
    { numRuns: 100 },
  );
  t.pass();
});
