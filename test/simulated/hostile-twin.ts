// What a hostile router does on a channel that was accepted. It has a key of its own, and nothing
// else that it sends can be trusted.

import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeFrame, type FrameToWrite } from '../../src/channel/frame.ts';
import { encodeHeaders, headerKeys, uint32Value } from '../../src/channel/headers.ts';
import type { RouterTwin } from './router-twin.ts';

/** Writes a frame as it is told to. */
export function writeFrame(twin: RouterTwin, frame: FrameToWrite): void {
  const chunks: Buffer[] = [];
  encodeFrame(frame, chunks);
  twin.wire.write(chunks);
}

/** One attack. */
export interface HostileAct {
  /** Whether the channel is closed for it at once. */
  readonly ends: boolean;
  act(twin: RouterTwin): void;
}

/** Attacks that a controller survives. */
export const hostileActs = {
  garbage: {
    ends: true,
    act: (twin) => twin.wire.write([Buffer.alloc(4096, 0xa5)]),
  },
  giantHeaders: { ends: true, act: (twin) => twin.wire.write([head(65_537, 0)]) },
  giantBody: { ends: true, act: (twin) => twin.wire.write([head(0, 2 ** 32 - 1)]) },
  repeatedHeader: {
    ends: true,
    act: (twin) => {
      const headers = encodeHeaders([
        [7, uint32Value(1)],
        [7, uint32Value(2)],
      ]);
      writeFrame(twin, { contentType: contentTypes.metrics, sequence: 5, headers });
    },
  },
  cutHeader: {
    ends: true,
    act: (twin) =>
      writeFrame(twin, {
        contentType: contentTypes.metrics,
        sequence: 5,
        headers: Buffer.alloc(9),
      }),
  },
  secondHello: {
    ends: false,
    act: (twin) => writeFrame(twin, { contentType: 0, sequence: -1, body: Buffer.from('other') }),
  },
  wrongSequences: {
    ends: false,
    act: (twin) => {
      for (const sequence of [0, -1, 2 ** 31 - 1, -(2 ** 31), 7, 7]) {
        writeFrame(twin, { contentType: contentTypes.ping, sequence });
      }
    },
  },
  wrongReplies: {
    ends: false,
    act: (twin) => {
      for (const replyFor of [-1, 0, 1, 2, 2 ** 31 - 1]) {
        writeFrame(twin, { contentType: contentTypes.result, sequence: 9, replyFor });
      }
      const headers = encodeHeaders([[headerKeys.replyFor, Buffer.alloc(3)]]);
      writeFrame(twin, { contentType: contentTypes.result, sequence: 9, headers });
    },
  },
  unknownTypes: {
    ends: false,
    act: (twin) => {
      for (const contentType of [-1, 9, 999_999]) writeFrame(twin, { contentType, sequence: 1 });
    },
  },
  halfFrame: { ends: false, act: (twin) => twin.wire.write([head(0, 16 * 1024 * 1024)]) },
} as const satisfies Readonly<Record<string, HostileAct>>;

/** Sends frames that each want an answer, as fast as they can be written. */
export function flood(twin: RouterTwin, frames: number): void {
  const chunks: Buffer[] = [];
  for (let sequence = 1; sequence <= frames; sequence++) {
    encodeFrame({ contentType: contentTypes.ping, sequence }, chunks);
  }
  twin.wire.write([Buffer.concat(chunks)]);
}

/** The head of a frame with these lengths, and nothing behind it. */
function head(headersBytes: number, bodyBytes: number): Buffer {
  const chunks: Buffer[] = [];
  encodeFrame({ contentType: contentTypes.metrics, sequence: 5 }, chunks);
  const bytes = Buffer.concat(chunks);
  bytes.writeUInt32LE(headersBytes, 12);
  bytes.writeUInt32LE(bodyBytes, 16);
  return bytes;
}
