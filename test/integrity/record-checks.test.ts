// The rules of records, each broken in a network of a few records.

import { t } from 'tap';
import { RecordChecks } from '../../src/integrity/record-checks.ts';
import { serviceKind } from '../../src/records/service.ts';
import { kinds } from '../../src/resources/index.ts';
import type { RecordBase, Row } from '../../src/store/record.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

async function network(): Promise<Network> {
  const made = await bootNetwork({ freeze: false });
  await made.createUser('berta', 'password', { roleAttributes: ['staff'] });
  await made.create('services', { name: 'printer', encryptionRequired: true });
  await made.create('service-policies', {
    name: 'prints',
    semantic: 'AllOf',
    type: 'Dial',
    identityRoles: ['#staff'],
    serviceRoles: ['#all'],
  });
  return made;
}

function rowOf({ env }: Network, kind: string, name?: string): Row {
  const table = env.store.tableNamed(kind);
  const row = name === undefined ? [...table.all()].at(-1) : table.findBy('name', name);
  if (row === undefined) throw new Error(`no ${kind}`);
  return row;
}

/** Writes into a row past everything that follows writes. */
function spoil(row: Row, fields: Readonly<Record<string, unknown>>): () => void {
  const { record } = row;
  row.record = { ...record, ...fields };
  return () => {
    row.record = record;
  };
}

t.test('nothing is wrong with what operations wrote', async (t) => {
  const { env } = await network();
  const records = new RecordChecks(kinds, env.store);
  for (const table of env.store.tables()) {
    for (const row of table.all()) {
      t.same(records.of(table.kind, row), []);
    }
  }
  t.same(records.of('nothing declared', rowOf({ env } as Network, 'service')), []);
});

t.test('a record is checked, and its repair is named', async (t) => {
  const made = await network();
  const { env } = made;
  const records = new RecordChecks(kinds, env.store);
  const cases: [string, Readonly<Record<string, unknown>>, object][] = [
    ['service', { createdAt: '1' }, { check: 'values', field: 'createdAt' }],
    ['service', { name: undefined }, { check: 'values', field: 'name' }],
    ['service', { configs: [7] }, { check: 'values', field: 'configs' }],
    ['service', { configs: 'x' }, { check: 'values', field: 'configs' }],
    ['identity', { state: 'none' }, { check: 'state', field: 'state', fix: undefined }],
    [
      ...(['service', { configs: ['gone'] }] as const),
      { check: 'reference', field: 'configs', fix: undefined },
    ],
    [
      ...(['identity', { authPolicyId: 'gone' }] as const),
      { check: 'reference', field: 'authPolicyId', fix: undefined },
    ],
    [...(['identity', { typeId: 'gone' }] as const), { check: 'reference', field: 'typeId' }],
    [
      ...(['authenticator', { identityId: 'gone' }] as const),
      { check: 'reference', field: 'identityId', fix: { do: 'remove' } },
    ],
    [
      ...(['servicePolicy', { identityRoles: ['#staff', '@gone'] }] as const),
      { fix: { do: 'patch', values: { identityRoles: ['#staff'] } } },
    ],
  ];
  for (const [kind, fields, expected] of cases) {
    const row = rowOf(made, kind);
    const mend = spoil(row, fields);
    const [finding] = records.of(kind, row);
    t.match(finding, { kind, id: row.record.id, ...expected }, JSON.stringify(fields));
    mend();
    t.same(records.of(kind, row), []);
  }
});

t.test('two records with one key', async (t) => {
  const made = await network();
  const records = new RecordChecks(kinds, made.env.store);
  const admin = rowOf(made, 'identity', 'admin');
  spoil(admin, { name: 'berta' });
  const [finding] = records.of('identity', admin);
  const berta = rowOf(made, 'identity', 'berta').record.id;
  t.match(finding, { description: `name berta is also that of ${berta}`, fix: undefined });
});

t.test('a record that no reader sees', async (t) => {
  const made = await network();
  const { store } = made.env;
  const records = new RecordChecks(kinds, store);
  const service = rowOf(made, 'service');
  store.table(serviceKind).isLive = (record: RecordBase) => record.id !== service.record.id;
  t.match(records.of('service', service), [{ check: 'live', fix: { do: 'remove' } }]);
  store.transact({ actor: 'test', requestId: '', operation: 'test' }, (tx) => {
    store.deferredCascades.note(tx, 'work', 'someWork', []);
  });
  t.same(records.of('service', service), [], 'work under way sees to it');
});
