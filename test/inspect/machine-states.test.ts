// States by slot, updated with each commit: the same as a new count of the records.

import { deepEqual, match } from 'node:assert/strict';
import t from 'tap';
import Type from 'typebox';
import { field } from '../../src/declare/kinds/field.ts';
import { defineKind } from '../../src/declare/kinds/kind.ts';
import { MachineStates } from '../../src/inspect/server/machines/machine-states.ts';
import type { RecordBase } from '../../src/store/record.ts';
import { Store } from '../../src/store/store.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { MemoryJournal } from '../store/journal-in-memory.ts';

const lamp = defineKind({
  kind: 'lamp',
  version: 1,
  fields: { state: field(Type.String(), { fallback: 'off' }) },
  many: [],
});

interface Lamp extends RecordBase {
  readonly state: string;
}

const cause = { actor: 'test', requestId: '', operation: 'op' };
const make = (id: string, state: string): Lamp => ({
  id,
  state,
  createdAt: 1,
  updatedAt: 1,
  tags: {},
});

function makeStore(isAttached = true) {
  const store = new Store({
    clock: new SimulatedClock(),
    tables: [lamp.table],
    freeze: true,
    cascadeRowsMax: 3,
    fatal: endProcess,
  });
  const journal = new MemoryJournal();
  if (isAttached) store.attach(journal);
  return { store, journal, table: store.table(lamp) };
}

/** What the records say, and what is kept of them. */
function agree(states: MachineStates, store: Store): void {
  const slots = new Map<string, number[]>(['off', 'on', 'broken', 'unknown'].map((s) => [s, []]));
  const rows = [...store.table(lamp).all()];
  for (const { slot, record } of rows) slots.get(record.state)?.push(slot);
  const counted = [...slots].map(([state, { length }]) => [state, length] as const);
  deepEqual([...states.counts('lamp')].sort(), counted.filter(([, count]) => count > 0).sort());
  for (const [state, known] of slots) {
    known.sort((a, b) => a - b);
    deepEqual(states.count('lamp', state), known.length);
    deepEqual([...states.slots('lamp', state)], known);
    for (const row of rows) deepEqual(states.has('lamp', row, state), known.includes(row.slot));
  }
}

const step = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  state: fc.constantFrom('off', 'on', 'broken', undefined),
});
const transaction = fc.record({
  steps: fc.array(step, { maxLength: 6 }),
  end: fc.constantFrom('commit', 'commit', 'throw', 'refuse'),
});

t.test('after any transactions, those taken back among them', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4 }), fc.array(transaction), (loaded, transactions) => {
      const { store, journal, table } = makeStore();
      const known = new Set<string>();
      for (const { id, state } of loaded) {
        if (state === undefined || known.has(id)) continue;
        known.add(id);
        table.load(make(id, state), 1);
      }
      const states = new MachineStates(store, ['lamp']);
      agree(states, store);
      for (const { steps, end } of transactions) {
        journal.refuses = end === 'refuse';
        try {
          store.transact(cause, (tx) => {
            for (const { id, state } of steps) {
              if (state === undefined) tx.delete(table, id);
              else tx.put(table, make(id, state));
            }
            if (end === 'throw') throw new Error('taken back');
          });
        } catch (error) {
          match(String(error), /taken back|stalled/);
        }
        agree(states, store);
      }
    }),
    { numRuns: 200 },
  );
  t.pass('at every step');
});

t.test('states are noted as a start brings records, before anybody may write', async (t) => {
  const { store, table } = makeStore(false);
  const states = new MachineStates(store, ['lamp']);
  table.load(make('a', 'on'), 1);
  table.load(make('b', 'off'), 1);
  agree(states, store);
  t.equal(states.count('lamp', 'on'), 1);
  store.attach(new MemoryJournal());
  t.throws(() =>
    store.transact(cause, (tx) => {
      tx.put(table, make('a', 'off'));
      throw new Error('taken back');
    }),
  );
  agree(states, store);
  store.transact(cause, (tx) => void tx.put(table, make('a', 'off')));
  agree(states, store);
  t.equal(states.count('lamp', 'on'), 0);
});

t.test('a kind without a machine has no states', async (t) => {
  const { store } = makeStore();
  const states = new MachineStates(store, []);
  store.transact(cause, (tx) => void tx.put(store.table(lamp), make('a', 'on')));
  t.equal(states.counts('lamp').size, 0);
  t.equal(states.count('lamp', 'on'), 0);
  t.same([...states.slots('lamp', 'on')], []);
});

t.test('more states than a byte tells apart are counted together', async (t) => {
  const { store, table } = makeStore();
  const states = new MachineStates(store, ['lamp']);
  store.transact(cause, (tx) => {
    for (let i = 0; i < 300; i++) tx.put(table, make(`lamp ${i}`, `state ${i}`));
  });
  const counts = states.counts('lamp');
  t.equal(counts.size, 255);
  t.equal(counts.get('others'), 46);
  t.equal(counts.get('state 7'), 1);
});
