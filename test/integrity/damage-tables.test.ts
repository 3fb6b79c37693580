// Damage to what tables derive from their rows: indexes, slots, orders, positions.

import t from 'tap';
import { type RecordBase, Row } from '../../src/store/record.ts';
import type { Network } from '../simulated/network.ts';
import { type Damage, testDamages } from './damages.ts';
import { bootScene, linesOf, rowOf, run, tableOf } from './scene.ts';

const nameIndex = (network: Network) => tableOf(network, 'identity').unique('name');

const damages: readonly Damage[] = [
  {
    what: 'a unique key is lost',
    do: ({ network }) => void nameIndex(network).map.delete('alice'),
    found: [/^index of identity by name: .+ is not found$/],
    after: ({ network }) => void t.ok(nameIndex(network).get('alice')),
  },
  {
    what: 'a unique key leads to another record',
    do: ({ network, ids }) =>
      void nameIndex(network).map.set('alice', rowOf(network, 'identity', ids.bob)),
    found: [/^index of identity by name: .+ is not found$/],
    after: ({ network, ids }) =>
      void t.equal(nameIndex(network).get('alice')?.record.id, ids.alice),
  },
  {
    what: 'a unique key that nobody has',
    do: ({ network, ids }) =>
      void nameIndex(network).map.set('nobody', rowOf(network, 'identity', ids.bob)),
    found: [/^index of identity by name: an entry leads to .+, which has no such key$/],
    after: ({ network }) => void t.equal(nameIndex(network).get('nobody'), undefined),
  },
  {
    what: 'a record is missing in a group, and in another one that is not its own',
    do({ network, ids }) {
      const index = tableOf(network, 'session').group('serviceId');
      const row = rowOf(network, 'session', ids.session);
      index.drop(ids.crm, row.slot);
      index.change(row, undefined, { ...row.record, serviceId: ids.mail } as RecordBase);
    },
    found: [/^index of session by serviceId: .+ is not found$/],
    after({ network, ids }) {
      const index = tableOf(network, 'session').group('serviceId');
      t.same([index.count(ids.crm), index.count(ids.mail)], [1, 0]);
    },
  },
  {
    what: 'a group has a slot that is empty',
    do({ network, ids }) {
      const { record, lsn } = rowOf(network, 'identity', ids.bob);
      const index = tableOf(network, 'identity').group('authPolicyId');
      index.change(new Row(record, lsn, 99), undefined, record);
    },
    found: [
      /^index of identity by authPolicyId: an entry leads to the empty slot 99, which has no/,
    ],
    after({ network }) {
      const identities = tableOf(network, 'identity');
      t.equal(identities.group('authPolicyId').count('default'), identities.size);
    },
  },
  {
    what: 'a slot is empty, and another one is said to be free',
    do({ network, ids }) {
      const { bySlot, freeSlots } = tableOf(network, 'service').internals;
      bySlot.set(rowOf(network, 'service', ids.crm).slot, undefined);
      freeSlots.push(rowOf(network, 'service', ids.mail).slot);
    },
    found: [
      /^slots of service: .+ is not in its slot 0$/,
      /^access: service in slot 0 is known with other role attributes than the records have$/,
    ],
  },
  {
    what: 'a map has lost where a key is',
    do({ network }) {
      const { map } = tableOf(network, 'authPolicy').unique('name');
      for (const cells of map.partitions) cells?.fill(0);
    },
    found: [/^index of authPolicy by name: a key is not found$/],
    after: ({ network }) => void t.ok(tableOf(network, 'authPolicy').findBy('name', 'Default')),
  },
  {
    what: 'a slot holds a record that is gone',
    do({ network }) {
      const { bySlot, freeSlots } = tableOf(network, 'service').internals;
      const slot = bySlot.length;
      bySlot.set(slot, new Row({ id: 'gone', createdAt: 1, updatedAt: 1, tags: {} }, 1, slot));
      freeSlots.length = 0;
    },
    found: [
      /^slots of service: slot 2 holds gone, which is not there$/,
      /^access: service gone is known with other role attributes than the records have$/,
    ],
    after: ({ network }) => void t.same(tableOf(network, 'service').internals.freeSlots, [2]),
  },
  {
    what: 'two records have one slot',
    do({ network, ids }) {
      const { rows, bySlot } = tableOf(network, 'identityType').internals;
      const [first, second] = bySlot;
      if (first === undefined || second === undefined) throw new Error(ids.crm);
      rows.set(second.record.id, new Row(second.record, second.lsn, first.slot));
    },
    found: [
      /^slots of identityType: .+ is not in its slot 0$/,
      /^index of identityType by name: .+ is not found$/,
      /^identityType .+: name .+ is also that of .+: give one of the two another name/,
    ],
    left: [/^slots of identityType: .+ \(two records stand in slot 0\): restart the controller/],
  },
  {
    what: 'an order has lost a record, and has two of them the wrong way round',
    do({ network, ids }) {
      const sorted = tableOf(network, 'identity').internals.sorted.find(
        ({ name }) => name === 'name',
      );
      const block = sorted?.runs[0] as Row[];
      block.reverse();
      block.splice(block.indexOf(rowOf(network, 'identity', ids.bob)), 1);
    },
    found: [/^order of identity by name: .+ is not in its place$/],
    async after({ network }) {
      const rows = await network.must<{ name: string }[]>('GET', 'M:/identities?sort=name');
      t.same(
        rows.map(({ name }) => name),
        ['admin', 'alice', 'bobby', 'clerk'],
      );
    },
  },
  {
    what: 'a record, and a table, are of frames that are not yet',
    do({ network, ids }) {
      rowOf(network, 'identity', ids.alice).lsn = 1_000_000;
      tableOf(network, 'service').lastLsn = Number.NaN;
    },
    found: [
      /^positions of identity: .+ is of frame 1000000, and \d+ is the newest$/,
      /^positions of service: .+ is of frame \d+, and the last that changed the kind is NaN$/,
    ],
    async after({ network, ids }) {
      await network.must('GET', `M:/identities/${ids.alice}`);
    },
  },
];

testDamages(t, damages);

t.test(
  'the map by id has lost where its keys are: nothing else is right until it is',
  async (t) => {
    const { network, ids } = await bootScene();
    for (const cells of tableOf(network, 'service').internals.rows.partitions) cells?.fill(0);
    t.equal(tableOf(network, 'service').peek(ids.crm), undefined);
    const lines = linesOf(await run(network, true));
    t.same(lines, ['fixed map of service by id: a key is not found']);
    t.same(linesOf(await run(network, false)), [], 'whole again');
    await network.must('GET', `M:/services/${ids.crm}`);
    network.logged.length = 0;
  },
);
