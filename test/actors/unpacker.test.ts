// What a start left packed is made while the controller serves, a little at a time.

import t from 'tap';
import { Unpacker } from '../../src/actors/unpacker.ts';
import { createLog } from '../../src/observe/logs.ts';
import type { Store } from '../../src/store/store.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { bootNetwork } from '../simulated/network.ts';

/** Tables of so many steps each, in the place of a store's. */
function tablesOf(counts: readonly number[], step: () => void) {
  const left = [...counts];
  const tables = counts.map((_, at) => ({
    kind: `kind${at}`,
    get mayHoldPacked() {
      return (left[at] ?? 0) > 0;
    },
    *makeAll() {
      for (; (left[at] ?? 0) > 0; left[at] = (left[at] ?? 0) - 1) {
        step();
        yield undefined;
      }
    },
  }));
  return { left, tables };
}

/** An unpacker at whose clock each look takes a ms. */
function unpackerOf(counts: readonly number[], step = () => {}) {
  const clock = new SimulatedClock();
  let looks = 0;
  const slow = {
    now: () => clock.now(),
    monotonic: () => ++looks,
    after: clock.after.bind(clock),
    soon: clock.soon.bind(clock),
  };
  const logged: string[] = [];
  const write = (line: string) => void logged.push(line);
  const { log } = createLog({ level: 'warn', clock, readable: false, write });
  const { left, tables } = tablesOf(counts, step);
  const store = { tables: () => tables.values() } as unknown as Store;
  const unpacker = new Unpacker({ store, clock: slow, log, sliceMs: 3, restMs: 10 });
  return { clock, logged, left, unpacker };
}

t.test('in slices, with a rest before each', async (t) => {
  const { clock, left, logged, unpacker } = unpackerOf([5, 0, 2]);
  unpacker.start();
  t.same(left, [5, 0, 2], 'not before it serves');
  const seen: number[][] = [];
  for (let slice = 0; slice < 3; slice++) {
    const before = [...left];
    clock.advance(9);
    t.same(left, before, 'others have their turn');
    clock.advance(1);
    seen.push([...left]);
  }
  t.same(seen, [
    [3, 0, 2],
    [0, 0, 2],
    [0, 0, 0],
  ]);
  clock.advance(10);
  t.equal(clock.timers, 0, 'once');
  t.same(logged, []);
});

t.test('nothing is to be done where nothing is packed', async (t) => {
  const { clock, unpacker } = unpackerOf([0, 0]);
  unpacker.start();
  t.equal(clock.timers, 0);
});

t.test('it leaves the rest when it is stopped', async (t) => {
  const { clock, left, unpacker } = unpackerOf([10]);
  unpacker.start();
  clock.advance(10);
  const before = [...left];
  unpacker.stop();
  t.equal(clock.timers, 0);
  clock.advance(1000);
  t.same(left, before);
});

t.test('a record that cannot be made is told of, and the other kinds go on', async (t) => {
  let steps = 0;
  const { clock, left, logged, unpacker } = unpackerOf([5, 2], () => {
    if (++steps === 2) throw new Error('damaged');
  });
  unpacker.start();
  clock.advance(100);
  t.equal(logged.length, 1);
  t.match(logged, [/damaged.*"kind":"kind0".*cannot be unpacked; run `edge-control check`/]);
  t.same(left, [4, 0]);
  t.equal(clock.timers, 0);
});

t.test('a controller does so after a start', async (t) => {
  const network = await bootNetwork();
  const isPacked = () => [...network.env.store.tables()].some((table) => table.mayHoldPacked);
  t.notOk(isPacked());
  await network.restart();
  t.ok(isPacked());
  await network.advance(network.env.limits.unpackRestMs);
  t.notOk(isPacked());
  await network.stop();
});
