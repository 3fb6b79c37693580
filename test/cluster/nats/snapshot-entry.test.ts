// What stands beside a shared snapshot.

import t from 'tap';
import {
  entryOf,
  entrySeal,
  isSnapshotName,
  readEntry,
  snapshotName,
} from '../../../src/cluster/nats/snapshot-entry.ts';
import fc from '../../properties.ts';

const key = Buffer.from('key of all nodes');
const seal = entrySeal('store', key);
const facts = { generation: 2, lsn: 3, crc: 0xab, sequence: 5, bytes: 6, digest: 'ff' };
const name = 'snapshot-0000000000000003-000000ab';

t.test('an entry is read as it was written', (t) => {
  t.equal(snapshotName(facts), name);
  const { digest, ...known } = facts;
  t.same(readEntry(seal, name, 6, entryOf(seal, facts)), { snapshot: { name, ...known }, digest });
  t.end();
});

t.test('no fact can be changed', (t) => {
  const entry = entryOf(seal, facts);
  for (const field of Object.keys(entry)) {
    t.equal(readEntry(seal, name, 6, { ...entry, [field]: '7' }), undefined, field);
    const { [field]: _, ...others } = entry;
    t.equal(readEntry(seal, name, 6, others), undefined, field);
  }
  t.equal(readEntry(seal, name, 7, entry), undefined);
  t.equal(readEntry(seal, snapshotName({ lsn: 4, crc: 0xab }), 6, entry), undefined);
  t.equal(readEntry(entrySeal('other', key), name, 6, entry), undefined);
  t.equal(readEntry(entrySeal('store', Buffer.from('x')), name, 6, entry), undefined);
  t.end();
});

t.test('names in order are snapshots in order', (t) => {
  const lsn = fc.nat({ max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(lsn, lsn, fc.nat({ max: 0xffff_ffff }), (one, other, crc) => {
      const [a, b] = [snapshotName({ lsn: one, crc }), snapshotName({ lsn: other, crc: 0 })];
      return isSnapshotName(a) && (one === other || a < b === one < other);
    }),
  );
  t.notOk(isSnapshotName('snapshot-3-ab'));
  t.notOk(isSnapshotName(`${name}/x`));
  t.end();
});
