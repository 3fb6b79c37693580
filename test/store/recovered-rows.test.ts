// Recovered records: their table is the same as if they had just been written.

import t from 'tap';
import Type from 'typebox';
import type { StoredRecord } from '../../snapshots/journal.ts';
import { attributes, field, name, optional, reference } from '../../src/declare/kinds/field.ts';
import { defineKind } from '../../src/declare/kinds/kind.ts';
import { tableParts } from '../../src/integrity/tables.ts';
import type { RecordBase, Row } from '../../src/store/record.ts';
import { Store } from '../../src/store/store.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { MemoryJournal } from './journal-in-memory.ts';

interface Apple extends RecordBase {
  readonly name: string;
  readonly treeId: string;
  readonly graftId: string | undefined;
  readonly weight: number;
  readonly roleAttributes: readonly string[];
}

const kind = defineKind({
  kind: 'apple',
  version: 2,
  many: [],
  migrations: { 1: (values) => [...values, ['migrated']] },
  fields: {
    name: name(),
    treeId: reference('tree', { inverse: 'apples', onDelete: 'refuse' }),
    graftId: optional(Type.String(), {
      relations: [
        {
          kind: 'tree',
          inverse: 'grafts',
          onDelete: 'refuse',
          ids: (id) => id,
          strip: () => undefined,
        },
      ],
    }),
    weight: field(Type.Integer(), { fallback: 0 }),
    roleAttributes: attributes(),
  },
});

const cause = { actor: 'test', requestId: 'r', operation: 'op' };

function makeStore(): Store {
  const clock = new SimulatedClock();
  return new Store({
    clock,
    tables: [kind.table],
    freeze: true,
    cascadeRowsMax: 3,
    fatal: endProcess,
  });
}

/** Loads records the way a start does. */
function load(store: Store, records: readonly StoredRecord[]): void {
  for (const record of records) store.load(record);
  store.attach(new MemoryJournal());
}

function stored(apple: Apple, lsn: number): StoredRecord {
  const { version } = kind.codec;
  return { kind: 'apple', id: apple.id, lsn, version, values: kind.codec.encode(apple) };
}

const apple: Apple = {
  id: 'a',
  createdAt: 1,
  updatedAt: 2,
  tags: { ripe: true },
  isSystem: undefined,
  name: 'first',
  treeId: 't1',
  graftId: undefined,
  weight: 7,
  roleAttributes: ['red'],
};

const applesOf = (store: Store) => store.table(kind);

const someApple = fc.record({
  treeId: fc.constantFrom('t1', 't2', 't3'),
  graftId: fc.constantFrom('t1', 't2', undefined),
  weight: fc.nat(9),
  roleAttributes: fc.array(fc.constantFrom('red', 'green'), { maxLength: 2 }),
});

t.test('a table is the same whether its records were written or recovered', async (t) => {
  fc.assert(
    fc.property(fc.array(someApple, { maxLength: 20 }), (drawn) => {
      const apples = drawn.map((fields, at) => {
        return { ...apple, ...fields, id: `id${at}`, name: `name ${at}` };
      });
      const [recovered, written] = [makeStore(), makeStore()];
      load(
        recovered,
        apples.map((one, at) => stored(one, at + 1)),
      );
      written.attach(new MemoryJournal());
      for (const one of apples) {
        written.transact(cause, (tx) => tx.put(applesOf(written), one));
      }
      for (const index of ['treeId', 'graftId']) {
        for (const key of ['t1', 't2', 't3']) {
          const idsIn = (store: Store) => {
            return [...applesOf(store).members(index, key)].map(({ id }) => id);
          };
          t.strictSame(idsIn(recovered), idsIn(written), `${index} ${key}`);
        }
      }
      for (const { id, record } of applesOf(written).all()) {
        t.equal(applesOf(recovered).findBy('name', record.name)?.id, id);
      }
      t.strictSame([...recovered.records()], [...written.records()], 'a snapshot is the same');
      for (const by of ['createdAt', 'id']) {
        for (const _ of applesOf(recovered).buildOrder(by));
        const idsOf = (store: Store) =>
          applesOf(store)
            .page(0, 50, by)
            .rows.map(({ id }) => id);
        t.strictSame(idsOf(recovered), idsOf(written), by);
      }
      for (const part of tableParts(recovered.tableNamed('apple'), () => apples.length)) {
        t.strictSame([...part.findFaults()].filter(Boolean), []);
      }
      for (const { id, record, lsn } of applesOf(recovered).all()) {
        t.strictSame(record, applesOf(written).peek(id)?.record);
        t.equal(lsn, applesOf(written).peek(id)?.lsn);
      }
    }),
    { numRuns: 60 },
  );
});

t.test('records of an older version are migrated, those of a newer one refused', async (t) => {
  const { values, ...head } = stored(apple, 1);
  const store = makeStore();
  load(store, [{ ...head, version: 1, values: values.slice(0, -1) }]);
  t.strictSame(applesOf(store).peek('a')?.record.roleAttributes, ['migrated']);
  const newer = [{ ...head, version: 3, values }];
  t.throws(() => load(makeStore(), newer), { name: 'NewerRecord', message: /apple/ });
  const unknown = [{ ...head, kind: 'quince', values }];
  t.throws(() => load(makeStore(), unknown), { name: 'NewerRecord', message: /quince/ });
});

t.test('observers of a table are told of recovered records', async (t) => {
  const store = makeStore();
  const told: unknown[] = [];
  const tell = ({ id }: Row<Apple>, before: Apple | undefined, after: Apple | undefined) =>
    told.push([id, before, after?.id, after?.weight]);
  applesOf(store).observe(tell);
  load(store, [stored(apple, 1), stored({ ...apple, id: 'b', name: 'second', weight: 9 }, 2)]);
  const both = [
    ['a', undefined, 'a', 7],
    ['b', undefined, 'b', 9],
  ];
  t.strictSame(told.splice(0), both);
  applesOf(store).observe(tell);
  t.strictSame(told, both, 'and of what is there when it begins');
});
