// Frames of another node, applied to a store: the same rows as after recovery, or a refusal.

import t from 'tap';
import Type from 'typebox';
import type { Frame } from '../../snapshots/journal.ts';
import { field } from '../../src/declare/kinds/field.ts';
import { defineKind } from '../../src/declare/kinds/kind.ts';
import { FrameDoesNotFit } from '../../src/store/applied-frame.ts';
import { NewerRecord, type RecordBase } from '../../src/store/record.ts';
import { Store } from '../../src/store/store.ts';
import type { ChangeSet } from '../../src/store/transaction.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { MemoryJournal } from './journal-in-memory.ts';

const fruit = defineKind({
  kind: 'fruit',
  version: 2,
  many: [],
  fields: {
    name: field(Type.String(), { fallback: '', unique: true }),
    weight: field(Type.Integer(), { fallback: 0 }),
  },
});

const cause = { actor: 'test', requestId: 'r', operation: 'op' };

function makeStore(): Store {
  const clock = new SimulatedClock();
  const tables = [fruit.table];
  return new Store({ clock, tables, freeze: true, cascadeRowsMax: 3, fatal: endProcess });
}

function leader(): { readonly store: Store; readonly journal: MemoryJournal } {
  const store = makeStore();
  const journal = new MemoryJournal();
  store.attach(journal);
  return { store, journal };
}

function follower(lsn = 0): Store {
  const store = makeStore();
  store.beginApplying(lsn);
  return store;
}

const framesOf = ({ frames }: MemoryJournal): Frame[] =>
  frames.map((frame, at) => ({ ...frame, lsn: at + 1 }));

const recordsOf = (store: Store) => [...store.records()].map((one) => JSON.stringify(one)).sort();

interface Write {
  readonly id: number;
  /** Undefined deletes. */
  readonly name: number | undefined;
  readonly weight: number;
}

const write: fc.Arbitrary<Write> = fc.record({
  id: fc.nat(5),
  name: fc.option(fc.nat(7), { nil: undefined }),
  weight: fc.nat(9),
});
const transactions = fc.array(fc.array(write, { minLength: 1, maxLength: 5 }), { maxLength: 25 });

function take(store: Store, writes: readonly Write[]): void {
  const table = store.tableNamed('fruit');
  try {
    store.transact(cause, (tx) => {
      for (const { id, name, weight } of writes) {
        const base = { id: `id${id}`, createdAt: 1, updatedAt: 1, tags: {} };
        if (name === undefined) tx.delete(table, base.id);
        else tx.put(table, { ...base, name: `name${name}`, weight } as RecordBase);
      }
    });
  } catch {
    // The name is taken; nothing was written.
  }
}

t.test('all frames of a leader give its records, LSNs, keys and change sets', async () => {
  fc.assert(
    fc.property(transactions, (all) => {
      const { store, journal } = leader();
      const told: ChangeSet[] = [];
      store.follow((set) => told.push(set));
      for (const writes of all) take(store, writes);
      const copy = follower();
      const seen: ChangeSet[] = [];
      copy.follow((set) => seen.push(set));
      for (const frame of framesOf(journal)) copy.apply(frame);
      const textOf = (sets: readonly ChangeSet[]) =>
        JSON.stringify(
          sets.map(({ lsn, timeMs, cause: why, events, changes }) => [
            lsn,
            timeMs,
            why.actor,
            why.requestId,
            why.operation,
            events,
            changes.map(({ table, row, before, after }) => [table.kind, row.id, before, after]),
          ]),
        );
      const table = (of: Store) => of.table(fruit);
      const isSame =
        JSON.stringify(recordsOf(copy)) === JSON.stringify(recordsOf(store)) &&
        textOf(seen) === textOf(told) &&
        table(copy).lastLsn === table(store).lastLsn &&
        [0, 1, 2, 3, 4, 5, 6, 7].every(
          (name) =>
            table(copy).findBy('name', `name${name}`)?.id ===
            table(store).findBy('name', `name${name}`)?.id,
        );
      return isSame;
    }),
  );
});

t.test('a frame that is missing, twice or out of turn is refused', async () => {
  fc.assert(
    fc.property(transactions, fc.nat(), fc.integer({ min: -3, max: 3 }), (all, pick, shift) => {
      const { store, journal } = leader();
      for (const writes of all) take(store, writes);
      const frames = framesOf(journal);
      const at = frames.length === 0 ? 0 : pick % frames.length;
      const wrong = frames[at + shift];
      if (wrong === undefined || shift === 0) return true;
      const copy = follower();
      for (const frame of frames.slice(0, at)) copy.apply(frame);
      const before = recordsOf(copy);
      try {
        copy.apply(wrong);
        return false;
      } catch (error) {
        const isWhole = JSON.stringify(recordsOf(copy)) === JSON.stringify(before);
        return error instanceof FrameDoesNotFit && isWhole;
      }
    }),
  );
});

t.test('a change of a record that is of another frame is refused', async (t) => {
  const { store, journal } = leader();
  take(store, [{ id: 1, name: 1, weight: 1 }]);
  take(store, [{ id: 1, name: 1, weight: 2 }]);
  const [first, second] = framesOf(journal);
  if (first === undefined || second === undefined) throw new Error('no frames');
  const [change] = second.changes;
  if (change === undefined) throw new Error('no change');
  const changed = (more: object): Frame => ({ ...second, changes: [{ ...change, ...more }] });
  const refused: [Frame, new (...args: never[]) => Error][] = [
    [changed({ previousLsn: 7 }), FrameDoesNotFit],
    [changed({ id: 'other' }), FrameDoesNotFit],
    [changed({ id: 'other', previousLsn: 0, values: null }), FrameDoesNotFit],
    [changed({ kind: 'vegetable' }), NewerRecord],
    [changed({ version: 3 }), NewerRecord],
  ];
  for (const [frame, type] of refused) {
    const copy = follower();
    copy.apply(first);
    t.throws(() => copy.apply(frame), type);
  }
  t.throws(() => makeStore().apply(first), /does not follow/);
});

t.test('two rows may swap a key within one frame', async (t) => {
  const copy = follower();
  const { store, journal } = leader();
  take(store, [
    { id: 1, name: 1, weight: 0 },
    { id: 2, name: 2, weight: 0 },
  ]);
  const [first] = framesOf(journal);
  if (first === undefined) throw new Error('no frame');
  copy.apply(first);
  const swapped = first.changes.map((change, at) => ({
    ...change,
    previousLsn: 1,
    values: first.changes[1 - at]?.values ?? null,
  }));
  copy.apply({ ...first, lsn: 2, changes: swapped });
  const table = copy.table(fruit);
  t.equal(table.findBy('name', 'name1')?.id, 'id2');
  t.equal(table.findBy('name', 'name2')?.id, 'id1');
});

t.test('after the last frame it writes on its own, and applies no more', async (t) => {
  const { store, journal } = leader();
  take(store, [{ id: 1, name: 1, weight: 1 }]);
  const copy = follower();
  for (const frame of framesOf(journal)) copy.apply(frame);
  t.equal(copy.appliedLsn, 1);
  const next = new MemoryJournal();
  next.frames.push(...journal.frames);
  copy.attach(next);
  take(copy, [{ id: 1, name: 3, weight: 1 }]);
  t.equal(next.frames.at(-1)?.changes[0]?.previousLsn, 1);
  t.throws(() => copy.apply({ ...framesOf(journal)[0], lsn: 2 } as Frame), /does not follow/);
});
