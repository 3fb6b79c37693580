// The cost of the log: of packing and stamping a frame and of reading it back, and its size.

import type { FrameContent } from '../../snapshots/journal.ts';
import { packFrame, unpackFrame } from '../../snapshots/log/codec.ts';
import {
  frameBytes,
  frameHeaderBytes,
  frameKinds,
  frameSeed,
  putFrame,
  readFrame,
  stampFrame,
} from '../../snapshots/log/frame.ts';
import type { Micro } from './micro.ts';

const timeMs = Date.UTC(2026, 10, 21);
const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A session create: one record, no event. */
const sessionCreate: FrameContent = {
  timeMs,
  actor: id(1),
  requestId: id(2),
  operation: 'createSession',
  causeLsn: 0,
  events: [],
  changes: [
    {
      kind: 'session',
      id: id(3),
      previousLsn: 0,
      version: 1,
      values: [timeMs, timeMs, null, null, id(4), id(5), id(1), 'Dial', [id(6)]],
    },
  ],
};

const seed = frameSeed('00112233445566778899aabbccddeeff');
const buffer = Buffer.alloc(4096);
const stamp = { lsn: 1, batch: 1, previousCrc: 0 };
const steps = 100;

function written(): void {
  putFrame(buffer, 0, frameKinds.transaction, packFrame(sessionCreate));
  stampFrame(buffer, 0, stamp, seed);
}

const writing: Micro = {
  name: 'frames-write',
  title: `frame of a session create, ${frameBytes(packFrame(sessionCreate).length)} bytes: packed and stamped`,
  unit: 'frame',
  prepare: () => () => {
    for (let i = 0; i < steps; i++) written();
    return steps;
  },
};

const reading: Micro = {
  name: 'frames-read',
  title: 'the same: checked and unpacked',
  unit: 'frame',
  prepare() {
    written();
    return () => {
      for (let i = 0; i < steps; i++) {
        const frame = readFrame(buffer, 0, seed);
        if (frame === undefined) throw new Error('the frame cannot be read');
        unpackFrame(frame.lsn, buffer.subarray(frameHeaderBytes, frame.length));
      }
      return steps;
    };
  },
};

/** The micro-benches of the log. */
export const frameMicros: readonly Micro[] = [writing, reading];
