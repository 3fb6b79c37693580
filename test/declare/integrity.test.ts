// The rules of records and policies, each broken in tables of a few lines.

import { t } from 'tap';
import { type IntegrityTables, RecordChecks } from '../../src/declare/integrity.ts';
import { PolicyChecks } from '../../src/declare/integrity-policies.ts';
import type { Kind } from '../../src/declare/kind.ts';
import { kinds } from '../../src/resources/index.ts';
import type { RecordBase, Row } from '../../src/store/record.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

async function network(): Promise<Network> {
  const made = await bootNetwork({ freeze: false });
  await made.createUser('berta', 'password', { roleAttributes: ['staff'] });
  await made.create('services', { name: 'printer', encryptionRequired: true });
  await made.create('service-policies', {
    ...{ name: 'prints', semantic: 'AllOf', type: 'Dial' },
    ...{ identityRoles: ['#staff'], serviceRoles: ['#all'] },
  });
  return made;
}

function rowOf({ env }: Network, kind: string, name?: string): Row {
  const table = env.store.table(kind);
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
  const policies = new PolicyChecks(kinds, env.store, env.access);
  for (const table of env.store.tables()) {
    for (const row of table.all()) {
      t.same(records.of(table.kind, row), []);
      t.same(policies.of(table.kind, row), []);
    }
  }
  t.same(records.of('nothing declared', rowOf({ env } as Network, 'service')), []);
});

t.test('a record is checked, and what would mend it is said', async (t) => {
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
      { fix: { do: 'set', field: 'identityRoles', value: ['#staff'] } },
    ],
    [
      ...(['service', { name: 'unheard of' }] as const),
      { check: 'unique', field: 'name', fix: { do: 'index', index: 'name' } },
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
  store.table('service').isLive = (record: RecordBase) => record.id !== service.record.id;
  t.match(records.of('service', service), [{ check: 'departed', fix: { do: 'remove' } }]);
  store.transact({ actor: 'test', requestId: '', operation: 'test' }, (tx) => {
    store.followUps.note(tx, 'work', 'someWork', []);
  });
  t.same(records.of('service', service), [], 'work under way sees to it');
});

t.test('policies that access has other members for', async (t) => {
  const made = await network();
  const { store, access } = made.env;
  const berta = rowOf(made, 'identity', 'berta');
  const policy = rowOf(made, 'servicePolicy');
  const of = (row: Row) => new PolicyChecks(kinds, store, access).of('identity', row);
  const mend = spoil(berta, { roleAttributes: ['night'] });
  const description = `does not select the identity ${berta.record.id}, though access says so`;
  t.same(of(berta), [
    {
      ...{ check: 'policy', kind: 'servicePolicy', id: policy.record.id, field: 'identityRoles' },
      ...{ description, fix: { do: 'access' } },
    },
  ]);
  mend();
  const checks = new PolicyChecks(kinds, store, access);
  t.same(checks.of('identity', berta), []);
  spoil(policy, { identityRoles: ['#staff', '#night'] });
  t.same(checks.of('identity', berta), [], 'read before');
  checks.reread('servicePolicy', policy.slot);
  t.match(checks.of('identity', berta), [{ description }]);
  spoil(policy, { identityRoles: ['#all'] });
  const text = /^selects the identity \S+, which access does not know$/;
  t.match(of(rowOf(made, 'identity', 'admin')), [{ description: text }]);
  t.same(new PolicyChecks(kinds, store, access).of('authPolicy', berta), [], 'no member');
});

t.test('role lists select as the specification words it', (t) => {
  const cases: [string, readonly string[], readonly string[], boolean][] = [
    ['AllOf', ['#a', '#b'], ['a'], false],
    ['AllOf', ['#a', '#b'], ['b', 'a'], true],
    ['AnyOf', ['#a', '#b'], ['b'], true],
    ['AnyOf', [], ['b'], false],
    ['AllOf', [], [], false],
    ['AllOf', ['#a', '@member'], [], true],
    ['AllOf', ['@other'], ['a'], false],
    ['AnyOf', ['#all'], [], true],
  ];
  for (const [semantic, roles, attributes, selects] of cases) {
    const policy = { record: { id: 'policy', semantic, roles }, slot: 7 } as unknown as Row;
    const member = { record: { id: 'member', attributes }, slot: 1 } as unknown as Row;
    const tables: IntegrityTables = {
      table: () => ({ ...nothing, all: () => [policy], inSlot: () => policy, peek: () => policy }),
    };
    const access = { policiesOf: () => (selects ? [7] : []) };
    const found = new PolicyChecks(twoKinds, tables, access).of('member', member);
    t.same(found, [], `${semantic} ${roles} ${attributes}`);
    const wrong = { policiesOf: () => (selects ? [] : [7]) };
    t.equal(new PolicyChecks(twoKinds, tables, wrong).of('member', member).length, 1);
  }
  t.end();
});

const nothing = {
  isLive: undefined,
  unique: () => ({ get: () => undefined }),
};

const twoKinds = [
  {
    kind: 'member',
    member: {
      space: 'identity',
      attributes: (record: { attributes: readonly string[] }) => record.attributes,
    },
  },
  { kind: 'policy', policy: { family: 'servicePolicy', sides: { identity: 'roles' } } },
] as unknown as readonly Kind[];
