// The frames between TLS workers and the main thread: round trips, pieces of any size, and bytes
// that are none.

import t from 'tap';
import {
  type ControlFrameHandler,
  ControlFrameReader,
  ControlFrameWriter,
  controlWindowBytes,
  decodeClientFacts,
  encodeClientFacts,
  MalformedControlFrame,
} from '../../src/http/front/control-frames.ts';
import fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';

type Seen = readonly [name: string, id: number, value?: string | number];

/** Notes frames; the pieces of data of one connection in a row count as one. */
class Noted implements ControlFrameHandler {
  readonly seen: Seen[] = [];

  open(id: number, bytes: Buffer): void {
    this.seen.push(['open', id, bytes.toString('hex')]);
  }

  data(id: number, bytes: Buffer): void {
    const [name, of, value] = this.seen.at(-1) ?? [];
    const hex = bytes.toString('hex');
    if (name === 'data' && of === id) this.seen.splice(-1, 1, ['data', id, `${value}${hex}`]);
    else this.seen.push(['data', id, hex]);
  }

  credit(id: number, bytes: number): void {
    this.seen.push(['credit', id, bytes]);
  }

  end(id: number): void {
    this.seen.push(['end', id]);
  }

  close(id: number): void {
    this.seen.push(['close', id]);
  }

  admit(id: number): void {
    this.seen.push(['admit', id]);
  }
}

/** A socket that keeps what it was given, a call of the system each. */
class Kept {
  readonly calls: Buffer[] = [];
  writableLength = 0;
  #pieces: Buffer[] = [];

  cork(): void {
    this.#pieces = [];
  }

  write(bytes: Buffer): boolean {
    this.#pieces.push(bytes);
    return true;
  }

  uncork(): void {
    this.calls.push(Buffer.concat(this.#pieces));
  }
}

const id = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const body = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 40 }),
  fc.integer({ min: 1000, max: 20_000 }).map((length) => new Uint8Array(length).fill(7)),
);
const written = fc.oneof(
  fc.record({ name: fc.constantFrom('open', 'data'), id, body }),
  fc.record({ name: fc.constantFrom('end', 'close', 'admit'), id }),
  fc.record({
    name: fc.constant('credit'),
    id,
    bytes: fc.integer({ min: 1, max: controlWindowBytes }),
  }),
);

t.test('what is written is read, in pieces of any size', async (t) => {
  const property = fc.property(
    fc.array(written, { maxLength: 40 }),
    fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 20 }),
    (frames, sizes) => {
      const sink = new Kept();
      const clock = new SimulatedClock();
      const writer = new ControlFrameWriter(sink, clock);
      const noted = new Noted();
      const expected = new Noted();
      for (const frame of frames) {
        if ('body' in frame) {
          const bytes = Buffer.from(frame.body);
          const name = frame.name === 'open' ? 'open' : 'data';
          writer.bytes(name, frame.id, [bytes.subarray(0, 5), bytes.subarray(5)]);
          expected[name](frame.id, bytes);
        } else if ('bytes' in frame) {
          writer.credit(frame.id, frame.bytes);
          expected.credit(frame.id, frame.bytes);
        } else {
          const name = frame.name === 'end' || frame.name === 'close' ? frame.name : 'admit';
          writer.signal(name, frame.id);
          expected[name](frame.id);
        }
      }
      t.equal(sink.calls.length, 0);
      clock.drain();
      const reader = new ControlFrameReader(noted);
      const bytes = Buffer.concat(sink.calls);
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const end = at + (sizes[turn % sizes.length] ?? 1);
        reader.take(bytes.subarray(at, end));
        at = end;
      }
      return JSON.stringify(noted.seen) === JSON.stringify(expected.seen) && sink.calls.length < 2;
    },
  );
  fc.assert(property, { numRuns: 300 });
});

t.test('a writer that is full hands on at once what it has', async (t) => {
  const sink = new Kept();
  const writer = new ControlFrameWriter(sink, new SimulatedClock());
  const chunk = Buffer.alloc(controlWindowBytes);
  for (let count = 0; count < 15; count += 1) writer.bytes('data', 1, [chunk]);
  t.notOk(writer.isFull);
  t.equal(sink.calls.length, 0);
  writer.bytes('data', 1, [chunk]);
  t.equal(sink.calls.length, 1);
  sink.writableLength = 2 ** 20;
  t.ok(writer.isFull);
});

t.test('bytes that are no frame are refused, and nothing else is thrown', async (t) => {
  const head = (kind: number, number: number) => {
    const bytes = Buffer.alloc(9, kind);
    bytes.writeUInt32LE(number, 5);
    return bytes;
  };
  const bad = [
    head(6, 0),
    head(255, 0),
    head(0, 0),
    head(0, 128 * 1024 + 1),
    head(1, 0),
    head(1, controlWindowBytes + 1),
    head(2, 0),
    head(2, controlWindowBytes + 1),
    head(3, 1),
    head(4, 1),
    head(5, 1),
  ];
  for (const bytes of bad) {
    t.throws(() => new ControlFrameReader(new Noted()).take(bytes), MalformedControlFrame);
  }
  const property = fc.property(fc.array(fc.uint8Array({ maxLength: 60 })), (chunks) => {
    const reader = new ControlFrameReader(new Noted());
    try {
      for (const chunk of chunks) reader.take(Buffer.from(chunk));
      return true;
    } catch (error) {
      return error instanceof MalformedControlFrame;
    }
  });
  fc.assert(property, { numRuns: 2000 });
});

t.test('the facts of a client: round trip, and every truncation', async (t) => {
  const facts = {
    address: '2001:db8::7',
    certificates: [Buffer.from('leaf'), Buffer.alloc(0), Buffer.alloc(3000, 1)],
  };
  const bytes = Buffer.concat(encodeClientFacts(facts));
  t.same(decodeClientFacts(bytes), facts);
  const whole = new Set([15, 23, 27]);
  for (let length = 0; length < bytes.length; length += 1) {
    const cut = () => decodeClientFacts(bytes.subarray(0, length));
    if (whole.has(length)) t.ok(cut().certificates.length < 3);
    else t.throws(cut, MalformedControlFrame);
  }
});
