// The transitions of records that live in memory only.

import t from 'tap';
import Type from 'typebox';
import { field } from '../../src/declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../../src/declare/kinds/kind.ts';
import { LogReader } from '../../src/inspect/server/log/log-reader.ts';
import { VolatileHistory } from '../../src/inspect/server/log/volatile-history.ts';
import { identityKind } from '../../src/records/identity.ts';
import { DurableFrames } from '../../src/store/durable-frames.ts';
import { Store } from '../../src/store/store.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { endProcess } from '../simulated/fatal.ts';
import { MemoryJournal } from '../store/journal-in-memory.ts';

const link = defineKind({
  kind: 'link',
  version: 1,
  volatile: true,
  fields: { state: field(Type.String(), { fallback: 'up' }) },
  many: [],
});

const base = { createdAt: 1, updatedAt: 1, tags: {} };
const cause = { actor: 'router-1', requestId: 'r', operation: 'op' };
const ever = Number.MAX_SAFE_INTEGER;

function openStore() {
  const clock = new SimulatedClock();
  const journal = new MemoryJournal();
  const tables = [link.table, identityKind.table];
  const store = new Store({ clock, tables, freeze: true, cascadeRowsMax: 10, fatal: endProcess });
  const history = new VolatileHistory(store);
  const durable = new DurableFrames({ journal, clock, lateMs: 1000 });
  const reader = new LogReader({
    home: '/home',
    clock,
    disk: new SimulatedDisk(1),
    durable,
    store,
    writer: 'inline',
  });
  store.attach(journal);
  const links = store.table(link);
  const recordOf = (id: string, state: string): RecordOf<typeof link.fields> => {
    return { ...base, id, state };
  };
  const move = (id: string, event: string, from: string, to: string): void =>
    store.transact(cause, (tx) => {
      tx.logEvent(['link', id, event, from, to]);
      if (to === 'closed') tx.delete(links, id);
      else tx.put(links, recordOf(id, to));
    });
  return { store, journal, history, reader, links, move };
}

t.test('the last 32 transitions of a record are kept, newest first', async (t) => {
  const { history, move, store } = openStore();
  move('a', 'dial', 'none', 'dialing');
  move('b', 'dial', 'none', 'dialing');
  move('a', 'connect', 'dialing', 'up');
  t.match(history.of('link', 'a', ever), [
    { kind: 'link', id: 'a', event: 'connect', from: 'dialing', to: 'up', actor: 'router-1' },
    { event: 'dial', from: 'none', to: 'dialing', requestId: 'r', operation: 'op', causeLsn: 0 },
  ]);
  t.equal(history.of('link', 'b', ever).length, 1);
  t.same(history.of('link', 'c', ever), []);
  for (let at = 0; at < 40; at++) move('a', `event ${at}`, 'up', 'up');
  const events = history.of('link', 'a', ever).map(({ event }) => event);
  t.equal(events.length, 32);
  t.equal(events[0], 'event 39');
  t.equal(events[31], 'event 8');
  t.throws(
    () =>
      store.transact(cause, (tx) => {
        tx.logEvent(['link', 'a', 'undone', 'up', 'up']);
        throw new RangeError('no');
      }),
    RangeError,
  );
  t.equal(history.of('link', 'a', ever)[0]?.event, 'event 39', 'what is undone is not shown');
});

t.test('the last 200 transitions of all records are kept, newest first', async (t) => {
  const { history, reader, move } = openStore();
  for (let at = 0; at < 250; at++) move(`r${at}`, 'dial', 'none', 'up');
  const ids = history.recent().map(({ id }) => id);
  t.equal(ids.length, 200);
  t.same([ids[0], ids[199]], ['r249', 'r50']);
  t.same(
    reader.recentVolatile().map(({ id }) => id),
    ids,
  );
});

t.test('a deleted record keeps its transitions until 1,000 others were deleted', async (t) => {
  const { history, move } = openStore();
  move('a', 'dial', 'none', 'up');
  move('a', 'close', 'up', 'closed');
  move('b', 'dial', 'none', 'up');
  move('b', 'close', 'up', 'closed');
  move('b', 'dial', 'none', 'up');
  for (let at = 0; at < 999; at++) {
    move(`c${at}`, 'dial', 'none', 'up');
    move(`c${at}`, 'close', 'up', 'closed');
  }
  t.equal(history.of('link', 'a', ever)[0]?.to, 'closed');
  move('d', 'dial', 'none', 'up');
  move('d', 'close', 'up', 'closed');
  t.same(history.of('link', 'a', ever), []);
  t.equal(history.of('link', 'b', ever).length, 3, 'one that is there again is not forgotten');
});

t.test('the reader shows them when the frames that they depend on are durable', async (t) => {
  const { store, journal, reader, links, move } = openStore();
  move('a', 'dial', 'none', 'up');
  const order = { beforeLsn: ever, limit: 50 };
  const page = await reader.transitionsOf('link', 'a', order);
  t.match(page, { hasMore: false, transitions: [{ event: 'dial', actorName: '' }] });
  store.transact(cause, (tx) => {
    tx.logEvent(['link', 'a', 'fault', 'up', 'faulty']);
    tx.put(links, { ...base, id: 'a', state: 'faulty' });
    tx.logEvent(['identity', 'router-1', 'disable', 'enabled', 'disabled']);
  });
  let shown: string | undefined;
  const later = reader.transitionsOf('link', 'a', order).then(({ transitions }) => {
    shown = transitions[0]?.event;
  });
  await Promise.resolve();
  t.equal(shown, undefined);
  journal.sync();
  await later;
  t.equal(shown, 'fault');
  const older = await reader.transitionsOf('link', 'a', { ...order, beforeLsn: 1 });
  t.equal(older.transitions.length, 1, 'and those of older frames alone, if asked for');
});
