// Relations that are refused at boot, and the reach of deletions.

import t from 'tap';
import { Cascades } from '../../src/declare/kinds/cascades.ts';
import { name, optionalReference, references, roles } from '../../src/declare/kinds/field.ts';
import { defineKind, type Kind } from '../../src/declare/kinds/kind.ts';
import { Store } from '../../src/store/store.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { MemoryJournal } from '../store/journal-in-memory.ts';

function open(kinds: readonly Kind[], rowsMax = 3) {
  const clock = new SimulatedClock();
  const journal = new MemoryJournal();
  const store = new Store({
    clock,
    tables: kinds.map(({ table }) => table),
    freeze: true,
    cascadeRowsMax: rowsMax,
    fatal: endProcess,
  });
  let serial = 0;
  const cascades = new Cascades({
    kinds,
    store,
    newId: () => `f${serial++}`,
    remover: () => {
      throw new Error('no kind here has a machine');
    },
  });
  store.attach(journal);
  return { clock, journal, store, cascades };
}

const house = defineKind({
  kind: 'house',
  version: 1,
  fields: { name: name() },
  many: ['rooms', 'keys'],
});
const room = defineKind({
  kind: 'room',
  version: 1,
  fields: {
    name: name(),
    houseId: optionalReference('house', { inverse: 'rooms', onDelete: 'cascade' }),
  },
  many: ['chairs', 'plans'],
});
const chair = defineKind({
  kind: 'chair',
  version: 1,
  fields: { roomId: optionalReference('room', { inverse: 'chairs', onDelete: 'cascade' }) },
  many: [],
});
const key = defineKind({
  kind: 'key',
  version: 1,
  fields: { houseIds: references('house', { inverse: 'keys', onDelete: 'refuse' }) },
  many: [],
});
const plan = defineKind({
  kind: 'plan',
  version: 1,
  fields: { roles: roles('room', { inverse: 'plans' }) },
  many: [],
});
const all = [house, room, chair, key, plan];
const cause = { actor: 'test', requestId: '', operation: 'test' };
const base = { createdAt: 1, updatedAt: 1, tags: {} };

function furnished(rowsMax: number, chairs: number) {
  const made = open(all, rowsMax);
  const { store } = made;
  store.transact(cause, (tx) => {
    tx.put(store.table(house), { ...base, id: 'h', name: 'h' });
    tx.put(store.table(room), { ...base, id: 'r', name: 'r', houseId: 'h' });
    for (let i = 0; i < chairs; i++) {
      tx.put(store.table(chair), { ...base, id: `c${i}`, roomId: 'r' });
    }
    tx.put(store.table(plan), { ...base, id: 'p', roles: ['#a', '@r'] });
  });
  return made;
}

t.test('a relation to an unknown kind is refused at boot', async (t) => {
  t.throws(() => open([room, chair]), /room\.houseId refers to unknown kind house/);
});

t.test('a relation without its inverse is refused at boot', async (t) => {
  const bare = defineKind({ kind: 'house', version: 1, fields: { name: name() }, many: ['keys'] });
  t.throws(() => open([bare, room, chair, key, plan]), /room\.houseId names rooms/);
});

t.test('a way back that nobody uses is refused at boot', async (t) => {
  t.throws(() => open([house, room, chair, plan]), /house declares keys/);
});

t.test('deletions that cascade in a circle are refused at boot', async (t) => {
  const egg = defineKind({
    kind: 'egg',
    version: 1,
    fields: { henId: optionalReference('hen', { inverse: 'eggs', onDelete: 'cascade' }) },
    many: ['hens'],
  });
  const hen = defineKind({
    kind: 'hen',
    version: 1,
    fields: { eggId: optionalReference('egg', { inverse: 'hens', onDelete: 'cascade' }) },
    many: ['eggs'],
  });
  t.throws(() => open([egg, hen]), /in a circle/);
});

t.test('a small cascade stays in one frame, through all levels', async (t) => {
  const { store, cascades, journal } = furnished(10, 3);
  store.transact(cause, (tx) => cascades.remove(tx, 'house', 'h'));
  t.equal(journal.frames.length, 2);
  t.equal(
    store.tableNamed('chair').size + store.tableNamed('room').size + store.tableNamed('house').size,
    0,
  );
  t.match(store.tableNamed('plan').peek('p')?.record, { roles: ['#a'] });
});

t.test('what is in use is not deleted', async (t) => {
  const { store, cascades } = furnished(10, 0);
  store.transact(cause, (tx) => tx.put(store.table(key), { ...base, id: 'k', houseIds: ['h'] }));
  t.throws(() => store.transact(cause, (tx) => cascades.remove(tx, 'house', 'h')), {
    code: 'CAN_NOT_DELETE_REFERENCED_ENTITY',
    status: 409,
    cause: { field: 'houseIds', value: ['k'] },
  });
  t.equal(store.tableNamed('room').size, 1);
});

t.test('a large cascade is gone for readers at once, and from memory slice by slice', async (t) => {
  const { store, cascades, journal, clock } = furnished(3, 10);
  store.transact(cause, (tx) => cascades.remove(tx, 'house', 'h'));
  t.equal(journal.frames.length, 2, 'one deciding frame');
  t.same(
    journal.frames[1]?.changes.map(({ kind, values }) => [kind, values !== null]),
    [
      ['house', false],
      ['followUp', true],
    ],
  );
  t.equal(store.tableNamed('room').find('r'), undefined);
  t.equal(store.tableNamed('chair').find('c0'), undefined);
  t.same([...store.tableNamed('chair').rows()], []);
  t.equal(store.tableNamed('chair').count(), 0);
  t.equal(store.tableNamed('chair').size, 10, 'the rows are still there');
  for (let i = 0; i < 20; i++) clock.turn();
  t.equal(store.tableNamed('chair').size, 0);
  t.equal(store.tableNamed('room').size, 0);
  t.equal(store.deferredCascades.isOpen, false);
  for (const frame of journal.frames.slice(2)) {
    t.equal(frame.causeLsn, 2, 'each slice names its cause');
    t.ok(frame.changes.length <= 4 + 1, 'a slice is small');
  }
});

t.test('a unique key of a row on its way out is free again', async (t) => {
  const { store, cascades } = furnished(3, 10);
  store.transact(cause, (tx) => cascades.remove(tx, 'house', 'h'));
  store.transact(cause, (tx) =>
    tx.put(store.table(room), { ...base, id: 'r2', name: 'r', houseId: undefined }),
  );
  t.equal(store.tableNamed('room').find('r2')?.record.id, 'r2');
});
