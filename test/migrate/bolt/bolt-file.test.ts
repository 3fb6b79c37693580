// What the reader of bbolt files reads, and every way in which a file is damaged.

import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { openBolt } from '../../../src/migrate/bolt/bolt-file.ts';
import { SourceDamaged } from '../../../src/migrate/source-problem.ts';
import type { DiskFile } from '../../../src/platform/ports.ts';
import { type BoltBucket, type BoltLayout, boltBucket, boltFile, sealMeta } from './bolt-writer.ts';
import { contentGiven, contentOf } from './contents.ts';
import { DamagedFile } from './damage.ts';
import { MemoryFile } from './memory-file.ts';

/** A root with one bucket that has so many values. */
function rows(count: number, bytes = 20): BoltBucket {
  const entries = Array.from({ length: count }, (_, index): [string, Buffer] => [
    `key-${String(index).padStart(6, '0')}`,
    Buffer.alloc(bytes, index),
  ]);
  return boltBucket({ rows: boltBucket(entries) });
}

/** A file whose bucket `rows` has a branch page over leaves. */
function branched(layout: BoltLayout = {}): DamagedFile {
  return new DamagedFile(boltFile(rows(500), layout), layout.pageSize);
}

/** The branch page of such a file. */
function branchOf(file: DamagedFile): number {
  return file.bucketPage(file.rootPage, 0);
}

function refused(t: Test, bytes: Buffer, sentence: RegExp, name = sentence.source): void {
  let found: unknown;
  try {
    openBolt(new MemoryFile(bytes, 10_000)).check();
  } catch (error) {
    found = error;
  }
  if (!(found instanceof SourceDamaged)) {
    t.fail(`${name}: ${found instanceof Error ? found.stack : 'it was read'}`);
    return;
  }
  t.match(found.message, sentence, name);
  t.match(found.message, /^[A-Z].*\.$/, 'a sentence');
}

t.test('branches, runs of pages, inline and nested buckets, and pages of every size', async (t) => {
  const root = boltBucket({
    empty: boltBucket({}),
    small: boltBucket({ a: Buffer.of(1), b: Buffer.alloc(0) }),
    nested: boltBucket({ one: boltBucket({ two: boltBucket({ three: Buffer.of(3) }) }) }),
    large: boltBucket({ value: Buffer.alloc(300_000, 7), other: Buffer.alloc(70_000, 8) }),
    ...Object.fromEntries(rows(3000).entries),
  });
  for (let pageSize = 1024; pageSize <= 65_536; pageSize *= 2) {
    for (const layout of [{}, { freePageEvery: 3, isInlining: false, fill: 1 }]) {
      const file = boltFile(root, { pageSize, ...layout });
      t.strictSame(contentOf(file), contentGiven(root), `pages of ${pageSize} bytes`);
    }
  }
});

t.test('values and buckets are found by their keys', async (t) => {
  const { bytes } = branched({ freePageEvery: 2 });
  const { root } = openBolt(new MemoryFile(bytes));
  const found = root.bucket('rows');
  for (let index = 0; index < 500; index++) {
    const value = found?.value(`key-${String(index).padStart(6, '0')}`);
    t.ok(value?.equals(Buffer.alloc(20, index)), `${index}`);
  }
  for (const key of ['', 'a', 'key-', 'key-0000001', 'key-000250x', 'z']) {
    t.equal(found?.value(key), undefined, key);
  }
  t.equal(root.value('rows'), undefined, 'a bucket is no value');
  t.equal(found?.bucket('key-000001'), undefined, 'a value is no bucket');
  t.equal(root.bucket('other'), undefined);
  t.equal(root.bucket('rows')?.bucket('key-'), undefined);
});

t.test('an empty database has no entries', async (t) => {
  t.strictSame(contentOf(boltFile(boltBucket({}))), []);
});

t.test('files of 0, 1 and 8,191 bytes', async (t) => {
  refused(t, Buffer.alloc(0), /has 0 bytes, which is less than one meta page/);
  refused(t, Buffer.alloc(1), /has 1 bytes, which is less than one meta page/);
  refused(t, Buffer.alloc(8191), /no database of bbolt, or both of its meta pages are damaged/);
  const { bytes } = branched();
  refused(t, bytes.subarray(0, 8191), /not complete: it has \d+ pages of 4096 bytes.* 8191 bytes/);
});

t.test('one damaged meta is normal, and the other one counts', async (t) => {
  for (const pageSize of [1024, 4096, 16_384, 65_536]) {
    for (const page of [0, 1]) {
      for (const offset of [16, 20, 24, 32, 72]) {
        const { bytes } = branched({ pageSize });
        bytes.writeUInt8((bytes[page * pageSize + offset] ?? 0) ^ 0x10, page * pageSize + offset);
        const name = `page ${page} of ${pageSize} bytes, byte ${offset}`;
        t.strictSame(contentOf(bytes), contentGiven(rows(500)), name);
        t.equal(openBolt(new MemoryFile(bytes)).transactionId, page === 1 ? 6 : 7, name);
      }
    }
  }
});

t.test('both metas damaged', async (t) => {
  const { bytes } = branched();
  bytes.writeUInt8(0, 72);
  bytes.fill(0, 4096, 8192);
  refused(t, bytes, /page 0 has a wrong checksum, page 1 is at no place where it may begin\.$/);
});

t.test('the meta with the higher transaction counts, at either place', async (t) => {
  for (const transactionId of [8, 9, 4_294_967_297]) {
    const { bytes } = branched({ transactionId });
    t.equal(openBolt(new MemoryFile(bytes)).transactionId, transactionId);
    // The older meta leads to a root that is gone.
    bytes.writeUInt32LE(2, transactionId % 2 === 0 ? 4096 + 32 : 32);
    sealMeta(bytes, transactionId % 2 === 0 ? 4096 : 0);
    t.strictSame(contentOf(bytes), contentGiven(rows(500)));
  }
});

t.test('a meta of another version, size of pages, root or number of pages', async (t) => {
  const cases: readonly (readonly [offset: number, value: number, sentence: RegExp])[] = [
    [20, 3, /page 0 has version 3 instead of 2/],
    [24, 0, /says that pages have 0 bytes/],
    [24, 4095, /says that pages have 4095 bytes/],
    [24, 512, /says that pages have 512 bytes/],
    [24, 131_072, /says that pages have 131072 bytes/],
    [32, 0, /the root of the database is page 0, but the pages for that are 2 to/],
    [32, 1_000_000, /the root of the database is page 1000000/],
    [36, 1, /the root of the database is page 4294967\d+/],
    [56, 1_000_000, /not complete: it has 1000000 pages/],
    [60, 0xffff_ffff, /not complete: it has 184467440\d+ pages/],
  ];
  for (const [offset, value, sentence] of cases) {
    const { bytes } = branched();
    for (const start of [0, 4096]) {
      bytes.writeUInt32LE(value, start + offset);
      sealMeta(bytes, start);
    }
    refused(t, bytes, sentence);
  }
});

t.test('metas that disagree on the size of pages', async (t) => {
  const { bytes } = branched();
  bytes.writeUInt32LE(8192, 4096 + 24);
  sealMeta(bytes, 4096);
  t.equal(openBolt(new MemoryFile(bytes)).transactionId, 6, 'the first one counts');
});

t.test('pages of 16 KiB', async (t) => {
  const file = openBolt(new MemoryFile(branched({ pageSize: 16_384 }).bytes));
  t.equal(file.pageSize, 16_384);
  file.check();
});

t.test('a page that points to itself', async (t) => {
  const file = branched();
  const branch = branchOf(file);
  file.set(file.element(branch, 1) + 8, branch);
  refused(t, file.bytes, new RegExp(`^Page ${branch} .* is used twice, or leads back to itself`));
});

t.test('a page that points to one above it', async (t) => {
  const file = branched();
  file.set(file.element(branchOf(file), 1) + 8, file.rootPage);
  refused(t, file.bytes, new RegExp(`^Page ${file.rootPage} .* is used twice`));
});

t.test('a page that is used twice', async (t) => {
  const file = branched();
  const branch = branchOf(file);
  const child = file.childPage(branch, 0);
  file.set(file.element(branch, 1) + 8, child);
  refused(t, file.bytes, new RegExp(`^Page ${child} of the database is used twice`));

  const buckets = boltBucket({ a: rows(500), b: rows(500) });
  const two = new DamagedFile(boltFile(buckets));
  const first = two.bucketPage(two.rootPage, 0);
  const at = two.element(two.rootPage, 1);
  two.set(at + two.bytes.readUInt32LE(at + 4) + two.bytes.readUInt32LE(at + 8), first);
  refused(t, two.bytes, new RegExp(`^Page ${first} of the database is used twice`), 'two buckets');
});

t.test('a page in the middle of a run that is also a page of its own', async (t) => {
  const root = boltBucket({ a: boltBucket({ v: Buffer.alloc(20_000) }), b: rows(500) });
  const file = new DamagedFile(boltFile(root));
  const run = file.bucketPage(file.rootPage, 0);
  const at = file.element(file.rootPage, 1);
  file.bytes.copy(file.bytes, file.start(run + 2), file.start(file.bucketPage(file.rootPage, 1)));
  file.set(file.start(run + 2), run + 2);
  file.set(at + file.bytes.readUInt32LE(at + 4) + file.bytes.readUInt32LE(at + 8), run + 2);
  refused(t, file.bytes, new RegExp(`^Page ${run + 2} of the database is used twice`));
});

t.test('an element behind the end, or before the data', async (t) => {
  for (const [offset, value] of [
    [4, 5000],
    [4, 0xffff_ffff],
    [8, 5000],
    [12, 5000],
    [12, 0xffff_ffff],
    [4, 4],
  ] as const) {
    const file = branched();
    const leaf = file.childPage(branchOf(file), 0);
    file.set(file.element(leaf, 3) + offset, value);
    refused(t, file.bytes, new RegExp(`^Page ${leaf} .* has an element 3 from byte`));
  }
  const file = branched();
  const branch = branchOf(file);
  file.set(file.element(branch, 2), 4090);
  refused(t, file.bytes, new RegExp(`^Page ${branch} .* has an element 2 from byte`), 'a branch');
});

t.test('elements that overlap', async (t) => {
  const file = branched();
  const leaf = file.childPage(branchOf(file), 0);
  const at = file.element(leaf, 0);
  file.set(at + 12, file.bytes.readUInt32LE(at + 12) + 5);
  refused(t, file.bytes, new RegExp(`^Page ${leaf} of the database has elements that overlap`));
});

t.test('a count of 65,535, and others that do not fit', async (t) => {
  for (const count of [65_535, 65_534, 256]) {
    const file = branched();
    const branch = branchOf(file);
    file.setShort(file.start(branch) + 10, count);
    refused(t, file.bytes, new RegExp(`^Page ${branch} .* count of ${count} elements in 4096`));
  }
  const file = branched();
  const branch = branchOf(file);
  file.setShort(file.start(branch) + 10, 0);
  refused(t, file.bytes, new RegExp(`^Page ${branch} .* has a count of 0 elements`), 'a branch');
});

t.test('keys and branches out of order', async (t) => {
  const entries = ['a', 'c', 'b'].map((key): [string, Buffer] => [key, Buffer.of(1)]);
  const unsorted = boltFile(boltBucket({ x: boltBucket(entries) }), { isUnsorted: true });
  refused(t, unsorted, /^An inline bucket in page \d+ of the database has keys out of order/);
  const twice = boltBucket([...entries.slice(0, 1), ...entries.slice(0, 1)]);
  refused(t, boltFile(boltBucket({ x: twice })), /has keys out of order/, 'the same key twice');

  const exchanged = branched();
  const branch = branchOf(exchanged);
  const [second, third] = [1, 2].map((index) => exchanged.childPage(branch, index));
  exchanged.set(exchanged.element(branch, 1) + 8, third ?? 0);
  exchanged.set(exchanged.element(branch, 2) + 8, second ?? 0);
  refused(t, exchanged.bytes, /has keys out of order/, 'children exchanged');

  const lying = branched();
  const at = lying.element(branchOf(lying), 1);
  lying.bytes.write('l', at + lying.bytes.readUInt32LE(at));
  refused(t, lying.bytes, /has keys out of order/, 'a branch above its child');
});

t.test('a page with another number, flags or overflow', async (t) => {
  const cases: readonly (readonly [offset: number, value: number, sentence: string])[] = [
    [0, 99, 'says that it is page 99'],
    [4, 1, 'says that it is page 42949\\d+'],
    [8, 4, 'has the flags 4, which no page of a bucket has'],
    [8, 16, 'has the flags 16'],
    [8, 3, 'has the flags 3'],
    [8, 0, 'has the flags 0'],
    [12, 0xffff_ffff, 'is continued by 4294967295 pages, which reach behind the end'],
  ];
  for (const [offset, value, sentence] of cases) {
    const file = branched();
    const leaf = file.childPage(branchOf(file), 1);
    const at = file.start(leaf) + offset;
    if (offset === 8) file.setShort(at, value);
    else file.set(at, value);
    refused(t, file.bytes, new RegExp(`^Page ${leaf} of the database ${sentence}`));
  }
});

t.test('a page number that is that of a meta, or behind the end', async (t) => {
  for (const [page, high] of [
    [0, 0],
    [1, 0],
    [1_000_000, 0],
    [5, 1],
    [0, 0xffff_ffff],
  ] as const) {
    const file = branched();
    const at = file.element(branchOf(file), 1) + 8;
    file.set(at, page).set(at + 4, high);
    refused(t, file.bytes, /^Page \d+ of the database leads to page \d+, but the pages for that/);
  }
});

t.test('a tree that is more than 32 branches deep', async (t) => {
  const file = branched();
  const depth = 40;
  const branch = branchOf(file);
  const pages = file.bytes.length / 4096;
  const bytes = Buffer.concat([file.bytes, Buffer.alloc(depth * 4096)]);
  const deep = new DamagedFile(bytes);
  // A chain of branches with one child each, between the branch and its first leaf.
  for (let index = 0; index < depth; index++) {
    const page = pages + index;
    bytes.copy(bytes, deep.start(page), deep.start(branch), deep.start(branch + 1));
    deep.set(deep.start(page), page).setShort(deep.start(page) + 10, 1);
    const child = index === depth - 1 ? file.childPage(branch, 0) : page + 1;
    deep.set(deep.element(page, 0) + 8, child);
  }
  deep.set(deep.element(branch, 0) + 8, pages);
  for (const start of [0, 4096]) {
    bytes.writeUInt32LE(pages + depth, start + 56);
    sealMeta(bytes, start);
  }
  refused(t, bytes, /^Page \d+ of the database lies below 32 others, which no bucket needs/);
});

t.test('buckets that are nested too deep', async (t) => {
  const nested = (depth: number): BoltBucket =>
    boltBucket(depth === 0 ? {} : { a: nested(depth - 1) });
  t.strictSame(contentOf(boltFile(nested(40))), contentGiven(nested(40)), '40 deep');
  refused(t, boltFile(nested(41)), /has a bucket within 40 others, which is too deep/);
});

t.test('a bucket that does not say where it is', async (t) => {
  const file = new DamagedFile(boltFile(boltBucket({ x: boltBucket({ a: Buffer.of(1) }) })));
  const at = file.element(file.rootPage, 0);
  const value = at + file.bytes.readUInt32LE(at + 4) + file.bytes.readUInt32LE(at + 8);
  const copy = () => new DamagedFile(Buffer.from(file.bytes));
  refused(t, copy().set(at + 12, 15).bytes, /has a bucket of 15 bytes, too few/);
  refused(t, copy().set(at + 12, 31).bytes, /^An inline bucket .* ends within its header/);
  refused(t, copy().set(value, 5).bytes, /has a bucket of \d+ bytes that is also at page 5/);
  refused(t, copy().setShort(value + 24, 1).bytes, /^An inline bucket .* has the flags 1/);
  refused(t, copy().set(value + 32, 1).bytes, /holds a bucket, which no inline bucket does/);
  refused(t, copy().set(at, 2).bytes, /has an element with the unknown flags 2/);
});

t.test('keys of no bytes, or of more than 32 KiB', async (t) => {
  const long = 'k'.repeat(32_769);
  refused(t, boltFile(boltBucket({ [long]: Buffer.of(1) })), /has a key of 32769 bytes/);
  refused(t, boltFile(boltBucket({ '': Buffer.of(1) })), /has a key of 0 bytes/);
  const most = boltBucket({ [long.slice(1)]: Buffer.of(1) });
  t.strictSame(contentOf(boltFile(most)), contentGiven(most));
});

t.test('a string of 64 MiB is refused before it is read', async (t) => {
  const mebibytes = 1024 * 1024;
  const root = boltBucket({ x: boltBucket({ text: Buffer.alloc(3000, 0x61) }) });
  const { bytes } = new DamagedFile(boltFile(root));
  // The leaf with the text becomes the last page, which a hole continues.
  const pages = bytes.length / 4096;
  const file = new DamagedFile(Buffer.concat([bytes, Buffer.alloc(4096)]));
  const leaf = file.bucketPage(file.rootPage, 0);
  const at = file.element(file.rootPage, 0);
  file.bytes.copy(file.bytes, file.start(pages), file.start(leaf), file.start(leaf + 1));
  file.set(at + file.bytes.readUInt32LE(at + 4) + file.bytes.readUInt32LE(at + 8), pages);
  file.set(file.start(pages), pages).set(file.start(pages) + 12, 16_400);
  file.set(file.element(pages, 0) + 12, 64 * mebibytes);
  for (const start of [0, 4096]) {
    file.set(start + 56, pages + 16_401);
    sealMeta(file.bytes, start);
  }
  const sparse = sparseFile(t, file.bytes, (pages + 16_401) * 4096);
  t.throws(() => openBolt(sparse).check(), {
    name: 'SourceDamaged',
    message: `Page ${pages} of the database has a value of 67108864 bytes, at most 8388608 are read.`,
  });
  const most = boltBucket({ x: boltBucket({ text: Buffer.alloc(8 * mebibytes) }) });
  const read = new MemoryFile(boltFile(most));
  openBolt(read).check();
  t.equal(read.largestRead, 8 * mebibytes + 4, 'the longest value');
});

t.test('a file that becomes shorter while it is read', async (t) => {
  const file = new MemoryFile(branched().bytes);
  const { root } = openBolt(file);
  file.bytes = file.bytes.subarray(0, 5000);
  t.throws(() => [...root.entries()], {
    name: 'SourceDamaged',
    message: /^Page \d+ of the database went away while it was read\.$/,
  });
});

t.test('a write to the file is noticed', async (t) => {
  const file = new MemoryFile(branched().bytes);
  const { isUnchanged } = openBolt(file);
  t.equal(isUnchanged(), true);
  file.bytes.writeUInt8(9, 64);
  t.equal(isUnchanged(), false, 'a meta');
  const longer = new MemoryFile(branched().bytes);
  const opened = openBolt(longer);
  longer.bytes = Buffer.concat([longer.bytes, Buffer.alloc(4096)]);
  t.equal(opened.isUnchanged(), false, 'the length');
});

t.test('a file of 10 GB is read page by page', async (t) => {
  const { bytes } = branched();
  // The pages lie before a hole that is as long as the file is said to be.
  const pages = Math.floor(10e9 / 4096);
  for (const start of [0, 4096]) {
    bytes.writeUInt32LE(pages, start + 56);
    sealMeta(bytes, start);
  }
  const opened = openBolt(sparseFile(t, bytes, pages * 4096));
  opened.check();
  t.equal(opened.root.bucket('rows')?.value('key-000123')?.length, 20);
});

/** A file on the disk that begins with these bytes and ends with a hole. */
function sparseFile(t: Test, bytes: Buffer, size: number): DiskFile {
  const path = join(t.testdir(), 'sparse.db');
  writeFileSync(path, bytes);
  truncateSync(path, size);
  const file = nodeDisk.open(path, 'read');
  t.teardown(() => file.close());
  return file;
}
