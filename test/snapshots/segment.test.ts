// Segment headers and segments in the making.

import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import t from 'tap';
import { NewerFormat, SyncFailed } from '../../snapshots/errors.ts';
import { segmentPath } from '../../snapshots/home/layout.ts';
import {
  AheadSegment,
  type SegmentHeader,
  segmentHeaderBytes,
  unpackSegmentHeader,
} from '../../snapshots/log/segment.ts';
import * as fc from '../properties.ts';
import { SimulatedDisk } from '../simulated/disk.ts';

const dataSetId = '00112233445566778899aabbccddeeff';
const header = {
  dataSetId,
  sequence: 3,
  firstLsn: 17,
  term: 0,
  previousCrc: 0xfedcba98,
  isClustered: false,
};

/** A header as a segment begins with it. */
function packed(header: SegmentHeader): Buffer {
  const disk = homeDisk();
  new AheadSegment(disk, '/home', header.sequence, 4096).begin(header).close();
  return disk.bytesOf(segmentPath('/home', header.sequence)).subarray(0, segmentHeaderBytes);
}

t.test('what is written is read', async () => {
  const number = fc.nat({ max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(number, number, fc.nat({ max: 0xffffffff }), (sequence, firstLsn, previousCrc) => {
      const isClustered = sequence % 2 === 1;
      const written = { ...header, sequence, firstLsn, previousCrc, isClustered };
      assert.deepStrictEqual(unpackSegmentHeader(packed(written), 'file'), written);
    }),
    { numRuns: 30 },
  );
});

t.test('every flipped bit is noticed', async (t) => {
  const bytes = packed(header);
  t.equal(bytes.length, segmentHeaderBytes);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if (unpackSegmentHeader(flipped, 'file') !== undefined) t.fail(`bit ${bit} went unnoticed`);
  }
  t.equal(unpackSegmentHeader(bytes.subarray(0, 511), 'file'), undefined);
});

t.test('a newer format is refused by name', async (t) => {
  // Checksum of the same header with version 3, worked out by the same rule as in format.md.
  const bytes = packed(header);
  bytes.writeUInt32LE(3, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(64), crc32(bytes.subarray(0, 60))), 60);
  t.throws(() => unpackSegmentHeader(bytes, 'a.log'), NewerFormat);
  t.throws(() => unpackSegmentHeader(bytes, 'a.log'), {
    message: 'a.log has log format 3; this program reads up to 2: use a newer release',
  });
});

t.test('only the segments of a cluster have the newer format', async (t) => {
  t.equal(packed(header).readUInt32LE(8), 1, 'older releases read a home of its own');
  const clustered = packed({ ...header, isClustered: true });
  t.equal(clustered.readUInt32LE(8), 2);
  t.equal(clustered.readUInt32LE(64), 1);
  clustered.writeUInt32LE(3, 64);
  clustered.writeUInt32LE(crc32(clustered.subarray(64), crc32(clustered.subarray(0, 60))), 60);
  t.throws(() => unpackSegmentHeader(clustered, 'a.log'), NewerFormat, 'flags that are newer');
});

t.test('is made ahead piece by piece and begun when it is wanted', async (t) => {
  const disk = homeDisk();
  const ahead = new AheadSegment(disk, '/home', 2, 4096);
  ahead.advance(1000);
  t.equal(ahead.zeroed, 1000);
  const path = segmentPath('/home', 2);
  t.equal(disk.bytesOf(path).length, 1000);
  const file = ahead.begin({ ...header, sequence: 2 });
  t.equal(file.size(), 4096);
  const found = disk.crash().bytesOf(path);
  t.strictSame(unpackSegmentHeader(found, path), { ...header, sequence: 2 });
  t.strictSame(found.subarray(512), Buffer.alloc(4096 - 512), 'real zeros, durable');
});

t.test('goes on after a full disk; gives up after a failed sync', async (t) => {
  const disk = homeDisk();
  const ahead = new AheadSegment(disk, '/home', 1, 4096);
  disk.failCall(2, 'ENOSPC');
  t.throws(() => ahead.begin({ ...header, sequence: 1 }), { code: 'ENOSPC' });
  disk.failCall(2, 'EIO');
  t.throws(() => ahead.begin({ ...header, sequence: 1 }), SyncFailed);
  t.equal(ahead.begin({ ...header, sequence: 1 }).size(), 4096);
});

t.test('goes on after the process had no descriptor for a file or a directory', async (t) => {
  const disk = homeDisk();
  const ahead = new AheadSegment(disk, '/home', 1, 4096);
  disk.failCall(1, 'EMFILE');
  t.throws(() => ahead.advance(4096), { code: 'EMFILE' }, 'the file');
  const syncs: string[] = [];
  disk.onCall = (what, path) => void (what === 'fsync' && syncs.push(path));
  // The file is created, written once and synced; then its directory is opened.
  disk.failCall(4, 'EMFILE');
  t.throws(() => ahead.advance(4096), { code: 'EMFILE', name: 'Error' }, 'the directory');
  t.strictSame(syncs, ['/home/log']);
  t.equal(ahead.begin({ ...header, sequence: 1 }).size(), 4096);
  t.strictSame(syncs, ['/home/log', '/home/log'], 'the directory is synced after all');
});

function homeDisk(): SimulatedDisk {
  const disk = new SimulatedDisk(1);
  disk.makeDirectory('/home/log');
  return disk;
}
