// Frames as bytes: round trips, and no flipped bit goes unnoticed.

import assert from 'node:assert/strict';
import t from 'tap';
import type { FrameContent } from '../../snapshots/journal.ts';
import {
  packFrame,
  packSeal,
  packTerm,
  unpackChanges,
  unpackFrame,
  unpackSeal,
  unpackTerm,
} from '../../snapshots/log/codec.ts';
import {
  frameBytes,
  frameHeaderBytes,
  frameKinds,
  frameSeed,
  putFrame,
  readFrame,
  stampFrame,
} from '../../snapshots/log/frame.ts';
import * as fc from '../properties.ts';

const seed = frameSeed('00112233445566778899aabbccddeeff');
const lsn = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const crc = fc.integer({ min: 0, max: 0xffffffff });

function frameOf(payload: Uint8Array, stamp: { lsn: number; batch: number; previousCrc: number }) {
  const buffer = Buffer.alloc(frameBytes(payload.length), 0xff);
  putFrame(buffer, 0, frameKinds.transaction, payload);
  return { buffer, crc: stampFrame(buffer, 0, stamp, seed) };
}

t.test('what is written is read', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), lsn, lsn, crc, (payload, lsn, batch, crc) => {
      const frame = frameOf(payload, { lsn, batch, previousCrc: crc });
      assert.equal(frame.buffer.length % 8, 0);
      const header = readFrame(frame.buffer, 0, seed);
      const length = frameHeaderBytes + payload.length;
      const kind = frameKinds.transaction;
      const expected = { length, crc: frame.crc, lsn, batch, previousCrc: crc, kind, flags: 0 };
      assert.deepStrictEqual(header, expected);
      assert.deepStrictEqual(
        new Uint8Array(frame.buffer.subarray(frameHeaderBytes, length)),
        payload,
      );
    }),
    { numRuns: 50 },
  );
});

t.test('every flipped bit is noticed, in header, payload and padding', async (t) => {
  const { buffer } = frameOf(Buffer.from('some payload'), { lsn: 7, batch: 5, previousCrc: 9 });
  for (let bit = 0; bit < buffer.length * 8; bit++) {
    const flipped = Buffer.from(buffer);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if (readFrame(flipped, 0, seed) !== undefined) t.fail(`bit ${bit} went unnoticed`);
  }
});

t.test('a frame of another data set is none', async (t) => {
  const { buffer } = frameOf(Buffer.from('payload'), { lsn: 1, batch: 1, previousCrc: 0 });
  t.equal(readFrame(buffer, 0, frameSeed('ff'.repeat(16))), undefined);
});

t.test('zeros, cut frames and impossible lengths are no frames', async (t) => {
  const { buffer } = frameOf(Buffer.alloc(100, 1), { lsn: 1, batch: 1, previousCrc: 0 });
  t.equal(readFrame(Buffer.alloc(64), 0, seed), undefined);
  for (let length = 0; length < buffer.length; length++) {
    t.equal(readFrame(buffer.subarray(0, length), 0, seed), undefined);
  }
  for (const length of [1, 31, 0xffffffff]) {
    buffer.writeUInt32LE(length, 0);
    t.equal(readFrame(buffer, 0, seed), undefined);
  }
});

const value = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.integer(),
  fc.double({ noNaN: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.dictionary(
    fc.string().filter((key) => key !== '__proto__'),
    fc.string(),
    {
      noNullPrototype: true,
    },
  ),
);

const plain = { noNullPrototype: true } as const;

const change = fc.record(
  {
    kind: fc.string(),
    id: fc.string(),
    previousLsn: lsn,
    version: fc.nat(9),
    values: fc.option(fc.array(value)),
  },
  plain,
);

const content: fc.Arbitrary<FrameContent> = fc.record(
  {
    timeMs: fc.nat({ max: 2 ** 45 }),
    actor: fc.string(),
    requestId: fc.string(),
    operation: fc.string(),
    causeLsn: lsn,
    events: fc.array(fc.tuple(fc.string(), fc.string(), fc.string(), fc.string(), fc.string())),
    changes: fc.array(change, { maxLength: 5 }),
  },
  plain,
);

t.test('contents survive msgpack', async (t) => {
  fc.assert(
    fc.property(content, lsn, (content, lsn) => {
      const payload = Buffer.from(packFrame(content));
      assert.deepStrictEqual(unpackFrame(lsn, payload), { lsn, ...content });
      const taken: unknown[] = [];
      const time = unpackChanges(lsn, payload, (...change) => taken.push(change));
      assert.equal(time, content.timeMs);
      const expected = content.changes.map(({ kind, id, version, values }) => {
        return [kind, id, values === null ? null : { kind, id, lsn, version, values }];
      });
      assert.deepStrictEqual(taken, expected);
    }),
    { numRuns: 100 },
  );
  t.equal(unpackSeal(Buffer.from(packSeal(1_700_000_000_123))), 1_700_000_000_123);
  const term = { timeMs: 1_700_000_000_123, term: 7, nonce: '0f'.repeat(16) };
  t.strictSame(unpackTerm(Buffer.from(packTerm(term))), term);
});
