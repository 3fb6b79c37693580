// Kinds whose records live in memory only: their writes leave nothing on the disk, and are undone,
// indexed, counted and seen like all others.

import t from 'tap';
import Type from 'typebox';
import { assign, setup } from 'xstate';
import { compile } from '../../machines/compile.ts';
import type { DurableMachine, MachineRecord } from '../../machines/machine.ts';
import { createRuntime, transactionHost } from '../../src/actors/runtime.ts';
import { Cascades, DeclarationFault } from '../../src/declare/kinds/cascades.ts';
import { field, name, reference } from '../../src/declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../../src/declare/kinds/kind.ts';
import { MachineStates } from '../../src/inspect/server/machines/machine-states.ts';
import { tableParts } from '../../src/integrity/tables.ts';
import { NewerRecord } from '../../src/store/record.ts';
import { Store } from '../../src/store/store.ts';
import { DuplicateKey } from '../../src/store/table.ts';
import type { ChangeSet, Transaction } from '../../src/store/transaction.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { endProcess } from '../simulated/fatal.ts';
import { openSimulated } from '../snapshots/home.ts';
import { MemoryJournal } from './journal-in-memory.ts';

interface LinkMachineRecord extends MachineRecord {
  readonly cost: number;
}

type LinkEvent =
  | { readonly type: 'dial'; readonly now: number; readonly fields: { readonly cost: number } }
  | { readonly type: 'connect'; readonly now: number }
  | { readonly type: 'close'; readonly now: number };

const linkMachine: DurableMachine = {
  machine: setup({
    types: { context: {} as LinkMachineRecord, events: {} as LinkEvent },
  }).createMachine({
    id: 'link',
    context: {} as LinkMachineRecord,
    initial: 'none',
    states: {
      none: {
        on: { dial: { target: 'dialing', actions: assign(({ event }) => ({ ...event.fields })) } },
      },
      dialing: { on: { connect: 'up', close: 'closed' } },
      up: { on: { close: 'closed' } },
      closed: { type: 'final' },
    },
  }),
  meanings: {},
  guards: {},
};

const node = defineKind({
  kind: 'node',
  version: 1,
  fields: { name: name() },
  many: ['links'],
});

const link = defineKind({
  kind: 'link',
  version: 1,
  volatile: true,
  fields: {
    state: field(Type.String(), { fallback: 'up' }),
    label: field(Type.String(), { fallback: '', unique: true }),
    nodeId: reference('node', { inverse: 'links', onDelete: 'cascade' }),
    cost: field(Type.Integer(), { fallback: 0, ordered: true }),
  },
  many: [],
  machine: { declaration: linkMachine, creates: 'dial', removes: 'close' },
});

const kinds = [node, link];
const base = { createdAt: 1, updatedAt: 1, tags: {} };
const cause = { actor: 'test', requestId: 'r', operation: 'op' };

const nodeOf = (id: string): RecordOf<typeof node.fields> => ({ ...base, id, name: id });

function linkOf(id: string, cost: number): RecordOf<typeof link.fields> {
  return { ...base, id, state: 'up', label: `to ${id}`, nodeId: 'n', cost };
}

function makeStore(cascadeRowsMax = 3): Store {
  const clock = new SimulatedClock();
  const tables = kinds.map(({ table }) => table);
  return new Store({ clock, tables, freeze: true, cascadeRowsMax, fatal: endProcess });
}

function openStore(cascadeRowsMax?: number) {
  const journal = new MemoryJournal();
  const store = makeStore(cascadeRowsMax);
  const told: ChangeSet[] = [];
  store.follow((changes) => told.push(changes));
  store.attach(journal);
  return { store, journal, told, nodes: store.table(node), links: store.table(link) };
}

t.test('a transaction that writes only volatile records appends no frame', async (t) => {
  const { store, journal, told, nodes, links } = openStore();
  store.transact(cause, (tx) => tx.put(nodes, nodeOf('n')));
  store.fence.begin();
  store.transact(cause, (tx) => {
    tx.put(links, linkOf('a', 2));
    tx.put(links, linkOf('b', 1));
  });
  t.equal(journal.frames.length, 1);
  t.equal(store.fence.lsn, 0, 'its answer waits for nothing');
  t.match(told[1], { hasFrame: false, lsn: 0 });
  t.equal(told[1]?.changes.length, 2, 'followers are told all the same');
  t.equal(links.findBy('label', 'to a')?.record.cost, 2);
  t.same(
    [...links.members('nodeId', 'n')].map(({ id }) => id),
    ['a', 'b'],
  );
  t.same(
    links.page(0, 5, 'cost').rows.map(({ id }) => id),
    ['b', 'a'],
  );
  t.equal(store.fence.lsn, 0, 'neither do answers that read it');
  store.transact(cause, (tx) => tx.delete(links, 'a'));
  t.equal(links.find('a'), undefined);
  t.equal(journal.frames.length, 1);
  t.equal(links.revision, 3, 'every write counts for those who remember matches');
});

t.test('its records wait for what the transaction has read, and for nothing else', async (t) => {
  const { store, journal, nodes, links } = openStore();
  store.transact(cause, (tx) => tx.put(nodes, nodeOf('n')));
  store.transact(cause, (tx) => tx.put(nodes, nodeOf('m')));
  store.fence.begin();
  store.transact(cause, (tx) => {
    t.ok(nodes.find('n'));
    tx.put(links, linkOf('a', 1));
  });
  t.equal(store.fence.lsn, 1);
  store.fence.begin();
  store.transact(cause, (tx) => tx.put(links, linkOf('a', 2)));
  t.equal(links.peek('a')?.lsn, 1, 'what a record may depend on is never forgotten');
  t.ok(links.find('a'));
  t.equal(store.fence.lsn, 1);
  t.equal(journal.lastLsn, 2);
});

t.test('a mixed transaction appends its durable part', async (t) => {
  const { store, journal, told, nodes, links } = openStore();
  store.transact(cause, (tx) => {
    tx.put(links, linkOf('a', 1));
    tx.put(nodes, nodeOf('n'));
    tx.put(links, linkOf('b', 1));
  });
  t.same(
    journal.frames.map(({ changes }) => changes.map(({ kind, id }) => `${kind} ${id}`)),
    [['node n']],
  );
  t.match(told[0], { hasFrame: true, lsn: 1 });
  t.equal(told[0]?.changes.length, 3);
  t.equal(links.peek('a')?.lsn, 1, 'who reads it waits for the frame that it was written with');
  t.equal(store.fence.lsn, 1);
});

t.test('undoing covers both parts', async (t) => {
  const { store, journal, nodes, links } = openStore();
  store.transact(cause, (tx) => {
    tx.put(nodes, nodeOf('n'));
    tx.put(links, linkOf('a', 1));
  });
  const change = (tx: Transaction): void => {
    tx.put(links, linkOf('a', 9));
    tx.put(links, linkOf('b', 9));
    tx.delete(links, 'a');
    tx.put(nodes, nodeOf('m'));
  };
  const isAsBefore = (): void => {
    t.match(links.peek('a')?.record, { cost: 1 });
    t.equal(links.size, 1);
    t.equal(links.findBy('label', 'to b'), undefined);
    t.equal(nodes.size, 1);
    t.equal(journal.frames.length, 1);
    for (const part of tableParts(store.tableNamed('link'), () => journal.lastLsn)) {
      t.strictSame([...part.findFaults()].filter(Boolean), []);
    }
  };
  t.throws(
    () =>
      store.transact(cause, (tx) => {
        change(tx);
        throw new RangeError('no');
      }),
    RangeError,
  );
  isAsBefore();
  journal.refuses = true;
  t.throws(() => store.transact(cause, change), /stalled/);
  isAsBefore();
  const twin = { ...linkOf('c', 1), label: 'to a' };
  t.throws(() => store.transact(cause, (tx) => tx.put(links, twin)), DuplicateKey);
  isAsBefore();
  store.transact(cause, (tx) => tx.put(links, linkOf('b', 9)));
  t.equal(links.size, 2, 'a log that takes no writes refuses none that needs no frame');
});

t.test('machines: their events are told, and not logged', async (t) => {
  const { store, journal, told, nodes, links } = openStore();
  const states = new MachineStates(store, ['link']);
  const runtime = createRuntime([compile(linkMachine)], {
    refusal: (code) => new Error(code),
    unhandled: (_, id, state, event) => new Error(`${id} in ${state} takes no ${event}`),
  });
  const dial = { type: 'dial', now: 5, fields: { ...linkOf('a', 1), state: undefined } };
  store.transact(cause, (tx) => {
    runtime.send(transactionHost(store, tx), 'link', 'a', dial);
    tx.put(nodes, nodeOf('n'));
    tx.logEvent(['node', 'n', 'create', 'none', 'made']);
  });
  t.same(journal.frames[0]?.events, [['node', 'n', 'create', 'none', 'made']]);
  t.equal(told[0]?.events.length, 2);
  t.equal(states.count('link', 'dialing'), 1);
  const send = (type: string) =>
    store.transact(cause, (tx) =>
      runtime.send(transactionHost(store, tx), 'link', 'a', { type, now: 6 }),
    );
  send('connect');
  t.same(told[1]?.events, [['link', 'a', 'connect', 'dialing', 'up']]);
  t.match(links.find('a')?.record, { state: 'up', updatedAt: 6 });
  t.throws(() => send('connect'), /a in up takes no connect/);
  send('close');
  t.same([...states.counts('link')], []);
  t.equal(links.size, 0);
  t.equal(journal.frames.length, 1);
});

t.test('deleting a durable record takes the volatile ones that refer to it', async (t) => {
  const { store, journal, nodes, links } = openStore(2);
  const cascades = new Cascades({
    kinds,
    store,
    newId: () => 'f',
    remover: (tx, kind, id) => tx.delete(store.tableNamed(kind), id),
  });
  store.transact(cause, (tx) => {
    tx.put(nodes, nodeOf('n'));
    for (const id of ['a', 'b', 'c', 'd', 'e']) tx.put(links, linkOf(id, 1));
  });
  store.transact(cause, (tx) => cascades.remove(tx, 'node', 'n'));
  t.equal(links.find('a'), undefined, 'no reader sees them from then on');
  store.deferredCascades.drain();
  t.equal(links.size, 0);
  t.equal(store.deferredCascades.isOpen, false);
  const logged = journal.frames.flatMap(({ changes }) => changes.map(({ kind }) => kind));
  t.same(logged, ['node', 'node', 'followUp', 'followUp']);
});

t.test('snapshots hold none of them, and a recovery none either', async (t) => {
  const { store, nodes, links } = openStore();
  store.transact(cause, (tx) => {
    tx.put(nodes, nodeOf('n'));
    tx.put(links, linkOf('a', 1));
  });
  const walk = store.records();
  store.transact(cause, (tx) => {
    tx.put(links, linkOf('a', 2));
    tx.put(links, linkOf('b', 2));
    tx.delete(nodes, 'n');
  });
  const records = [...walk];
  t.same(
    records.map(({ kind, id }) => `${kind} ${id}`),
    ['node n'],
  );
  const recovered = makeStore();
  for (const record of records) recovered.load(record);
  recovered.attach(new MemoryJournal());
  t.equal(recovered.table(node).size, 1);
  t.equal(recovered.table(link).size, 0);
  const foreign = { kind: 'link', id: 'a', lsn: 1, version: 1, values: [1, 1, null, null] };
  t.throws(() => makeStore().load(foreign), NewerRecord, 'a home holds none');
});

/** The files of a home after some writes, by path. */
async function filesAfter(withLinks: boolean): Promise<Map<string, string>> {
  const disk = new SimulatedDisk(1);
  const { journal } = await openSimulated(disk);
  const store = makeStore();
  store.attach(journal);
  writeSome(store, withLinks);
  await journal.flush();
  await journal.writeSnapshot(store.records());
  store.transact(cause, (tx) => tx.put(store.table(node), nodeOf('late')));
  await journal.flush();
  const files = new Map<string, string>();
  for (const folder of ['/home', '/home/log', '/home/snapshots']) {
    for (const file of disk.list(folder)) {
      const path = `${folder}/${file}`;
      if (file !== 'lock') files.set(path, Buffer.from(disk.bytesOf(path)).toString('hex'));
    }
  }
  return files;
}

function writeSome(store: Store, withLinks: boolean): void {
  const links = store.table(link);
  const nodes = store.table(node);
  for (let at = 0; at < 20; at++) {
    store.transact(cause, (tx) => {
      if (withLinks) tx.put(links, linkOf(`a${at}`, at));
      tx.put(nodes, nodeOf(`n${at}`));
      tx.logEvent(['node', `n${at}`, 'create', 'none', 'made']);
      if (withLinks) tx.logEvent(['link', `a${at}`, 'dial', 'none', 'up']);
      if (at > 5) tx.delete(nodes, `n${at - 5}`);
      if (withLinks && at > 3) tx.delete(links, `a${at - 3}`);
    });
    if (withLinks) store.transact(cause, (tx) => tx.put(links, linkOf(`b${at}`, at)));
  }
}

t.test('a home is the same to the byte, with volatile records and without', async (t) => {
  const files = await filesAfter(false);
  t.ok([...files.keys()].some((path) => path.startsWith('/home/snapshots/')));
  t.strictSame(await filesAfter(true), files);
});

t.test('no durable record may refer to a volatile one', async (t) => {
  const pin = defineKind({
    kind: 'pin',
    version: 1,
    fields: { linkId: reference('link', { inverse: 'pins', onDelete: 'strip' }) },
    many: [],
  });
  const target = { ...link, many: ['pins'] };
  const declare = (from: typeof pin) => {
    const declared = [node, target, from];
    const tables = declared.map(({ table }) => table);
    const clock = new SimulatedClock();
    const store = new Store({ clock, tables, freeze: true, cascadeRowsMax: 3, fatal: endProcess });
    return () => new Cascades({ kinds: declared, store, newId: () => '', remover: () => {} });
  };
  t.throws(
    declare(pin),
    new DeclarationFault('pin.linkId refers to link, whose records a restart loses'),
  );
  t.doesNotThrow(declare({ ...pin, volatile: true }));
});
