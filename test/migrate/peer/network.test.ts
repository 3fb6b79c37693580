// The peer's database as a whole: schemas, kinds, and entities that are found.

import t from 'tap';
import { openBolt } from '../../../src/migrate/bolt/bolt-file.ts';
import { readNetwork } from '../../../src/migrate/peer/network.ts';
import { boltBucket, boltFile } from '../bolt/bolt-writer.ts';
import { MemoryFile } from '../bolt/memory-file.ts';
import * as peer from './database.ts';
import { networkOf } from './reading.ts';

t.test('databases of each schema', async (t) => {
  const fields = peer.entity({
    name: peer.text('printer'),
    configs: peer.set(['c1']),
    roleAttributes: peer.set(['all']),
    encryptionRequired: peer.flag(true),
    terminatorStrategy: peer.text('smartrouting'),
    isFabricOnly: peer.flag(false),
  });
  const fabricOnly = { ...fields, isFabricOnly: peer.flag(true) };
  const kinds = { services: { s1: fields, s2: fabricOnly } };
  for (const schema of [36, 37, 39, 41, 44, 48, 49]) {
    for (const layout of [{}, { pageSize: 16_384, freePageEvery: 2, isInlining: false }]) {
      const network = networkOf({ schema, kinds, layout });
      t.equal(network.schema, schema);
      t.equal(network.timelineId, 'Xjt_0NgdR');
      const service = network.entity('services', 's1');
      const edge = schema < 47 ? service?.below('edge') : service;
      t.strictSame(edge?.set('roleAttributes'), ['all'], `schema ${schema}`);
      t.equal(service?.text('terminatorStrategy'), 'smartrouting');
      const other = network.entity('services', 's2');
      t.equal(other?.flag('isFabricOnly') || other?.below('edge') === undefined, true);
    }
  }
});

t.test('entities of a kind in the order of their ids, also of thousands', async (t) => {
  const ids = Array.from({ length: 3000 }, (_, index) => `${index}-${'.-aZ'[index % 4]}`);
  const identities = Object.fromEntries(
    ids.map((id, index) => [id, peer.entity({ name: peer.text(`n${index}`) })]),
  );
  const network = networkOf({ kinds: { identities } });
  t.strictSame(
    [...network.entities('identities')].map(({ id }) => id),
    ids.toSorted(),
  );
  t.equal(network.entity('identities', '1234-a')?.text('name'), 'n1234');
  t.equal(network.entity('identities', 'nobody'), undefined);
  t.equal(network.entity('identities', ''), undefined);
  t.equal(network.entity('nothing', '1234-a'), undefined);
  t.strictSame([...network.entities('nothing')], []);
  const [first] = network.entities('identities');
  first?.text('name');
  const [again] = network.entities('identities');
  t.ok(again?.unread().includes('name'), 'each time nothing is noted as read');
});

t.test('unknown buckets and values are seen', async (t) => {
  const network = networkOf({
    kinds: { identities: {} },
    ziti: { oddValue: peer.text('x'), unknown: boltBucket({}) },
    root: { other: boltBucket({}) },
  });
  const kinds = ['identities', 'metadata', 'oddValue', 'unknown', 'versions'];
  t.strictSame(network.kinds, kinds);
  t.strictSame(network.roots, ['meta', 'other', 'ziti']);
  t.strictSame(network.fields('metadata')?.unread(), ['raftIndex']);
  t.equal(network.fields('metadata')?.integer('raftIndex'), 652);
  t.equal(network.fields('nothing'), undefined);
  t.throws(() => [...network.entities('versions')], {
    name: 'SourceDamaged',
    message: 'Field edge of versions in the database is a single value, not an entity.',
  });
});

t.test('a database that is none of the peer', async (t) => {
  const read = (root: Parameters<typeof boltFile>[0]) => () =>
    readNetwork(openBolt(new MemoryFile(boltFile(root))).root);
  const foreign = {
    name: 'SourceDamaged',
    message: /does not say which schema it has, so it is none of an OpenZiti controller\.$/,
  };
  t.throws(read(boltBucket({})), foreign);
  t.throws(read(boltBucket({ ziti: boltBucket({}) })), foreign);
  t.throws(read(boltBucket({ ziti: boltBucket({ versions: boltBucket({}) }) })), foreign);
  const wrong = boltBucket({ versions: boltBucket({ edge: peer.text('48') }) });
  t.throws(read(boltBucket({ ziti: wrong })), {
    message: 'Field edge of versions in the database is a text instead of an int64.',
  });
  const right = boltBucket({ versions: boltBucket({ edge: peer.int(48) }) });
  t.equal(read(boltBucket({ ziti: right }))().timelineId, undefined, 'a database without meta');
});

t.test('field names and ids that are no UTF-8', async (t) => {
  const bad = Buffer.of(0x80);
  const withField = boltBucket({ s1: boltBucket([[bad, peer.nil()]]) });
  const withId = boltBucket([[bad, boltBucket({})]]);
  for (const [services, sentence] of [
    [withField, 'services s1 in the database is no valid UTF-8.'],
    [withId, 'services in the database is no valid UTF-8.'],
  ] as const) {
    const network = networkOf({ ziti: { services } });
    t.throws(() => [...network.entities('services')], { message: sentence });
  }
});
