// Converts frames and records to msgpack and back: arrays in a fixed order, no field names
// (format.md).

// This entry point has no native code. Measured on a log of 200,000 records, the native string
// extraction is no faster, and its strings are slices that keep a whole block in memory.
import { Packr, RESET_BUFFER_MODE } from 'msgpackr/pack';

import type { Change, Frame, FrameContent, LoggedEvent, Lsn, StoredRecord } from '../journal.ts';

/** The payload of a transaction frame. Valid until the next call: the buffer is reused. */
export function packFrame(content: FrameContent): Uint8Array {
  const changes: unknown[] = [];
  for (const { kind, id, previousLsn, version, values } of content.changes) {
    changes.push([kind, id, previousLsn, version, values]);
  }
  const { timeMs, actor, requestId, operation, causeLsn, events } = content;
  return packValue([timeMs, actor, requestId, operation, causeLsn, events, changes]);
}

/** A transaction frame's content from its payload. */
export function unpackFrame(lsn: Lsn, payload: Uint8Array): Frame {
  const [timeMs, actor, requestId, operation, causeLsn, events, packed] = packr.unpack(
    payload,
  ) as PackedFrame;
  const changes: Change[] = packed.map(([kind, id, previousLsn, version, values]) => {
    return { kind, id, previousLsn, version, values };
  });
  return { lsn, timeMs, actor, requestId, operation, causeLsn, events, changes };
}

/** Hands out only the record changes of a transaction frame, and returns its time: for replay. */
export function unpackChanges(
  lsn: Lsn,
  payload: Uint8Array,
  take: (kind: string, id: string, record: StoredRecord | null) => void,
): number {
  const packed = packr.unpack(payload) as PackedFrame;
  for (const [kind, id, , version, values] of packed[6]) {
    take(kind, id, values === null ? null : { kind, id, lsn, version, values });
  }
  return packed[0];
}

/** The payload of a seal, with the time of the clean stop. */
export function packSeal(timeMs: number): Uint8Array {
  return packValue([timeMs]);
}

/** The time in a seal, in ms. */
export function unpackSeal(payload: Uint8Array): number {
  const [timeMs] = packr.unpack(payload) as [number];
  return timeMs;
}

/** The first frame of a leader of a cluster, with the number of its leadership. */
export interface TermContent {
  readonly timeMs: number;
  /** From 1 on. */
  readonly term: number;
  /** Random for each start of a process, as 32 hex digits. */
  readonly nonce: string;
}

/** The payload of a term frame. */
export function packTerm({ timeMs, term, nonce }: TermContent): Uint8Array {
  return packValue([timeMs, term, nonce]);
}

/** The content of a term frame from its payload. */
export function unpackTerm(payload: Uint8Array): TermContent {
  const [timeMs, term, nonce] = packr.unpack(payload) as [number, number, string];
  return { timeMs, term, nonce };
}

/** One record of a snapshot block. Valid until the next call: the buffer is reused. */
export function packRecord({ kind, id, lsn, version, values }: StoredRecord): Uint8Array {
  return packValue([kind, id, lsn, version, values]);
}

/**
 * Hands out the records of a snapshot block, one after the other. Nothing else may be unpacked
 * meanwhile, because the library keeps only one read position.
 */
export function unpackRecords(payload: Uint8Array, take: (record: StoredRecord) => void): void {
  if (payload.length === 0) return;
  packr.unpackMultiple(payload, (packed: PackedFields) => {
    const [kind, id, lsn, version, values] = packed;
    take({ kind, id, lsn, version, values });
  });
}

/** The counterpart of `packValue`. */
export function unpackValue(payload: Uint8Array): unknown {
  return packr.unpack(payload);
}

type PackedChange = [string, string, Lsn, number, readonly unknown[] | null];
type PackedFrame = [
  timeMs: number,
  actor: string,
  requestId: string,
  operation: string,
  causeLsn: Lsn,
  events: readonly LoggedEvent[],
  changes: PackedChange[],
];
type PackedFields = [string, string, Lsn, number, readonly unknown[]];

// Plain msgpack maps, so that any msgpack reader in any language can read a log. Unpacked values
// keep no reference to the bytes they were read from, because the next block may overwrite these.
const packr = new Packr({ useRecords: false, copyBuffers: true });

/**
 * Packs any value. Valid until the next call: without the reset, msgpackr allocates new memory for
 * each result.
 */
export function packValue(value: unknown): Uint8Array {
  return packr.pack(value, RESET_BUFFER_MODE);
}
