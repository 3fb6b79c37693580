// Finds the last frame that changed a record which is gone: its id is searched for in the bytes of
// the segments, the newest one first.

import { Buffer } from 'node:buffer';
import { unpackFrame } from '../../snapshots/codec.ts';
import { frameKinds, frameSeed } from '../../snapshots/frame.ts';
import { FrameWindow } from '../../snapshots/frame-window.ts';
import type { Lsn } from '../../snapshots/journal.ts';
import { segmentHeaderBytes } from '../../snapshots/segment.ts';
import { type BegunSegment, isBegun, listSegments } from '../../snapshots/segment-list.ts';
import type { Disk, DiskFile } from '../ports.ts';

/** What is searched for, and where. */
export interface ChangeSearch {
  readonly disk: Disk;
  readonly home: string;
  readonly kind: string;
  readonly id: string;
  /** The last frame that may be found. */
  readonly toLsn: Lsn;
}

/**
 * LSN of the newest change; undefined where the kept log has none. 16 MiB of a segment without the
 * id take some 5 ms; only where it occurs are frames looked at.
 * @throws NewerFormat
 */
export function newestChange(search: ChangeSearch): Lsn | undefined {
  const { disk, home, id, toLsn } = search;
  // Ids are text of a few bytes, and stand in msgpack as they are.
  const needle = Buffer.from(id);
  const segments = listSegments(disk, home).filter(isBegun).reverse();
  for (const segment of segments) {
    // A snapshot may just have made it superfluous.
    if (segment.header.firstLsn > toLsn || !disk.exists(segment.path)) continue;
    const file = disk.open(segment.path, 'read');
    try {
      const lsn = holds(file, needle) ? newestIn(file, segment, search, needle) : undefined;
      if (lsn !== undefined) return lsn;
    } finally {
      file.close();
    }
  }
  return undefined;
}

function holds(file: DiskFile, needle: Buffer): boolean {
  const size = file.size();
  for (let at = 0; at < size; at += windowBytes) {
    // What lies across the end of a window is found all the same.
    if (file.read(at, windowBytes + needle.length).includes(needle)) return true;
  }
  return false;
}

function newestIn(
  file: DiskFile,
  { header }: BegunSegment,
  { kind, id, toLsn }: ChangeSearch,
  needle: Buffer,
): Lsn | undefined {
  const window = new FrameWindow(file, frameSeed(header.dataSetId), windowBytes);
  let offset = segmentHeaderBytes;
  let newest: Lsn | undefined;
  for (;;) {
    const frame = window.frameAt(offset);
    if (frame === undefined || frame.header.lsn > toLsn) return newest;
    const { lsn, kind: frameKind } = frame.header;
    if (frameKind === frameKinds.transaction && frame.payload.includes(needle)) {
      const { changes } = unpackFrame(lsn, frame.payload);
      if (changes.some((change) => change.kind === kind && change.id === id)) newest = lsn;
    }
    offset += frame.bytes;
  }
}

const windowBytes = 1024 * 1024;
