// Groups with real frames for tests.

import { packTerm, packValue } from '../../snapshots/log/codec.ts';
import {
  frameBytes,
  frameKinds,
  frameSeed,
  putFrame,
  stampFrame,
} from '../../snapshots/log/frame.ts';
import type { GroupTrust } from '../../src/cluster/log/group-message.ts';
import { groupKeyOf } from '../../src/cluster/log/group-message.ts';
import type { Group, GroupKind, Leadership, LogPoint } from '../../src/cluster/stream.ts';

/** The id of the data set of all groups here. */
export const dataSetId = '00112233445566778899aabbccddeeff';

/** What all nodes of a test share. */
export const trust: GroupTrust = {
  key: groupKeyOf(Buffer.alloc(32, 7)),
  generation: 1,
  seed: frameSeed(dataSetId),
};

/** A leadership whose nonce is one digit. */
export function leadership(term: number, digit = 'a'): Leadership {
  return { term, nonce: digit.repeat(32) };
}

/** An unstamped transaction frame whose payload is a value. */
export function framed(value: unknown): Buffer {
  return frameOf(frameKinds.transaction, Buffer.from(packValue(value)));
}

/** A group of stamped frames with these values, behind `after`. */
export function groupOf(
  by: Leadership,
  after: LogPoint,
  values: readonly unknown[],
  kind: GroupKind = 'frames',
): Group {
  const unstamped =
    kind === 'term'
      ? [frameOf(frameKinds.term, Buffer.from(packTerm({ timeMs: 0, ...by })))]
      : values.map(framed);
  let last = after;
  for (const frame of unstamped) {
    const stamp = { lsn: last.lsn + 1, batch: 0, previousCrc: last.crc };
    last = { lsn: stamp.lsn, crc: stampFrame(frame, 0, stamp, trust.seed) };
  }
  const { generation } = trust;
  return { kind, generation, ...by, after, last, frames: Buffer.concat(unstamped) };
}

function frameOf(kind: number, payload: Buffer): Buffer {
  const frame = Buffer.alloc(frameBytes(payload.length));
  putFrame(frame, 0, kind, payload);
  return frame;
}
