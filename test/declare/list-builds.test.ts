// Lists that wait for the order of a large table: one build at a time, shared by all who wait.

import t from 'tap';
import { ListBuilds } from '../../src/declare/lists/builds.ts';
import { defaultLimits } from '../../src/settings/limits.ts';
import type { RecordBase } from '../../src/store/record.ts';
import { Table } from '../../src/store/table.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { loneTable } from '../store/lone-table.ts';

const rows = 6000;

function largeTable(kind: string, keyOf = ({ id }: RecordBase): string => id): Table {
  const codec = {
    version: 1,
    oldestWritten: 1,
    encode: () => [],
    decode: (id: string) => ({ id, createdAt: 0, updatedAt: 0, tags: {} }),
    compact: <R>(record: R) => record,
  };
  const orders = [{ name: 'name', key: keyOf }];
  const table = new Table({ kind, codec, unique: [], groups: [], orders }, loneTable());
  for (let n = 0; n < rows; n++) table.load(codec.decode(`${(n * 7919) % rows}`), 1);
  return table;
}

/** A clock on which each look takes a ms, and turns that are counted. */
function slowClock() {
  const clock = new SimulatedClock();
  let looks = 0;
  const turns = { count: 0 };
  const slow = {
    now: () => clock.now(),
    monotonic: () => ++looks,
    after: clock.after.bind(clock),
    soon: (task: () => void) => {
      turns.count++;
      setImmediate(task);
    },
  };
  return { slow, turns };
}

t.test('it is built in slices, once for all who wait', async (t) => {
  const { slow, turns } = slowClock();
  const builds = new ListBuilds(slow, defaultLimits, { orderRowsAtOnceMax: rows - 1 });
  const table = largeTable('one');
  const first = builds.whenOrdered(table, 'name');
  t.ok(first instanceof Promise);
  t.equal(builds.whenOrdered(table, 'name'), first);
  const byId = builds.whenOrdered(table, 'id');
  await first;
  t.ok(table.isOrderKept('name'));
  t.notOk(table.isOrderKept('id'), 'one behind the other');
  t.ok(turns.count > 5);
  t.equal(builds.whenOrdered(table, 'name'), undefined);
  await byId;
  t.ok(table.isOrderKept('id'));
});

t.test('small tables are nothing to wait for', async (t) => {
  const { slow } = slowClock();
  const builds = new ListBuilds(slow, defaultLimits, { orderRowsAtOnceMax: rows });
  t.equal(builds.whenOrdered(largeTable('one'), 'name'), undefined);
});

t.test('searches for matches are shared, bounded, and dropped when nobody waits', async (t) => {
  const { slow } = slowClock();
  let now = 0;
  const clock = { ...slow, monotonic: () => now };
  const builds = new ListBuilds(clock, { handlerTimeoutMs: 100 }, { listFindsWaitingMax: 2 });
  const made: string[] = [];
  const ask = (name: string) =>
    builds.whenFound('caller', name, function* () {
      made.push(name);
      yield;
      now += 150;
    });
  const first = ask('a');
  t.equal(ask('a'), first, 'one for all who wait');
  const second = ask('b');
  const third = ask('c');
  t.throws(() => ask('d'), { code: 'SERVER_TOO_MANY_REQUESTS' });
  t.equal(ask('b'), second, 'who joins is no other');
  await first;
  // Time enough has passed for those who asked for b and c to be told so; one asks for c again.
  t.equal(ask('c'), third);
  await Promise.all([second, third]);
  t.same(made, ['a', 'c']);
  await ask('d');
  t.same(made, ['a', 'c', 'd']);
});

t.test('one caller leaves room for the searches of others', async (t) => {
  const { slow } = slowClock();
  const builds = new ListBuilds(slow, defaultLimits, { listFindsPerCallerMax: 2 });
  const ask = (by: string, name: string) => builds.whenFound(by, name, () => []);
  const looks = [ask('alice', 'a'), ask('alice', 'b')];
  t.throws(() => ask('alice', 'c'), { code: 'SERVER_TOO_MANY_REQUESTS' });
  looks.push(ask('alice', 'b'), ask('robert', 'c'), ask('alice', 'c'));
  t.equal(looks.at(-1), looks.at(-2), 'who joins asks for nothing new');
  await Promise.all(looks);
  looks.push(ask('alice', 'c'), ask('alice', 'd'));
  await Promise.all(looks);
});

t.test('a failed build is reported to its waiters, and delays no other', async (t) => {
  const { slow } = slowClock();
  const builds = new ListBuilds(slow, defaultLimits, { orderRowsAtOnceMax: 1 });
  const bad = largeTable('bad', () => {
    throw new Error('no key');
  });
  const good = largeTable('good');
  const failing = builds.whenOrdered(bad, 'name');
  const other = builds.whenOrdered(good, 'name');
  await t.rejects(Promise.resolve(failing), /no key/);
  await other;
  t.ok(good.isOrderKept('name'));
  await t.rejects(Promise.resolve(builds.whenOrdered(bad, 'name')), /no key/, 'and is tried again');
});

t.test('how many rows there are takes no order', async (t) => {
  const table = largeTable('one');
  t.equal(table.count(), rows);
  t.notOk(table.isOrderKept('id'));
});
