// Frames and messages with bytes changed, cut out, repeated or exchanged: each is read, or closes
// the channel; nothing else is thrown, and nothing takes long. MUTATED_FRAMES sets their number.

import t from 'tap';
import { type Frame, MalformedMessage } from '../../src/channel/channel-api.ts';
import { encodeFrame, FrameReader } from '../../src/channel/frame.ts';
import {
  bytesMapHeader,
  bytesMapValue,
  capabilitiesHeader,
  encodeHeaders,
  textMapValue,
  textValue,
  versionHeader,
} from '../../src/channel/headers.ts';
import { parseHello } from '../../src/channel/hello.ts';
import type { Codec } from '../../src/channel/messages/codec.ts';
import { decodeMessage, edge, fabric } from '../../src/channel/messages/messages.ts';
import { campaignSeed, campaignSize } from '../campaigns.ts';
import { randomOf } from '../model/random-access.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { helloBytes, twinMessages } from '../simulated/router-twin.ts';
import { goldenFrame } from './golden.ts';
import { mutatedBy } from './mutated.ts';

// Most of the time would otherwise go into the stacks of errors; the seed repeats a failure.
const { stackTraceLimit } = Error;
Error.stackTraceLimit = 0;
t.teardown(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

const size = campaignSize('MUTATED_FRAMES', { usual: 50_000, nightly: 10_000_000 });
const timeoutMs = 3_600_000;
const random = randomOf(campaignSeed('PROPERTY_SEED'));

/** The bytes with one to four changes. */
const mutated = (bytes: Buffer) => mutatedBy(random, bytes);

/** Whether a task runs; a MalformedMessage is all that it may throw. */
function runs(task: () => void): boolean {
  try {
    task();
    return true;
  } catch (error) {
    if (error instanceof MalformedMessage) return false;
    throw error;
  }
}

const clock = new SimulatedClock();
const linkListeners = [{ address: 'tls:r1:6000', protocol: 'tls', groups: ['default'] }];
const headers = encodeHeaders([
  [10, bytesMapValue(new Map([[1003, Buffer.alloc(32, 1)]]))],
  [13, textMapValue(new Map([['k', 'v']]))],
  [1002, Buffer.of(0x5e)],
  [4, textValue('a|b|c|d|e')],
]);
const links = [{ id: 'l1', destRouterId: 'r2', connState: { conns: [{ type: 'x' }] } }];
const circuit = twinMessages.createCircuit({ sessionToken: 'ey', apiSessionToken: 'token' });

function frameBytes(frame: Parameters<typeof encodeFrame>[0]): Buffer {
  const chunks: Buffer[] = [];
  encodeFrame(frame, chunks);
  return Buffer.concat(chunks);
}

const frames = [
  ...(['hello', 'result', 'heartbeat'] as const).map(goldenFrame),
  Buffer.concat(helloBytes({ id: 'r1', line: '1.x', linkListeners, clock })),
  Buffer.concat(helloBytes({ id: 'r1', linkListeners, clock })),
  frameBytes({ contentType: 7, sequence: 1, replyFor: 2, reflected: Buffer.of(1), headers }),
  frameBytes({ sequence: 3, ...circuit }),
  frameBytes({ sequence: 4, ...twinMessages.links(links) }),
];

/** A hello or a frame that is none, and a frame behind it. */
const pairs = [...frames.slice(0, 1), ...frames.slice(3, 6)].flatMap((first) =>
  frames.map((second) => Buffer.concat([first, second])),
);

/** Reads what every part may read of a frame. */
function readAll(frame: Frame): void {
  versionHeader(frame.headers, 4);
  for (const read of [bytesMapHeader, capabilitiesHeader]) {
    for (const key of [10, 12, 13, 1002]) runs(() => read(frame.headers, key));
  }
}

t.test(`${size} mutated frames`, async (t) => {
  t.setTimeout(timeoutMs);
  const counts = { read: 0, refused: 0 };
  for (let number = 0; number < size; number++) {
    const bytes = mutated(pairs[random(pairs.length)] ?? Buffer.alloc(0));
    const cut = random(bytes.length + 1);
    const reader = new FrameReader();
    const isRead = runs(() => {
      for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
        reader.push(part);
        for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
          const received = frame;
          readAll(received);
          if (runs(() => parseHello(received))) counts.read += 1;
        }
      }
    });
    if (!isRead) counts.refused += 1;
  }
  t.ok(counts.read > size / 10 && counts.refused > size / 10, JSON.stringify(counts));
});

type AnyCodec = Codec<never, unknown>;

/** Every message type, nested ones included. */
const types: readonly AnyCodec[] = Object.values({ edge, fabric }).flatMap(typesOf);

function typesOf(holder: object): readonly AnyCodec[] {
  return Object.values(holder).flatMap((value) =>
    isCodec(value) ? [value, ...typesOf(value)] : [],
  );
}

/** Enums have numbers only, and codecs two functions beside what is declared within. */
function isCodec(value: unknown): value is AnyCodec {
  return typeof value === 'object' && value !== null && 'decode' in value;
}

/** Fields of small numbers and of all wire types, some of them with fields of their own. */
function anyMessage(depth = 0): Buffer {
  const fields = Array.from({ length: 1 + random(6) }, () => anyField(depth));
  return Buffer.concat(fields);
}

const fieldNumbers = [1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10, 14, 15];

function anyField(depth: number): Buffer {
  const number = fieldNumbers[random(fieldNumbers.length)] ?? 1;
  const kind = random(8);
  if (kind === 0) return Buffer.of(number << 3, ...Array(random(10)).fill(0xff), random(128));
  if (kind === 1)
    return Buffer.concat([Buffer.of((number << 3) | 1), Buffer.alloc(8, random(256))]);
  if (kind === 2)
    return Buffer.concat([Buffer.of((number << 3) | 5), Buffer.alloc(4, random(256))]);
  if (kind === 3) return Buffer.of(number << 3, random(3));
  const isText = depth > 2 || random(2) === 0;
  const value = isText ? Buffer.alloc(random(20), 97 + random(20)) : anyMessage(depth + 1);
  const length =
    value.length < 128 ? [value.length] : [128 | (value.length & 127), value.length >> 7];
  return Buffer.concat([Buffer.of((number << 3) | 2, ...length), value]);
}

t.test(`${size} mutated messages of all types`, async (t) => {
  t.setTimeout(timeoutMs);
  t.ok(types.length > 60, `${types.length} types`);
  const counts = { read: 0, refused: 0 };
  for (let number = 0; number < size; number++) {
    const type = types[number % types.length];
    const message = anyMessage();
    const bytes = random(4) === 0 ? message : mutated(message);
    if (type) counts[runs(() => decodeMessage(type, bytes)) ? 'read' : 'refused'] += 1;
  }
  t.ok(counts.read > size / 10 && counts.refused > size / 10, JSON.stringify(counts));
});
