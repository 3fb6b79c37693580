// A record read where it stands packed: its values are those that the library unpacks.

import t from 'tap';
import { packRecord, unpackRecord, unpackRecords } from '../../snapshots/codec.ts';
import type { StoredRecord } from '../../snapshots/journal.ts';
import { eachPacked, NoPackedRecord, PackedReader } from '../../snapshots/packed-reader.ts';
import * as fc from '../properties.ts';

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ minLength: 250, maxLength: 300 }),
  fc.constantFrom('\ufeff', `\ufeff${'x'.repeat(70)}`, `${'ü'.repeat(40)}\ufeff`, '\ud800'),
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
        seen++;
        const back = unpackRecord(payload, packed.start, packed.end);
        const { kind, id, lsn, version, values } = back;
        const asked = [...numbers.take(5)].map((drawn) => drawn % (values.length + 2));
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
      const packed = reference.copy(1);
      reader.turnTo(blockOf([{ ...head, values }]), 0);
      for (const [at, one] of values.entries()) {
        t.equal(reader.isText(at, known), one === known);
        t.equal(reader.isEmpty(at), one === null || /^({}|\[\])$/.test(JSON.stringify(one)));
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        t.equal(reader.isSame(at, packed), isSame);
      }
      t.equal(reader.isText(values.length, known), false);
      t.equal(reader.isEmpty(values.length), true);
      t.equal(reader.isSame(values.length, packed), false);
      reader.turnAway();
      t.equal(reader.value(0), undefined);
      t.equal(reader.bytes.length, 0);
    }),
  );
});

/** All that stands in a block, or what was thrown. */
function readAll(payload: Buffer): unknown[] | Error {
  const found: unknown[] = [];
  try {
    eachPacked(payload, (packed) => {
      const { kind, id, lsn, version } = packed;
      const values = unpackRecord(payload, packed.start, packed.end).values;
      found.push([kind, id, lsn, version, ...values.map((_, at) => packed.value(at))]);
    });
  } catch (error) {
    return error as Error;
  }
  return found;
}

function unpackAll(payload: Buffer): unknown[] | Error {
  const found: unknown[] = [];
  try {
    unpackRecords(payload, ({ kind, id, lsn, version, values }) => {
      found.push([kind, id, lsn, version, ...values]);
    });
  } catch (error) {
    return error as Error;
  }
  return found;
}

t.test('bytes that end too soon are refused', async (t) => {
  const head = { kind: 'thing', id: 'one', lsn: 1, version: 1 };
  const one = blockOf([{ ...head, values: [['a'], { b: 1 }, 'x'.repeat(300), 70_000] }]);
  for (let length = 1; length < one.length; length++) {
    t.type(readAll(one.subarray(0, length)), NoPackedRecord, `cut at ${length}`);
  }
});

t.test('what both make something of, they make the same of', async (t) => {
  const damaged = fc.tuple(fc.array(record, { minLength: 1, maxLength: 2 }), fc.nat(), fc.nat(255));
  let read = 0;
  fc.assert(
    fc.property(damaged, ([records, drawn, byte]) => {
      const payload = blockOf(records);
      payload[drawn % payload.length] = byte;
      const [found, expected] = [readAll(payload), unpackAll(payload)];
      if (found instanceof Error || expected instanceof Error) return;
      read++;
      t.strictSame(found, expected);
    }),
    { numRuns: 1000 },
  );
  t.ok(read > 100, `${read} could be read`);
});
