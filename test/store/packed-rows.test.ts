// Records that a start brings as they stand packed: found as any others, and made when they are
// asked for.

import t from 'tap';
import Type from 'typebox';
import { packRecord } from '../../snapshots/codec.ts';
import type { StoredRecord } from '../../snapshots/journal.ts';
import { eachPacked } from '../../snapshots/packed-reader.ts';
import { attributes, field, name, optional, reference } from '../../src/declare/field.ts';
import { defineKind, type Kind } from '../../src/declare/kind.ts';
import type { RecordBase, Row } from '../../src/store/record.ts';
import { Store } from '../../src/store/store.ts';
import { tableFaults } from '../../src/store/table-check.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { MemoryJournal } from './journal-in-memory.ts';
import { unpacked } from './unpacked.ts';

interface Apple extends RecordBase {
  readonly name: string;
  readonly treeId: string;
  readonly graftId: string | undefined;
  readonly weight: number;
  readonly roleAttributes: readonly string[];
}

const kind = defineKind({
  ...{ kind: 'apple', version: 2, many: [] },
  migrations: { 1: (values) => [...values, ['migrated']] },
  fields: {
    name: name(),
    treeId: reference('tree', { inverse: 'apples', onDelete: 'refuse' }),
    graftId: optional(Type.String(), {
      relations: [
        {
          ...{ kind: 'tree', inverse: 'grafts', onDelete: 'refuse' },
          ...{ ids: (id) => id, strip: () => undefined },
        },
      ],
    }),
    weight: field(Type.Integer(), { fallback: 0 }),
    roleAttributes: attributes(),
  },
}) as unknown as Kind;

const cause = { actor: 'test', requestId: 'r', operation: 'op' };

function makeStore(): Store {
  const clock = new SimulatedClock();
  return new Store({
    clock,
    tables: [kind.table],
    freeze: true,
    followUpRowsMax: 3,
    fatal: endProcess,
  });
}

/** As a start does it. */
function loadPacked(store: Store, records: readonly StoredRecord[]): void {
  eachPacked(blockOf(records), (packed) => store.loadPacked(packed));
  store.attach(new MemoryJournal());
}

function blockOf(records: readonly StoredRecord[]): Buffer {
  return Buffer.concat(records.map((record) => Buffer.from(packRecord(record))));
}

function stored(apple: Apple, lsn: number): StoredRecord {
  const { version } = kind.codec;
  return { kind: 'apple', id: apple.id, lsn, version, values: kind.codec.encode(apple as never) };
}

const apple: Apple = {
  ...{ id: 'a', createdAt: 1, updatedAt: 2, tags: { ripe: true }, isSystem: undefined },
  ...{ name: 'first', treeId: 't1', graftId: undefined, weight: 7, roleAttributes: ['red'] },
};

const applesOf = (store: Store) => store.table<Apple>('apple');

/** Whether the record of a row was not made yet. */
const isPacked = (row: Row<Apple> | undefined) => row?.packed !== undefined;

const someApple = fc.record({
  treeId: fc.constantFrom('t1', 't2', 't3'),
  graftId: fc.constantFrom('t1', 't2', undefined),
  weight: fc.nat(9),
  roleAttributes: fc.array(fc.constantFrom('red', 'green'), { maxLength: 2 }),
});

t.test('a table is the same, however its records came', async (t) => {
  fc.assert(
    fc.property(fc.array(someApple, { maxLength: 20 }), (drawn) => {
      const records = drawn.map((fields, at) =>
        stored({ ...apple, ...fields, id: `id${at}`, name: `name ${at}` }, at + 1),
      );
      const [packed, plain] = [makeStore(), makeStore()];
      loadPacked(packed, records);
      for (const record of records) plain.load(record);
      plain.attach(new MemoryJournal());
      for (const row of applesOf(packed).all()) t.ok(isPacked(row));
      for (const index of ['treeId', 'graftId']) {
        for (const key of ['t1', 't2', 't3']) {
          const idsIn = (store: Store) => {
            return [...applesOf(store).members(index, key)].map(({ id }) => id);
          };
          t.strictSame(idsIn(packed), idsIn(plain), `${index} ${key}`);
        }
      }
      for (const { id, record } of applesOf(plain).all()) {
        t.equal(applesOf(packed).findBy('name', record.name)?.id, id);
      }
      const recordsOf = (store: Store) => [...store.records()].map(unpacked);
      t.strictSame(recordsOf(packed), recordsOf(plain), 'a snapshot is the same');
      for (const by of ['createdAt', 'id']) {
        const built = applesOf(packed).buildOrder(by);
        while (!built.next().done);
        const idsOf = (store: Store) =>
          applesOf(store)
            .page(0, 50, by)
            .rows.map(({ id }) => id);
        t.strictSame(idsOf(packed), idsOf(plain), by);
      }
      for (const row of applesOf(packed).all()) t.ok(isPacked(row), 'none was made for all that');
      const faults = [...tableFaults(packed.table('apple'), () => records.length)];
      t.strictSame(faults.filter(Boolean), []);
      for (const { id, record, lsn } of applesOf(packed).all()) {
        t.strictSame(record, applesOf(plain).peek(id)?.record);
        t.equal(lsn, applesOf(plain).peek(id)?.lsn);
      }
    }),
    { numRuns: 60 },
  );
});

t.test('a look makes no record; whoever asks for it gets the same one each time', async (t) => {
  const store = makeStore();
  const other = { ...apple, id: 'b', name: 'second', treeId: 't2', tags: {} };
  loadPacked(store, [stored(apple, 1), stored(other, 2)]);
  const [first, second] = [...applesOf(store).all()];
  t.equal(first?.glance.weight, 7);
  t.equal(first?.glance.treeId, 't1');
  t.strictSame(first?.glance.tags, { ripe: true });
  t.equal(second?.glance.treeId, 't2');
  t.ok(isPacked(first));
  const record = first?.record;
  t.strictSame(record, { ...apple });
  t.equal(first?.record, record);
  t.equal(first?.glance, record);
  t.notOk(isPacked(first));
  t.ok(isPacked(second), 'the other one is as it was');
  t.equal(second?.record.id, 'b');
});

t.test('what is written is no longer as it stands packed', async (t) => {
  const store = makeStore();
  loadPacked(store, [stored(apple, 1), stored({ ...apple, id: 'b', name: 'second' }, 2)]);
  const table = applesOf(store);
  const walk = store.records();
  store.transact(cause, (tx) => {
    const row = table.find('a');
    if (row !== undefined) tx.put(table, { ...row.record, weight: 8 });
    tx.delete(store.table('apple'), 'b');
  });
  t.equal(table.findBy('name', 'first')?.record.weight, 8);
  t.equal(table.findBy('name', 'second'), undefined);
  const before = [...walk].map(unpacked).map(({ id, lsn, values }) => [id, lsn, values[7]]);
  t.strictSame(before, [
    ['a', 1, 7],
    ['b', 2, 7],
  ]);
  const after = [...store.records()].map(unpacked).map(({ id, values }) => [id, values[7]]);
  t.strictSame(after, [['a', 8]]);
});

t.test('a row of another frame than its bytes say is packed anew', async (t) => {
  const store = makeStore();
  loadPacked(store, [stored(apple, 5)]);
  const row = applesOf(store).peek('a') as Row<Apple>;
  row.lsn = 3;
  const [record] = [...store.records()].map(unpacked);
  t.equal(record?.lsn, 3);
  t.strictSame(record?.values, kind.codec.encode(apple as never));
});

t.test('records of an older version are made at once, those of a newer one refused', async (t) => {
  const { values, ...head } = stored(apple, 1);
  const store = makeStore();
  loadPacked(store, [{ ...head, version: 1, values: values.slice(0, -1) }]);
  const row = applesOf(store).peek('a');
  t.notOk(isPacked(row));
  t.strictSame(row?.record.roleAttributes, ['migrated']);
  const newer = [{ ...head, version: 3, values }];
  t.throws(() => loadPacked(makeStore(), newer), { name: 'NewerRecord', message: /apple/ });
  const unknown = [{ ...head, kind: 'quince', values }];
  t.throws(() => loadPacked(makeStore(), unknown), { name: 'NewerRecord', message: /quince/ });
});

t.test('who watches a table is told of what comes packed', async (t) => {
  const store = makeStore();
  const told: unknown[] = [];
  const tell = ({ id }: Row<Apple>, before: Apple | undefined, after: Apple | undefined) =>
    told.push([id, before, after?.id, after?.weight]);
  applesOf(store).observe(tell);
  loadPacked(store, [
    stored(apple, 1),
    stored({ ...apple, id: 'b', name: 'second', weight: 9 }, 2),
  ]);
  const both = [
    ['a', undefined, 'a', 7],
    ['b', undefined, 'b', 9],
  ];
  t.strictSame(told.splice(0), both);
  applesOf(store).observe(tell);
  t.strictSame(told, both, 'and of what is there when it begins');
  t.ok(isPacked(applesOf(store).peek('a')));
});

t.test('all records of a table are made step by step', async (t) => {
  const store = makeStore();
  const records = Array.from({ length: 100 }, (_, at) =>
    stored({ ...apple, id: `id${at}`, name: `name ${at}` }, at + 1),
  );
  loadPacked(store, records);
  const table = applesOf(store);
  t.ok(table.mayHoldPacked);
  const steps = table.makeAll();
  steps.next();
  steps.next();
  const packed = [...table.all()].filter(isPacked).length;
  t.ok(packed > 50 && packed < 100, `${packed} are left after a step`);
  t.ok(table.mayHoldPacked);
  while (!steps.next().done);
  t.notOk([...table.all()].some(isPacked));
  t.notOk(table.mayHoldPacked);
});
