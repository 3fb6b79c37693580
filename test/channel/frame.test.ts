// Frames: the golden ones, round trips, truncations, and lengths beyond the bounds.

import t from 'tap';
import { type Frame, MalformedMessage } from '../../src/channel/channel-api.ts';
import { encodeFrame, FrameReader, type FrameToWrite } from '../../src/channel/frame.ts';
import { encodeHeaders, textHeader } from '../../src/channel/headers.ts';
import * as fc from '../properties.ts';
import { goldenFrame } from './golden.ts';

function bytesOf(frame: FrameToWrite): Buffer {
  const chunks: Buffer[] = [];
  const length = encodeFrame(frame, chunks);
  const bytes = Buffer.concat(chunks);
  t.equal(bytes.length, length, 'the announced length');
  return bytes;
}

/** All frames of bytes that arrive in chunks that end at `cuts`. */
function framesOf(bytes: Buffer, cuts: readonly number[] = []): Frame[] {
  const reader = new FrameReader();
  const ends = [...new Set(cuts.filter((cut) => cut < bytes.length))].sort((a, b) => a - b);
  const frames: Frame[] = [];
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    reader.push(Buffer.from(bytes.subarray(from, end)));
    for (let frame = reader.next(); frame; frame = reader.next()) frames.push(frame);
    from = end;
  }
  return frames;
}

/** The head of a frame with these lengths. */
function head(headersBytes: number, bodyBytes: number): Buffer {
  const bytes = bytesOf({ contentType: 0, sequence: 1 });
  bytes.writeUInt32LE(headersBytes, 12);
  bytes.writeUInt32LE(bodyBytes, 16);
  return bytes;
}

const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const furtherHeaders = fc.uniqueArray(fc.tuple(fc.integer({ min: 200, max: 3000 }), bytes(40)), {
  selector: ([key]) => key,
  maxLength: 5,
});
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const written = fc.record({
  contentType: int32,
  sequence: int32,
  replyFor: optional(int32),
  heartbeat: optional(fc.uint8Array({ minLength: 8, maxLength: 8 }).map((b) => Buffer.from(b))),
  heartbeatResponse: optional(bytes(8)),
  reflected: optional(bytes(20)),
  headers: furtherHeaders.map(encodeHeaders),
  body: fc.oneof(bytes(30), bytes(4000)),
  bodyRest: optional(fc.oneof(bytes(30), bytes(4000))),
});

t.test('the golden heartbeat is what is written and read', async (t) => {
  const golden = goldenFrame('heartbeat');
  const heartbeat = Buffer.from('8471f817dfcde918', 'hex');
  t.strictSame(bytesOf({ contentType: 5, sequence: 7, heartbeat }), golden);
  const [frame] = framesOf(golden);
  t.match(frame, { contentType: 5, sequence: 7, body: Buffer.alloc(0) });
  t.strictSame([...(frame?.headers ?? [])], [[5, heartbeat]]);
});

t.test('the golden hello is read', async (t) => {
  const [frame] = framesOf(goldenFrame('hello'));
  t.match(frame, { contentType: 0, sequence: -1 });
  t.equal(frame?.body.toString(), 'R7xQ2');
  t.equal(frame && textHeader(frame.headers, 7), 'ctrl.default');
});

t.test('what is written is read, however it is split', async () => {
  fc.assert(
    fc.property(fc.array(written, { maxLength: 6 }), fc.array(fc.nat(9000)), (frames, cuts) => {
      const all = Buffer.concat([goldenFrame('hello'), ...frames.map(bytesOf)]);
      const [, ...read] = framesOf(all, cuts);
      const same = read.map(({ contentType, sequence, headers, body }, index) => {
        const frame = frames[index];
        if (frame === undefined) return false;
        const { replyFor } = frame;
        const own = [
          [1, replyFor === undefined ? undefined : int32Bytes(replyFor)],
          [5, frame.heartbeat],
          [6, frame.heartbeatResponse],
          [128, frame.reflected],
        ] as const;
        const section = encodeHeaders(
          own.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
        );
        return (
          contentType === frame.contentType &&
          sequence === frame.sequence &&
          body.equals(Buffer.concat([frame.body, frame.bodyRest ?? Buffer.alloc(0)])) &&
          encodeHeaders(headers).equals(Buffer.concat([section, frame.headers]))
        );
      });
      return same.length === frames.length && same.every(Boolean);
    }),
    { numRuns: 500 },
  );
});

t.test('a frame that arrives byte by byte is read', async (t) => {
  const hello = goldenFrame('hello');
  const frame = bytesOf({ contentType: 9, sequence: 1, body: Buffer.alloc(5000, 7) });
  const all = Buffer.concat([hello, frame, hello]);
  const read = framesOf(
    all,
    Array.from({ length: all.length }, (_, at) => at),
  );
  t.strictSame(
    read.map(({ body }) => body.length),
    [5, 5000, 5],
  );
});

t.test('a truncated frame is none, at every length', async (t) => {
  const all = goldenFrame('result');
  for (let length = 0; length < all.length; length++) {
    const reader = new FrameReader();
    reader.push(all.subarray(0, length));
    t.equal(reader.next(), undefined);
    t.equal(reader.heldBytes, length);
    reader.push(all.subarray(length));
    t.equal(reader.next()?.contentType, 2);
    t.equal(reader.heldBytes, 0);
  }
});

t.test('lengths beyond the bounds are refused as soon as the head is there', async (t) => {
  const first = new FrameReader();
  first.push(head(16_384, 4192));
  t.equal(first.next(), undefined);
  for (const [headersBytes, bodyBytes] of [
    [16_385, 0],
    [0, 4193],
    [2 ** 32 - 1, 2 ** 32 - 1],
  ] as const) {
    const reader = new FrameReader();
    reader.push(head(headersBytes, bodyBytes));
    t.throws(() => reader.next(), MalformedMessage);
  }
  const later = () => {
    const reader = new FrameReader();
    reader.push(goldenFrame('hello'));
    reader.next();
    return reader;
  };
  const largest = later();
  largest.push(head(65_536, 16 * 1024 * 1024));
  t.equal(largest.next(), undefined);
  for (const [headersBytes, bodyBytes] of [
    [65_537, 0],
    [0, 16 * 1024 * 1024 + 1],
  ] as const) {
    const reader = later();
    reader.push(head(headersBytes, bodyBytes));
    t.throws(() => reader.next(), MalformedMessage);
  }
});

t.test('bytes without the marker are refused', async (t) => {
  const reader = new FrameReader();
  reader.push(Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
  t.throws(() => reader.next(), MalformedMessage);
});

t.test('long headers and bodies are shared by all frames that have them', async (t) => {
  const body = Buffer.alloc(5000, 1);
  const headers = encodeHeaders([[1013, Buffer.from('instant')]]);
  const chunks: Buffer[] = [];
  encodeFrame({ contentType: 20200, sequence: 1, headers, body }, chunks);
  encodeFrame({ contentType: 20200, sequence: 9, headers, body }, chunks);
  t.equal(chunks[1], headers);
  t.equal(chunks[2], body);
  t.equal(chunks[5], body);
  const bodyRest = Buffer.alloc(10, 2);
  encodeFrame({ contentType: 20500, sequence: 10, body, bodyRest }, chunks);
  t.equal(chunks[7], body);
  t.equal(chunks[8], bodyRest);
});

function int32Bytes(value: number): Buffer {
  const four = Buffer.alloc(4);
  four.writeInt32LE(value);
  return four;
}
