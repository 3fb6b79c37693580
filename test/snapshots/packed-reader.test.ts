// A record read where it stands packed: its values are those that the library unpacks.

import t from 'tap';
import { packRecord, unpackRecord } from '../../snapshots/codec.ts';
import type { StoredRecord } from '../../snapshots/journal.ts';
import { eachPacked, NoPackedRecord, PackedReader } from '../../snapshots/packed-reader.ts';
import * as fc from '../properties.ts';

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ minLength: 250, maxLength: 300 }),
);
const number = fc.oneof(
  ...[fc.integer(), fc.integer({ min: -200, max: 70_000 }), fc.maxSafeInteger()],
  fc.double({ noNaN: true }),
);
const plain = fc.oneof(fc.constant(null), fc.boolean(), number, text);
const value = fc.oneof(
  { weight: 3, arbitrary: plain },
  ...[fc.array(text, { maxLength: 20 }), fc.array(plain, { maxLength: 4 })],
  fc.uint8Array({ maxLength: 20 }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.array(plain, { maxLength: 3 }), { maxKeys: 20 }),
);
const record: fc.Arbitrary<StoredRecord> = fc.record({
  kind: fc.constantFrom('identity', 'apiSession', 'x'.repeat(40)),
  id: fc.oneof(fc.string({ minLength: 1, maxLength: 40 }), text),
  lsn: fc.oneof(fc.nat(300), fc.nat(), fc.maxSafeInteger().map(Math.abs)),
  version: fc.nat(200),
  values: fc.array(value, { maxLength: 40 }),
});

/** The records one behind the other, as they stand in a block. */
const blockOf = (records: readonly StoredRecord[]) =>
  Buffer.concat(records.map((one) => Buffer.from(packRecord(one))));

t.test('it says what the library unpacks, in whatever order it is asked', async (t) => {
  const cases = fc.tuple(fc.array(record, { maxLength: 6 }), fc.infiniteStream(fc.nat(60)));
  fc.assert(
    fc.property(cases, ([records, numbers]) => {
      const payload = blockOf(records);
      let seen = 0;
      eachPacked(payload, (packed) => {
        const { kind, id, lsn, version, values } = records[seen++] as StoredRecord;
        const asked = [...numbers.take(5)].map((drawn) => drawn % (values.length + 2));
        const back = unpackRecord(payload, packed.start, packed.end);
        for (const at of asked) t.strictSame(packed.value(at), back.values[at]);
        const { kind: ofKind, id: ofId, lsn: ofLsn, version: ofVersion } = packed;
        t.same([ofKind, ofId, ofLsn, ofVersion], [kind, id, lsn, version]);
        t.strictSame(packed.unpacked(), back);
        for (const at of values.keys()) t.strictSame(packed.value(at), back.values[at]);
      });
      t.equal(seen, records.length);
    }),
    { numRuns: 300 },
  );
});

t.test('it knows values again without making them', async (t) => {
  const word = fc.constantFrom('', 'a', 'b', 'enabled', 'enable', 'x'.repeat(31), 'x'.repeat(40));
  const some = fc.oneof(word, fc.array(word, { maxLength: 2 }), fc.constantFrom(null, {}, 7, 'ü'));
  fc.assert(
    fc.property(fc.array(some), word, some, (values, known, other) => {
      const reader = new PackedReader();
      const head = { kind: 'thing', id: 'one', lsn: 1, version: 1 };
      const reference = new PackedReader();
      reference.turnTo(blockOf([{ ...head, values: [7, other, 8] }]), 0);
      const [start, end] = reference.extent(1);
      reader.turnTo(blockOf([{ ...head, values }]), 0);
      for (const [at, one] of values.entries()) {
        t.equal(reader.isText(at, known), one === known);
        t.equal(reader.isEmpty(at), one === null || /^({}|\[\])$/.test(JSON.stringify(one)));
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        t.equal(reader.isSame(at, reference.bytes, start, end), isSame);
      }
      t.equal(reader.isText(values.length, known), false);
      t.equal(reader.isEmpty(values.length), true);
      t.equal(reader.isSame(values.length, reference.bytes, start, end), false);
    }),
  );
});

t.test('bytes that are no records are refused, however they came to be', async (t) => {
  const readAll = (payload: Buffer) => {
    try {
      eachPacked(payload, (packed) => {
        for (let at = 0; at < 50; at++) packed.value(at);
      });
    } catch (error) {
      return error;
    }
    return undefined;
  };
  const one = blockOf([
    { kind: 'thing', id: 'one', lsn: 1, version: 1, values: [['a'], { b: 1 }] },
  ]);
  for (let length = 1; length < one.length; length++) {
    t.type(readAll(one.subarray(0, length)), NoPackedRecord, `cut at ${length}`);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (tail) => {
      const error = readAll(Buffer.concat([Buffer.from([0x95]), tail]));
      t.ok(error === undefined || error instanceof Error);
    }),
  );
});
