// Records of a new release in the version of the former one, which all nodes read while a cluster
// is upgraded.

import t from 'tap';
import Type from 'typebox';
import { field, name, optional } from '../../src/declare/kinds/field.ts';
import { defineKind, type Kind, type RecordOf } from '../../src/declare/kinds/kind.ts';
import { caKind } from '../../src/records/ca.ts';
import { edgeRouterPolicyKind } from '../../src/records/edge-router-policy.ts';
import { type PostureCheckRecord, postureCheckKind } from '../../src/records/posture-check.ts';
import { routerKind } from '../../src/records/router.ts';
import { serviceKind } from '../../src/records/service.ts';
import { serviceEdgeRouterPolicyKind } from '../../src/records/service-edge-router-policy.ts';
import { servicePolicyKind } from '../../src/records/service-policy.ts';
import { kinds } from '../../src/resources/index.ts';
import { NotFinalized, type RecordBase } from '../../src/store/record.ts';
import { Store } from '../../src/store/store.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { bootNetwork } from '../simulated/network.ts';
import { MemoryJournal } from '../store/journal-in-memory.ts';
import { recordArbitrary } from './arbitrary.ts';

const former = defineKind({ kind: 'box', version: 1, fields: { name: name() }, many: [] });

/** Both steps between its versions are derived. */
const box = defineKind({
  kind: 'box',
  version: 3,
  fields: {
    colour: field(Type.String(), { fallback: '', since: 3 }),
    name: name(),
    weight: field(Type.Integer(), { fallback: 0, since: 2 }),
  },
  many: [],
});

t.test('a record is the same after it was written in a former version', async (t) => {
  t.equal(box.codec.oldestWritten, 1);
  let kept = 0;
  let refused = 0;
  fc.assert(
    fc.property(recordArbitrary(box), fc.constantFrom(1, 2, 3), (given, version) => {
      const record = given as RecordOf<typeof box.fields>;
      const needed = record.colour === '' ? (record.weight === 0 ? 1 : 2) : 3;
      if (version < needed) {
        refused += 1;
        t.throws(() => box.codec.encode(record, version), NotFinalized);
        return;
      }
      kept += 1;
      const values = box.codec.encode(record, version);
      t.strictSame(box.codec.decode(record.id, version, values), box.codec.compact(record));
    }),
  );
  t.ok(kept > 5 && refused > 5);
});

const cause = { actor: 'test', requestId: 'r', operation: 'op' };

const red: RecordOf<typeof box.fields> = {
  id: 'b',
  createdAt: 1,
  updatedAt: 1,
  tags: {},
  name: 'b',
  weight: 0,
  colour: 'red',
};

t.test('frames and snapshots have the version that the cluster writes', async (t) => {
  const journal = new MemoryJournal();
  const clock = new SimulatedClock();
  const surroundings = { freeze: true, cascadeRowsMax: 3, fatal: endProcess };
  const store = new Store({ clock, tables: [box.table], ...surroundings });
  store.attach(journal);
  const table = store.tableNamed('box');
  const put = (record: RecordOf<typeof box.fields>) =>
    store.transact(cause, (tx) => tx.put(table, record));
  store.writeVersions({ box: 1 });
  t.throws(() => put(red), NotFinalized);
  t.equal(table.peek('b'), undefined, 'and nothing has changed');
  put({ ...red, colour: '' });
  const [change] = journal.frames[0]?.changes ?? [];
  t.equal(change?.version, 1);
  t.match(former.codec.decode('b', 1, change?.values ?? []), { name: 'b' });
  t.strictSame(
    [...store.records()].map(({ version }) => version),
    [1],
  );
  store.writeVersions({ box: 7 });
  put(red);
  t.equal(journal.frames[1]?.changes[0]?.version, 3, 'no more than the build knows');
  t.strictSame(
    [...store.records()].map(({ version }) => version),
    [3],
  );
  store.writeVersions({});
  t.throws(() => put({ ...red, id: 'c', name: 'c' }), NotFinalized, 'a kind of a later release');
});

const list = defineKind({
  kind: 'list',
  version: 2,
  fields: { items: optional(Type.Array(Type.String())) },
  downgrades: { 2: (values) => values.with(-1, values.at(-1) ?? []) },
  many: [],
});

t.test('what the former version keeps in another form is kept so by the leader too', async (t) => {
  const journal = new MemoryJournal();
  const clock = new SimulatedClock();
  const surroundings = { freeze: true, cascadeRowsMax: 3, fatal: endProcess };
  const store = new Store({ clock, tables: [list.table], ...surroundings });
  store.attach(journal);
  const table = store.tableNamed('list');
  const base = { createdAt: 1, updatedAt: 1, tags: {} };
  const put = (id: string) =>
    store.transact(cause, (tx) => tx.put<RecordBase>(table, { ...base, id }));
  store.writeVersions({ list: 1 });
  put('a');
  t.match(table.peek('a')?.record, { items: [] });
  const [change] = journal.frames[0]?.changes ?? [];
  const { version = 0, values } = change ?? {};
  t.strictSame(table.codec.decode('a', version, values ?? []), table.peek('a')?.record);
  store.writeVersions({ list: 2 });
  put('b');
  t.match(table.peek('b')?.record, { items: undefined });
});

t.test('nodes of the former release compare signers of processes as they are stored', (t) => {
  const { codec } = postureCheckKind;
  const common = { osType: 'Linux' as const, path: '/bin/guard', hashes: ['AA:BB'] };
  const check: PostureCheckRecord = {
    ...codec.decode('p', 2, []),
    process: { ...common, signerFingerprint: 'CC DD' },
    processes: [{ ...common, signerFingerprints: ['EE-FF'] }, common],
  };
  t.match(codec.decode('p', 1, codec.encode(check, 1)), {
    process: { ...common, signerFingerprint: 'ccdd' },
    processes: [{ ...common, signerFingerprints: ['eeff'] }, common],
  });
  t.match(codec.decode('p', 2, codec.encode(check)), check);
  const bare = codec.decode('p', 2, []);
  t.strictSame(codec.decode('p', 1, codec.encode(bare, 1)), bare);
  t.end();
});

/** Lists that may never have been set, with the first version of their kind that knows this. */
const unsetLists: readonly (readonly [Kind, number, readonly string[]])[] = [
  [serviceKind, 2, ['configs', 'roleAttributes']],
  [routerKind, 4, ['configs', 'roleAttributes']],
  [caKind, 3, ['identityRoles']],
  [servicePolicyKind, 2, ['identityRoles', 'serviceRoles', 'postureCheckRoles']],
  [edgeRouterPolicyKind, 2, ['identityRoles', 'edgeRouterRoles']],
  [serviceEdgeRouterPolicyKind, 2, ['edgeRouterRoles', 'serviceRoles']],
];

t.test('nodes of the former release find empty lists where none were set', (t) => {
  for (const [{ kind, codec }, version, names] of unsetLists) {
    const unset: Readonly<Record<string, unknown>> & RecordBase = codec.decode('x', version, []);
    const older = codec.decode('x', version - 1, codec.encode(unset, version - 1));
    const values = new Map(Object.entries(older));
    for (const name of names) {
      t.equal(unset[name], undefined, `${kind} ${name}`);
      t.strictSame(values.get(name), [], `${kind} ${name}`);
      values.set(name, undefined);
    }
    t.strictSame(Object.fromEntries(values), unset, `${kind}: the rest is the same`);
  }
  t.end();
});

t.test('until its upgrade is final, a cluster keeps empty lists and refuses nothing', async (t) => {
  const network = await bootNetwork();
  const { store } = network.env;
  const versions = (of: 'oldestWritten' | 'version') =>
    Object.fromEntries(kinds.map(({ kind, codec }) => [kind, codec[of]]));
  const listsOf = (path: string) => network.must<Listed[]>('GET', `M:/${path}?sort=createdAt`);
  const make = async (name: string) => {
    await network.create('services', { name, encryptionRequired: true, roleAttributes: null });
    await network.create('edge-routers', { name });
    await network.create('service-policies', { name, type: 'Dial', semantic: 'AnyOf' });
    await network.advance(1000);
  };
  store.writeVersions(versions('oldestWritten'));
  await make('before');
  store.writeVersions(versions('version'));
  await make('after');
  for (const isRestarted of [false, true]) {
    if (isRestarted) await network.restart();
    if (isRestarted) await network.logInAdmin();
    for (const path of ['services', 'edge-routers']) {
      const [before, after] = await listsOf(path);
      t.match(before, { configs: [], roleAttributes: [] }, path);
      t.match(after, { configs: null, roleAttributes: null }, path);
    }
    const [before, after] = await listsOf('service-policies');
    t.match(before, { identityRoles: [], serviceRoles: [], postureCheckRoles: [] });
    t.match(after, { identityRoles: null, serviceRoles: null, postureCheckRoles: null });
  }
  await network.stop();
});

type Listed = Readonly<Record<string, unknown>>;
