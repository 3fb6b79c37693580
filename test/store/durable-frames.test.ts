// The port by which waiters learn that a frame is durable.

import t from 'tap';
import { DurableFrames } from '../../src/store/durable-frames.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { MemoryJournal } from './journal-in-memory.ts';

function opened() {
  const journal = new MemoryJournal();
  const clock = new SimulatedClock();
  const told: string[] = [];
  const durable = new DurableFrames({ journal, clock, lateMs: 1000 });
  const wait = (lsn: number, name: string) =>
    durable.when(
      lsn,
      () => told.push(name),
      () => told.push(`${name} late`),
    );
  return { journal, clock, durable, told, wait };
}

t.test('waiters are called by ascending LSN, those of one LSN in their order', async (t) => {
  const calls = fc.array(fc.record({ lsn: fc.integer({ min: 0, max: 9 }), synced: fc.boolean() }), {
    maxLength: 40,
  });
  const inOrder = fc.property(calls, (calls) => {
    const { journal, durable } = opened();
    const told: (readonly [lsn: number, at: number])[] = [];
    for (const [at, { lsn, synced }] of calls.entries()) {
      const isDurable = lsn <= journal.durableLsn;
      durable.when(lsn, () => told.push([lsn, at]));
      if (isDurable !== told.some(([, other]) => other === at)) return false;
      if (!synced) continue;
      const from = told.length;
      journal.sync(journal.durableLsn + 1);
      const fresh = told.slice(from);
      const sorted = [...fresh].sort(([a, m], [b, n]) => a - b || m - n);
      if (fresh.some((entry, place) => entry !== sorted[place])) return false;
    }
    journal.sync(10);
    return told.length === calls.length && durable.size === 0;
  });
  t.doesNotThrow(() => fc.assert(inOrder));
});

t.test('a frame that is durable is told at once, and nothing is left to cancel', async (t) => {
  const { journal, told, wait, durable } = opened();
  journal.sync(3);
  t.equal(durable.lsn, 3);
  t.equal(wait(3, 'three'), undefined);
  t.strictSame(told, ['three']);
});

t.test('what a waiter asks for while others are told keeps its place', async (t) => {
  const { journal, told, durable } = opened();
  durable.when(1, () => {
    told.push('one');
    durable.when(2, () => told.push('two, asked for meanwhile'));
    durable.when(3, () => told.push('three'));
  });
  durable.when(2, () => told.push('two'));
  journal.sync(2);
  t.strictSame(told, ['one', 'two', 'two, asked for meanwhile']);
  journal.sync(3);
  t.strictSame(told.at(-1), 'three');
});

t.test('a waiter that throws costs the others nothing', async (t) => {
  const { journal, told, wait, durable } = opened();
  durable.when(1, () => {
    throw new Error('broken');
  });
  wait(1, 'one');
  t.throws(() => journal.sync(1), /broken/);
  journal.sync(1);
  t.strictSame(told, ['one']);
});

t.test('who gives up is told so, once; others wait as long as it takes', async (t) => {
  const { journal, clock, told, wait, durable } = opened();
  wait(1, 'first');
  durable.when(1, () => told.push('patient'));
  clock.advance(600);
  wait(1, 'second');
  clock.advance(500);
  t.strictSame(told, ['first late']);
  t.equal(durable.size, 2);
  journal.sync(1);
  t.strictSame(told, ['first late', 'patient', 'second']);
  clock.advance(5000);
  t.equal(told.length, 3);
});

t.test('a waiter that is cancelled hears nothing', async (t) => {
  const { journal, clock, told, wait, durable } = opened();
  const one = wait(1, 'one');
  wait(1, 'another');
  if (one !== undefined) durable.cancel(one);
  t.equal(durable.size, 1);
  journal.sync(1);
  clock.advance(5000);
  t.strictSame(told, ['another']);
});
