// Snapshots: round trips, verification, and what a home keeps of them.

import t from 'tap';
import { NewerFormat } from '../../snapshots/errors.ts';
import type { StoredRecord } from '../../snapshots/journal.ts';
import { listSegments } from '../../snapshots/log/segment-list.ts';
import {
  readSnapshot,
  SnapshotDamaged,
  SnapshotPacker,
  SnapshotWriter,
} from '../../snapshots/snapshot/snapshot-file.ts';
import { SimulatedDisk } from '../simulated/disk.ts';
import { openSimulated, putEach } from './home.ts';

const header = {
  dataSetId: '00112233445566778899aabbccddeeff',
  lsn: 42,
  timeMs: 1_700_000_000_000,
};

function recordOf(index: number, bytes = 40): StoredRecord {
  const values = [`name ${index}`, 'x'.repeat(bytes), { tag: 'é' }, null, true];
  return {
    kind: index % 2 === 0 ? 'even' : 'odd',
    id: `id${index}`,
    lsn: index,
    version: 2,
    values,
  };
}

function written(records: readonly StoredRecord[]): SimulatedDisk {
  const disk = new SimulatedDisk(1);
  const writer = new SnapshotWriter(disk.open('/snap', 'create'), header);
  const packer = new SnapshotPacker();
  for (const record of records) for (const block of packer.add(record)) writer.write(block);
  const { last, counts } = packer.end();
  for (const block of last) writer.write(block);
  writer.finish(counts);
  return disk;
}

t.test('what is written is read', async (t) => {
  const sizes = [0, 1, 5000];
  for (const count of sizes) {
    const records = Array.from({ length: count }, (_, index) => recordOf(index));
    const disk = written(records);
    const found: StoredRecord[] = [];
    const counts = readSnapshot(disk, '/snap', (record) => found.push(record));
    t.strictSame(found, records);
    t.match(counts, { ...header, records: count });
    if (count === 5000) t.strictSame(counts.kinds, { even: 2500, odd: 2500 });
  }
});

t.test('a record larger than a block has one of its own', async (t) => {
  const records = [recordOf(0), recordOf(1, 300_000), recordOf(2), recordOf(3, 65_500)];
  const found: StoredRecord[] = [];
  readSnapshot(written(records), '/snap', (record) => found.push(record));
  t.strictSame(found, records);
});

t.test('what was read keeps nothing of the block it was read from', async (t) => {
  // Long and short texts, and bytes: over several blocks, which take each other's place.
  const records = Array.from({ length: 300 }, (_, index): StoredRecord => {
    const values = [Buffer.alloc(1000, index), `${index}`.repeat(200), `é${index}`];
    return { kind: 'bytes', id: `id${index}`, lsn: index, version: 1, values };
  });
  const found: StoredRecord[] = [];
  readSnapshot(written(records), '/snap', (record) => found.push(record));
  t.same(found, records);
});

t.test('every flipped bit and every missing byte is noticed', async (t) => {
  const disk = written([recordOf(0), recordOf(1)]);
  const whole = disk.bytesOf('/snap');
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const flipped = Buffer.from(whole);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    disk.place('/snap', flipped);
    if (reads(disk)) t.fail(`bit ${bit} went unnoticed`);
  }
  for (let length = 0; length < whole.length; length++) {
    disk.place('/snap', whole.subarray(0, length));
    if (reads(disk)) t.fail(`a cut to ${length} bytes went unnoticed`);
  }
  disk.place('/snap', Buffer.concat([whole, Buffer.alloc(8)]));
  t.notOk(reads(disk), 'nothing may stand behind the footer');
});

t.test('a newer format is refused by name', async (t) => {
  const { crc32 } = await import('node:zlib');
  const disk = written([]);
  disk.corrupt('/snap', (bytes) => {
    bytes.writeUInt32LE(2, 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  });
  t.throws(() => readSnapshot(disk, '/snap'), NewerFormat);
});

t.test('a home keeps two snapshots and the segments the older one needs', async (t) => {
  const disk = new SimulatedDisk(1);
  const { journal } = await openSimulated(disk);
  const ids = (round: number) => Array.from({ length: 60 }, (_, index) => `${round}-${index}`);
  const records: StoredRecord[] = [];
  for (let round = 1; round <= 4; round++) {
    await putEach(journal, ids(round));
    for (const id of ids(round)) {
      records.push({ kind: 'thing', id, lsn: 60 * round, version: 1, values: [id] });
    }
    await journal.writeSnapshot(records);
    const kept = disk.list('/home/snapshots').map((name) => Number(name.slice(0, 16)));
    t.strictSame(kept, round === 1 ? [60] : [60 * (round - 1), 60 * round]);
    const [first, second] = listSegments(disk, '/home').map(({ header }) => header?.firstLsn ?? 0);
    const needed = round < 2 ? 1 : 60 * (round - 1) + 1;
    t.ok((first ?? 0) <= needed, 'the log reaches back to the older snapshot');
    t.ok((second ?? 0) > needed, 'and not a segment further');
  }
  await journal.close();

  const clean = await openSimulated(disk.kill());
  t.match(clean.report, { snapshotLsn: 240, framesReplayed: 1, sealed: true, records: 240 });
  await clean.journal.close();
});

t.test('a damaged snapshot is passed over, reported, and the older one serves', async (t) => {
  const disk = new SimulatedDisk(1);
  const { journal } = await openSimulated(disk);
  const record = (id: string, lsn: number) => {
    return { kind: 'thing', id, lsn, version: 1, values: [id, 'text'] };
  };
  await putEach(journal, ['a']);
  await journal.writeSnapshot([record('a', 1)]);
  await putEach(journal, ['b']);
  await journal.writeSnapshot([record('a', 1), record('b', 2)]);
  const later = disk.kill();
  const file = '0000000000000002.snap';
  later.corrupt(`/home/snapshots/${file}`, (bytes) => bytes.fill(0, 100, 110));
  const { report, records } = await openSimulated(later);
  t.match(report, { snapshotLsn: 1, framesReplayed: 1, records: 2 });
  t.match(report.damagedSnapshots, [{ file, reason: /wrong checksum/ }]);
  t.strictSame([...records.keys()].sort(), ['thing a', 'thing b']);

  const next = later.kill();
  next.corrupt('/home/snapshots/0000000000000001.snap', (bytes) => bytes.fill(0, 100, 110));
  const third = await openSimulated(next);
  t.match(third.report, { snapshotLsn: 0, framesReplayed: 2, records: 2 }, 'the log alone serves');
});

function reads(disk: SimulatedDisk): boolean {
  try {
    readSnapshot(disk, '/snap', () => {});
    return true;
  } catch (error) {
    if (error instanceof SnapshotDamaged || error instanceof NewerFormat) return false;
    throw error;
  }
}
