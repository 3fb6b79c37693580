// A walk over the records as they were at one moment, whatever is written meanwhile.

import t from 'tap';
import Type from 'typebox';
import type { StoredRecord } from '../../snapshots/journal.ts';
import { field } from '../../src/declare/kinds/field.ts';
import { defineKind } from '../../src/declare/kinds/kind.ts';
import type { RecordBase } from '../../src/store/record.ts';
import { Store } from '../../src/store/store.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { MemoryJournal } from './journal-in-memory.ts';

const kinds = ['apple', 'pear'].map((kind) =>
  defineKind({
    kind,
    version: 1,
    many: [],
    fields: { weight: field(Type.Integer(), { fallback: 0 }) },
  }),
);

const cause = { actor: 'test', requestId: 'r', operation: 'op' };

function makeStore(): Store {
  const clock = new SimulatedClock();
  const tables = kinds.map(({ table }) => table);
  const store = new Store({ clock, tables, freeze: true, cascadeRowsMax: 3, fatal: endProcess });
  store.attach(new MemoryJournal());
  return store;
}

/** One write, some of them taken back. */
interface Step {
  readonly kind: number;
  readonly id: number;
  readonly weight: number | undefined;
  readonly isRefused: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.nat(1),
  id: fc.nat(9),
  weight: fc.option(fc.nat(99), { nil: undefined }),
  isRefused: fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0),
});

function take(store: Store, { kind, id, weight, isRefused }: Step): void {
  const table = store.tableNamed(kinds[kind]?.kind ?? '');
  const base = { id: `id${id}`, createdAt: 1, updatedAt: 1, tags: {} };
  try {
    store.transact(cause, (tx) => {
      if (weight === undefined) tx.delete(table, base.id);
      else tx.put(table, { ...base, weight } as RecordBase);
      if (isRefused) throw new RangeError('refused');
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

const sorted = (records: Iterable<StoredRecord>) =>
  [...records].map((record) => JSON.stringify(record)).sort();

t.test('it holds what was there at the call, each record once', async (t) => {
  const walk = fc.record({
    before: fc.array(step, { maxLength: 30 }),
    // Records read, then steps taken.
    during: fc.array(fc.tuple(fc.nat(4), fc.array(step, { maxLength: 6 })), { maxLength: 12 }),
  });
  fc.assert(
    fc.property(walk, ({ before, during }) => {
      const store = makeStore();
      for (const one of before) take(store, one);
      const expected = sorted(store.records());
      const records = store.records();
      const found: StoredRecord[] = [];
      for (const [count, steps] of during) {
        for (let n = 0; n < count; n++) {
          const next = records.next();
          if (!next.done) found.push(next.value);
        }
        for (const one of steps) take(store, one);
      }
      found.push(...records);
      t.same(sorted(found), expected);
    }),
    { numRuns: 500 },
  );
});

t.test('two walks do not disturb each other, and one that is given up costs nothing', async (t) => {
  const store = makeStore();
  for (let id = 0; id < 5; id++) take(store, { kind: 0, id, weight: id, isRefused: false });
  const expected = sorted(store.records());
  const one = store.records();
  const other = store.records();
  one.next();
  take(store, { kind: 0, id: 3, weight: 50, isRefused: false });
  one.return?.();
  take(store, { kind: 0, id: 4, weight: undefined, isRefused: false });
  t.same(sorted(other), expected);
  t.equal(sorted(store.records()).length, 4);
});
