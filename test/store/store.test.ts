// The store: transactions are whole or nothing, indexes agree with records, the fence sees what was
// read.

import t from 'tap';
import Type from 'typebox';
import { field, name, optionalReference, roles } from '../../src/declare/kinds/field.ts';
import { defineKind } from '../../src/declare/kinds/kind.ts';
import { compareValues } from '../../src/filter/order.ts';
import type { RecordBase } from '../../src/store/record.ts';
import { Store } from '../../src/store/store.ts';
import { DuplicateKey, TableFull } from '../../src/store/table.ts';
import type { Transaction } from '../../src/store/transaction.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess, ProcessEnded } from '../simulated/fatal.ts';
import { MemoryJournal } from './journal-in-memory.ts';

const box = defineKind({
  kind: 'box',
  version: 1,
  fields: {
    name: name(),
    shelfId: optionalReference('shelf', { inverse: 'boxes', onDelete: 'cascade' }),
    labels: roles('shelf', { inverse: 'labelled' }),
    weight: field(Type.Integer(), { fallback: 0 }),
  },
  many: [],
});

function fail(what: string): never {
  throw new Error(`${what} failed`);
}

const cause = { actor: 'test', requestId: 'r', operation: 'op' };

function makeStore() {
  const clock = new SimulatedClock();
  const journal = new MemoryJournal();
  const store = new Store({
    clock,
    tables: [box.table],
    freeze: true,
    cascadeRowsMax: 3,
    fatal: endProcess,
  });
  store.attach(journal);
  return { clock, journal, store, table: store.tableNamed(box.kind) };
}

interface Box extends RecordBase {
  readonly name: string;
  readonly shelfId?: string | undefined;
  readonly labels: readonly string[];
  readonly weight: number;
}

const make = (id: string, extra: Partial<Box> = {}): Box => ({
  id,
  createdAt: 1,
  updatedAt: 1,
  tags: {},
  name: id,
  labels: [],
  weight: 0,
  ...extra,
});

t.test('one frame per transaction, with each record once', async (t) => {
  const { store, journal, table } = makeStore();
  store.transact(cause, (tx) => {
    tx.put(table, make('a'));
    tx.put(table, make('a', { weight: 2 }));
    tx.put(table, make('b'));
    tx.delete(table, 'b');
  });
  t.equal(journal.frames.length, 1);
  const [frame] = journal.frames;
  t.match(frame, { actor: 'test', requestId: 'r', operation: 'op', causeLsn: 0 });
  t.same(
    frame?.changes.map(({ kind, id, previousLsn, values }) => [kind, id, previousLsn, values?.[7]]),
    [['box', 'a', 0, 2]],
  );
  t.equal(table.peek('a')?.lsn, 1);
  t.equal(table.peek('b'), undefined);
  store.transact(cause, (tx) => tx.put(table, make('a', { weight: 3 })));
  t.equal(journal.frames[1]?.changes[0]?.previousLsn, 1, 'the history of a record is a chain');
});

t.test('a table keeps a copy of what is written, and one of what many records hold', async (t) => {
  const { store, table } = makeStore();
  const given = make('a', { labels: ['one', 'two'] });
  const [first, second] = store.transact(cause, (tx) => [
    tx.put(table, given).record as Box,
    tx.put(table, make('b', { labels: ['one', 'two'] })).record as Box,
  ]);
  Object.assign(given, { name: 'other' });
  t.match(table.peek('a')?.record, { name: 'a' });
  t.ok(Object.isFrozen(first) && Object.isFrozen(first.labels));
  t.equal(first.labels, second.labels);
  t.equal(first.tags, second.tags);
});

t.test('nothing written, nothing logged', async (t) => {
  const { store, journal } = makeStore();
  t.equal(
    store.transact(cause, () => 7),
    7,
  );
  t.equal(journal.frames.length, 0);
});

t.test('what a transaction has taken out is met by nobody, though it has its slot', async (t) => {
  const { store, table } = makeStore();
  const met = () => {
    const each: string[] = [];
    table.each(({ record }) => each.push(record.id));
    t.same([...table.all()].map(({ record }) => record.id).sort(), each.sort());
    return each.join(' ');
  };
  store.transact(cause, (tx) => {
    for (const id of ['a', 'b', 'c']) tx.put(table, make(id));
    t.equal(met(), 'a b c');
  });
  store.transact(cause, (tx) => {
    tx.delete(table, 'b');
    t.equal(met(), 'a c');
    tx.put(table, make('b', { weight: 1 }));
    t.equal(met(), 'a b c');
    tx.delete(table, 'a');
    t.equal(met(), 'b c');
  });
  t.equal(met(), 'b c');
  t.throws(() =>
    store.transact(cause, (tx) => {
      for (const id of ['b', 'c']) tx.delete(table, id);
      tx.put(table, make('d'));
      t.equal(met(), 'd');
      throw new Error('no');
    }),
  );
  t.equal(met(), 'b c');
});

t.test('a refusal of the journal undoes the transaction', async (t) => {
  const { store, journal, table } = makeStore();
  journal.refuses = true;
  t.throws(() => store.transact(cause, (tx) => tx.put(table, make('a'))), /stalled/);
  t.equal(table.size, 0);
  journal.refuses = false;
  store.transact(cause, (tx) => tx.put(table, make('a')));
  t.equal(table.findBy('name', 'a')?.record.id, 'a');
});

t.test('what stands outside follows the commit, once and only then', async (t) => {
  const { store, journal, table } = makeStore();
  const done: string[] = [];
  store.follow(({ lsn }) => done.push(`commit ${lsn}`));
  store.transact(cause, (tx) => {
    tx.afterCommit(() => done.push('first'));
    tx.put(table, make('a'));
    tx.afterCommit(() => done.push('second'));
    t.same(done, []);
  });
  t.same(done.splice(0), ['commit 1', 'first', 'second']);
  const twice = () =>
    store.transact(cause, (tx) => {
      tx.afterCommit(() => done.push('never'));
      tx.put(table, make('b', { name: 'a' }));
    });
  t.throws(twice, DuplicateKey);
  journal.refuses = true;
  const refused = () =>
    store.transact(cause, (tx) => {
      tx.afterCommit(() => done.push('never'));
      tx.put(table, make('c'));
    });
  t.throws(refused, /stalled/);
  t.same(done, [], 'what was taken back had no effect');
  store.transact(cause, (tx) => tx.afterCommit(() => done.push('nothing written')));
  t.same(done, ['nothing written']);
});

t.test('what throws behind the append ends the process, and undoes nothing', async (t) => {
  const faults: Readonly<Record<string, (made: ReturnType<typeof makeStore>) => void>> = {
    follower: ({ store }) => store.follow(() => fail('follower')),
    effect: ({ store }) =>
      void store.beforeCommit({
        begin: () => undefined,
        write: (tx) => tx.afterCommit(() => fail('effect')),
      }),
    'a follower that writes': ({ store, table }) =>
      store.follow(() => store.transact(cause, (tx) => tx.put(table, make('z')))),
  };
  for (const [name, fault] of Object.entries(faults)) {
    const made = makeStore();
    const { store, journal, table } = made;
    fault(made);
    const write = (id: string) => store.transact(cause, (tx) => tx.put(table, make(id)));
    t.throws(() => write('a'), ProcessEnded, name);
    t.equal(journal.frames.length, 1, 'its frame is in the log');
    t.ok(table.peek('a'), 'and its record in memory');
    t.throws(() => write('b'), /not in step with the log/);
    t.equal(journal.frames.length, 1, 'no other frame follows');
  }
});

t.test('an observer that cannot undo ends the process with nothing in the log', async (t) => {
  const { store, journal, table } = makeStore();
  table.observe((_, before) => {
    if (before !== undefined) fail('undo');
  });
  t.throws(
    () =>
      store.transact(cause, (tx) => {
        tx.put(table, make('a'));
        throw new Error('refused');
      }),
    ProcessEnded,
  );
  t.equal(journal.frames.length, 0);
});

t.test('a kind has at most recordsMax records', async (t) => {
  const journal = new MemoryJournal();
  const store = new Store({
    clock: new SimulatedClock(),
    tables: [box.table],
    freeze: true,
    cascadeRowsMax: 3,
    fatal: endProcess,
    recordsMax: new Map([['box', 2]]),
  });
  const table = store.tableNamed(box.kind);
  for (const id of ['a', 'b', 'c']) table.load(make(id), 1);
  store.attach(journal);
  t.ok(table.isFull, 'a home may hold more');
  const put = (id: string) => store.transact(cause, (tx) => tx.put(table, make(id)));
  t.throws(() => put('d'), TableFull);
  t.equal(journal.frames.length, 0);
  put('a');
  store.transact(cause, (tx) => {
    for (const id of ['a', 'b']) tx.delete(table, id);
  });
  put('d');
  t.throws(() => put('e'), TableFull);
});

t.test('a duplicate key is refused before anything changes', async (t) => {
  const { store, table } = makeStore();
  store.transact(cause, (tx) => tx.put(table, make('a')));
  t.throws(
    () => store.transact(cause, (tx) => tx.put(table, make('b', { name: 'a' }))),
    new DuplicateKey('box', 'name', 'a'),
  );
  t.equal(table.peek('b'), undefined);
});

t.test('records are frozen to the bottom', async (t) => {
  const { store, table } = makeStore();
  store.transact(cause, (tx) => tx.put(table, make('a', { labels: ['#x'] })));
  const record = table.peek('a')?.record as unknown as { labels: string[] };
  t.throws(() => record.labels.push('y'), TypeError);
});

t.test('the fence notes the row, the table on a miss and on a scan', async (t) => {
  const { store, table } = makeStore();
  store.transact(cause, (tx) => tx.put(table, make('a')));
  store.transact(cause, (tx) => tx.put(table, make('b')));
  store.fence.begin();
  table.find('a');
  t.equal(store.fence.lsn, 1);
  store.fence.begin();
  table.find('c');
  t.equal(store.fence.lsn, 2);
  store.fence.begin();
  table.page(0, 1);
  t.equal(store.fence.lsn, 2);
});

t.test('a row that is passed over rests on the frame that takes it away', async (t) => {
  const { store, table, clock } = makeStore();
  store.deferredCascades.register('empty', {
    takes: () => [box.kind],
    slice(tx) {
      tx.delete(table, 'a');
      return 'done';
    },
  });
  store.transact(cause, (tx) => tx.put(table, make('a')));
  table.isLive = () => false;
  let closed = 0;
  store.deferredCascades.onceGrantsMayGo(() => closed++);
  t.equal(closed, 1, 'at once where nothing is open');
  closed = 0;
  store.transact(cause, (tx) => store.deferredCascades.note(tx, 'n', 'empty', []));
  const deciding = store.fence.lsn;
  for (const read of [() => table.find('a'), () => [...table.rows()], () => table.count()]) {
    store.fence.begin();
    read();
    t.equal(store.fence.lsn, deciding);
  }
  store.deferredCascades.onceGrantsMayGo(() => closed++);
  const callOff = store.deferredCascades.onceGrantsMayGo(() => (closed += 10));
  t.equal(store.deferredCascades.waiting, 2);
  callOff();
  t.equal(store.deferredCascades.waiting, 1);
  t.equal(closed, 0);
  clock.drain();
  t.equal(closed, 1, 'told once it is through');
  t.equal(store.deferredCascades.waiting, 0);
  t.equal(table.size, 0);
});

t.test('cascades are carried out in the order they came, new ones last', async (t) => {
  const { store, clock } = makeStore();
  const { deferredCascades } = store;
  const done: string[] = [];
  let noted = 0;
  deferredCascades.register('count', {
    takes: () => [],
    slice(tx, [name = '']) {
      done.push(name);
      // Whoever ends is followed by another, which comes into its slot.
      if (noted < 5) deferredCascades.note(tx, `new${noted}`, 'count', [`new${noted++}`]);
      return 'done';
    },
  });
  store.transact(cause, (tx) => {
    for (const name of ['first', 'second', 'third'])
      deferredCascades.note(tx, name, 'count', [name]);
  });
  clock.drain();
  t.same(done, ['first', 'second', 'third', 'new0', 'new1', 'new2', 'new3', 'new4']);
});

t.test('operations that grant wait for what a grant could bring back, and that goes first', (t) => {
  const { store, clock } = makeStore();
  const { deferredCascades } = store;
  const done: string[] = [];
  const work = (isFinal: boolean) => ({
    takes: () => [],
    isFinal,
    slice(_: Transaction, [name = '']: readonly string[]) {
      done.push(name);
      return done.filter((other) => other === name).length < 2 ? ('more' as const) : 'done';
    },
  });
  deferredCascades.register('final', work(true));
  deferredCascades.register('reversible', work(false));
  const note = (name: string, of: string) => {
    store.transact(cause, (tx) => deferredCascades.note(tx, name, of, [name]));
  };
  note('cascade', 'final');
  let granted = 0;
  deferredCascades.onceGrantsMayGo(() => granted++);
  t.equal(granted, 1, 'at once, although a cascade is open');
  t.equal(deferredCascades.isOpen, true);
  note('sessions', 'reversible');
  deferredCascades.onceGrantsMayGo(() => granted++);
  t.equal(granted, 1);
  clock.turn();
  clock.turn();
  t.same(done, ['sessions', 'sessions'], 'the cascade, though older, lets it pass');
  t.equal(granted, 2);
  clock.drain();
  t.same(done.slice(2), ['cascade', 'cascade']);
  t.equal(deferredCascades.isOpen, false);
  t.end();
});

t.test('a key that is taken makes nobody carry out cascades, one on its way out does', (t) => {
  const { store, clock, table } = makeStore();
  const { deferredCascades } = store;
  const done: string[] = [];
  deferredCascades.register('take', {
    takes: ([kind = '']) => [kind],
    slice(tx, [kind = '', id = '']) {
      done.push(kind);
      tx.delete(store.tableNamed(kind), id);
      return 'done';
    },
  });
  store.transact(cause, (tx) => {
    for (const id of ['a', 'b']) tx.put(table, make(id));
    deferredCascades.note(tx, 'other', 'take', ['followUp', 'none']);
    deferredCascades.note(tx, 'box', 'take', [box.kind, 'b']);
  });
  table.isLive = ({ id }) => id !== 'b';
  const again = (name: string) => store.transact(cause, (tx) => tx.put(table, make('c', { name })));
  t.throws(() => again('a'), DuplicateKey);
  t.same(done, []);
  again('b');
  t.same(done, [box.kind], 'only what takes rows of this kind');
  clock.drain();
  t.end();
});

t.test('only the kinds that an open consequence affects are checked for it', async (t) => {
  const { store, clock } = makeStore();
  const { deferredCascades, fence } = store;
  deferredCascades.register('take', { takes: (kinds) => kinds, slice: () => 'done' });
  deferredCascades.setGoingWith((kind) => (kind === 'shelf' ? ['box', 'shelf'] : []));
  const note = (...kinds: string[]) => {
    store.transact(cause, (tx) => deferredCascades.note(tx, kinds.join(), 'take', kinds));
  };
  note('box');
  t.same([...fence.kindsBeingDeleted], ['box']);
  note('shelf', 'wall');
  t.same([...fence.kindsBeingDeleted].sort(), ['box', 'shelf', 'wall']);
  clock.drain();
  t.same([...fence.kindsBeingDeleted], []);
  t.throws(() =>
    store.transact(cause, (tx) => {
      deferredCascades.note(tx, 'n', 'take', ['box']);
      t.same([...fence.kindsBeingDeleted], ['box']);
      throw new Error('no');
    }),
  );
  t.same([...fence.kindsBeingDeleted], []);
  note('box');
  t.same([...fence.kindsBeingDeleted], ['box']);
  store.transact(cause, (tx) => deferredCascades.note(tx, 'unknown', 'whatever', []));
  t.same([...fence.kindsBeingDeleted].sort(), ['box', 'followUp'], 'all that there are');
});

t.test('what is on its way out is in no order and no page any more', async (t) => {
  const { store, table } = makeStore();
  store.transact(cause, (tx) => {
    for (const id of ['a', 'b', 'c']) tx.put(table, make(id));
  });
  table.isLive = ({ id }) => id !== 'b';
  store.fence.cascadesOpen = true;
  t.equal(table.page(0, 9).total, 3, 'what is open takes nothing of this kind');
  store.fence.kindsBeingDeleted = new Set([box.kind]);
  const shown = (rows: readonly { record: RecordBase }[]) => rows.map(({ record }) => record.id);
  t.same(shown(table.runs('name').flat()), ['a', 'c']);
  t.same(table.page(0, 1, 'name', true).total, 2);
  t.same(shown(table.page(0, 9, 'createdAt', true).rows), ['a', 'c'], 'one moment, so by id');
  const seen: RecordBase[] = [];
  table.each(({ record }) => seen.push(record));
  t.same(seen.length, 2);
  t.throws(() => table.page(0, 1, 'weight'), RangeError);
});

t.test(
  'indexes and order agree with the records after random transactions, taken back or not',
  async (t) => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const change = fc.record({
      id: fc.constantFrom(...ids),
      deletes: fc.boolean(),
      name: fc.constantFrom('n1', 'n2', 'n3', 'n4', 'n5', 'n6'),
      shelfId: fc.constantFrom(undefined, 's1', 's2'),
      labels: fc.subarray(['@s1', '@s2', '#x']),
      createdAt: fc.integer({ min: 1, max: 3 }),
    });
    const transactions = fc.array(
      fc.record({ changes: fc.array(change, { maxLength: 6 }), fails: fc.boolean() }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(transactions, (all) => {
        const { store, table } = makeStore();
        // An order that was read once is kept from then on.
        for (const by of ['id', 'name', 'createdAt']) table.page(0, 1, by);
        let expected = new Map<string, Box>();
        for (const { changes, fails } of all) {
          const next = new Map(expected);
          try {
            store.transact(cause, (tx) => {
              for (const { id, deletes, ...rest } of changes) {
                if (deletes) {
                  tx.delete(table, id);
                  next.delete(id);
                } else {
                  tx.put(table, make(id, rest));
                  next.set(id, make(id, rest));
                }
              }
              if (fails) throw new Error('taken back');
            });
            expected = next;
          } catch {
            // Undone: by the test's own error or a duplicate name.
          }
          checkIndexes(table, expected);
        }
      }),
      { numRuns: 150 },
    );
    t.pass('property held');
  },
);

t.test('an observer that throws leaves the table as it was, and others in step', async (t) => {
  const change = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    deletes: fc.boolean(),
    name: fc.constantFrom('n1', 'n2', 'n3', 'n4', 'n5'),
    shelfId: fc.constantFrom(undefined, 's1', 's2'),
    labels: fc.subarray(['@s1', '@s2', '#x']),
    /** Which of the observers throws; none of them at 3. */
    thrower: fc.nat(5),
    isCaught: fc.boolean(),
  });
  let thrown = 0;
  const property = fc.property(fc.array(fc.array(change, { maxLength: 5 })), (all) => {
    const { store, table } = makeStore();
    for (const by of ['id', 'name', 'createdAt']) table.page(0, 1, by);
    let thrower = -1;
    const mirrors = [0, 1, 2].map((at) => {
      const mirror = new Map<string, unknown>();
      table.observe((_row, before, after) => {
        if (at === thrower) {
          thrown++;
          thrower = -1;
          throw new Error('no');
        }
        const id = (after ?? before)?.id ?? '';
        if (mirror.get(id) !== before) throw new Error(`${id} was not as it is told`);
        if (after === undefined) mirror.delete(id);
        else mirror.set(id, after);
      });
      return mirror;
    });
    let expected = new Map<string, Box>();
    for (const changes of all) {
      const next = new Map(expected);
      const write = (tx: Transaction, { id, deletes, isCaught, ...rest }: Change) => {
        thrower = rest.thrower;
        const { thrower: _, ...values } = rest;
        try {
          if (deletes) tx.delete(table, id);
          else tx.put(table, make(id, values));
          if (deletes) next.delete(id);
          else next.set(id, make(id, values));
        } catch (error) {
          // Who goes on in spite of it finds all as it was before the write.
          if (!isCaught) throw error;
        } finally {
          thrower = -1;
        }
        checkIndexes(table, next);
      };
      try {
        store.transact(cause, (tx) => {
          for (const one of changes) write(tx, one);
        });
        expected = next;
      } catch (error) {
        if (!/^no$|is taken/.test((error as Error).message)) throw error;
      }
      checkIndexes(table, expected);
      for (const mirror of mirrors) {
        const records = [...table.all()].map(({ record }) => record);
        if (mirror.size !== records.length || records.some((one) => mirror.get(one.id) !== one)) {
          throw new Error('an observer is out of step');
        }
      }
    }
  });
  fc.assert(property, { numRuns: 300 });
  t.ok(thrown > 100, `${thrown} were thrown`);
});

interface Change extends Pick<Box, 'name' | 'shelfId' | 'labels'> {
  readonly id: string;
  readonly deletes: boolean;
  readonly thrower: number;
  readonly isCaught: boolean;
}

function checkIndexes(table: ReturnType<typeof makeStore>['table'], expected: Map<string, Box>) {
  const same = (is: unknown, should: unknown, what: string) => {
    if (JSON.stringify(is) !== JSON.stringify(should)) {
      throw new Error(`${what}: ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`);
    }
  };
  const order = [...expected.keys()].sort();
  same(
    [...table.rows()].map(({ record }) => record.id),
    order,
    'order',
  );
  same(table.size, expected.size, 'size');
  for (const record of expected.values()) {
    same(table.findBy('name', record.name)?.record.id, record.id, 'unique');
  }
  for (const shelf of ['s1', 's2']) {
    const inGroup = [...table.members('shelfId', shelf)].map(({ record }) => record.id).sort();
    const should = order.filter((id) => expected.get(id)?.shelfId === shelf);
    same(inGroup, should, 'group');
    const labelled = [...table.members('labels', shelf)].map(({ record }) => record.id).sort();
    same(
      labelled,
      order.filter((id) => expected.get(id)?.labels.includes(`@${shelf}`)),
      'list group',
    );
  }
  for (const by of ['name', 'createdAt'] as const) {
    for (const sign of [1, -1]) {
      const should = [...expected.values()].sort(
        (a, b) => sign * compareValues(a[by], b[by]) || compareValues(a.id, b.id),
      );
      same(
        table.page(1, 3, by, sign < 0).rows.map(({ record }) => record.id),
        should.slice(1, 4).map(({ id }) => id),
        `order by ${by}`,
      );
    }
  }
  const slots = [...table.all()].map(({ slot }) => slot);
  same(new Set(slots).size, slots.length, 'slots differ');
}
