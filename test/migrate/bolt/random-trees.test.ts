// Random trees are read as they were written, in every layout, and mutated files end with a
// sentence.

import t from 'tap';
import { openBolt } from '../../../src/migrate/bolt/bolt-file.ts';
import { SourceDamaged } from '../../../src/migrate/source-problem.ts';
import { campaignSeed, isNightly } from '../../campaigns.ts';
import * as fc from '../../properties.ts';
import { type BoltBucket, type BoltValue, boltBucket, boltFile } from './bolt-writer.ts';
import { contentGiven, contentIn, contentOf } from './contents.ts';
import { MemoryFile } from './memory-file.ts';
import { MutatedFiles } from './mutated-files.ts';

t.setTimeout(600_000);

const key = fc.oneof(
  { weight: 4, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 2, max: 2 }) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 3000 }).map((size) => new Uint8Array(size)) },
);

const value = fc.oneof(
  { weight: 6, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.integer({ min: 500, max: 20_000 }).map((size) => Buffer.alloc(size)) },
);

const { bucket } = fc.letrec<{ readonly bucket: BoltBucket; readonly content: BoltValue }>(
  (tie) => ({
    content: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: value },
      { weight: 1, arbitrary: tie('bucket') },
    ),
    bucket: fc
      .uniqueArray(fc.tuple(key, tie('content')), {
        maxLength: 60,
        selector: ([bytes]) => Buffer.from(bytes).toString('hex'),
      })
      .map((entries) => boltBucket(entries)),
  }),
);

const layout = fc.record({
  pageSize: fc.constantFrom(1024, 2048, 4096, 16_384),
  fill: fc.constantFrom(0.2, 0.5, 1),
  isInlining: fc.boolean(),
  freePageEvery: fc.constantFrom(0, 0, 2, 5),
  transactionId: fc.integer({ min: 1, max: 1000 }),
});

t.test('random trees are read back equal', async (t) => {
  const met = { branches: 0, runs: 0 };
  fc.assert(
    fc.property(bucket, layout, (root, chosen) => {
      const file = new MemoryFile(boltFile(root, chosen));
      for (let at = 0; at < file.bytes.length; at += chosen.pageSize) {
        if (file.bytes.readUInt16LE(at + 8) === 1) met.branches++;
        if (file.bytes.readUInt32LE(at + 12) > 0) met.runs++;
      }
      const opened = openBolt(file);
      opened.check();
      const read = JSON.stringify(contentIn(opened.root));
      return read === JSON.stringify(contentGiven(root)) && findsAll(root, opened.root);
    }),
    { numRuns: isNightly ? 10_000 : 300 },
  );
  t.ok(met.branches > 100 && met.runs > 100, JSON.stringify(met));
});

/** Whether each key is found that was written at the root. */
function findsAll(given: BoltBucket, read: ReturnType<typeof openBolt>['root']): boolean {
  return given.entries.every(([name, content]) =>
    content instanceof Uint8Array
      ? (read.value(name)?.equals(content) ?? false)
      : read.bucket(name) !== undefined,
  );
}

t.test('mutated files are read or end with a sentence', async (t) => {
  const mutated = new MutatedFiles(campaignSeed('PROPERTY_SEED'), 1024);
  const root = boltBucket({
    rows: boltBucket(
      Array.from({ length: 80 }, (_, index): [string, Buffer] => [
        `row-${index}`,
        Buffer.alloc(index, index),
      ]),
    ),
    run: boltBucket({ a: Buffer.alloc(5000, 1), b: boltBucket({ c: Buffer.of(1) }) }),
    deep: boltBucket({ a: boltBucket({ b: boltBucket({ c: boltBucket({ d: Buffer.of(4) }) }) }) }),
  });
  const sound = boltFile(root, { pageSize: 1024, freePageEvery: 4 });
  contentOf(sound);
  const outcomes = { read: 0, refused: 0 };
  for (let index = 0; index < (isNightly ? 100_000 : 1500); index++) {
    // So many reads are never needed, so a reader that needs them goes round in circles.
    const file = new MemoryFile(mutated.of(sound), 5000);
    try {
      const opened = openBolt(file);
      opened.check();
      for (const { key: name } of opened.root.entries()) opened.root.bucket(name);
      outcomes.read++;
    } catch (error) {
      if (!(error instanceof SourceDamaged)) throw new Error(mutated.replay, { cause: error });
      outcomes.refused++;
    }
    if (file.largestRead > sound.length) t.fail(`a read beyond the file: ${mutated.replay}`);
  }
  t.ok(outcomes.read > 0 && outcomes.refused > 0, JSON.stringify(outcomes));
});
