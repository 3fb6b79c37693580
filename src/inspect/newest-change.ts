// Finds the last frame that changed a record which is gone: kind and id are searched for in the
// bytes of the segments, the newest one first, a bounded part of the log at a time.

import { Buffer } from 'node:buffer';
import { packValue, unpackFrame } from '../../snapshots/codec.ts';
import { frameKinds, frameSeed } from '../../snapshots/frame.ts';
import { FrameWindow } from '../../snapshots/frame-window.ts';
import type { Lsn } from '../../snapshots/journal.ts';
import { segmentHeaderBytes } from '../../snapshots/segment.ts';
import { type BegunSegment, isBegun, listSegments } from '../../snapshots/segment-list.ts';
import type { Disk, DiskFile } from '../ports.ts';

/** What is searched for, where, and how far at a time. */
export interface ChangeSearch {
  readonly disk: Disk;
  readonly home: string;
  readonly kind: string;
  readonly id: string;
  /** The last frame that may be found. */
  readonly toLsn: Lsn;
  /** Frames that are unpacked, at least 1. */
  readonly framesMax: number;
  /** Bytes of segments: no further one is begun behind so many. */
  readonly bytesMax: number;
}

/** What a search came to. */
export interface FoundChange {
  /** LSN of the newest change; 0 where none was found. */
  readonly lsn: Lsn;
  /** Where the search stopped at a bound: the frames before this one are left to be searched. */
  readonly beforeLsn?: Lsn;
}

/**
 * The newest change. 16 MiB of a segment without the record take some 5 ms; only where kind and id
 * occur are frames looked at.
 * @throws NewerFormat
 */
export function newestChange(search: ChangeSearch): FoundChange {
  const { disk, home, toLsn, framesMax, bytesMax } = search;
  const needle = needleFor(search);
  let [bytes, frames, beforeLsn] = [0, 0, toLsn + 1];
  for (const segment of listSegments(disk, home).filter(isBegun).reverse()) {
    // A snapshot may just have made it superfluous.
    if (segment.header.firstLsn > toLsn || !disk.exists(segment.path)) continue;
    if (bytes >= bytesMax) return { lsn: 0, beforeLsn };
    const file = disk.open(segment.path, 'read');
    try {
      bytes += file.size();
      const places = holds(file, needle) ? placesIn(file, segment, needle, toLsn) : [];
      for (const lookedAt of newestFirst(file, segment, places)) {
        if (frames >= framesMax) return { lsn: 0, beforeLsn: lookedAt.lsn + 1 };
        if (lookedAt.changes(search)) return { lsn: lookedAt.lsn };
        frames += 1;
      }
    } finally {
      file.close();
    }
    beforeLsn = segment.header.firstLsn;
  }
  return { lsn: 0 };
}

/**
 * Kind and id as they stand in a change, each behind its length: no part of another id is taken for
 * it, nor the id of one who acted.
 */
function needleFor({ kind, id }: ChangeSearch): Buffer {
  const arrayHeaderBytes = 1;
  return Buffer.from(packValue([kind, id])).subarray(arrayHeaderBytes);
}

function holds(file: DiskFile, needle: Buffer): boolean {
  const size = file.size();
  for (let at = 0; at < size; at += windowBytes) {
    // What lies across the end of a window is found all the same.
    if (file.read(at, windowBytes + needle.length).includes(needle)) return true;
  }
  return false;
}

/** Where a frame is that may be a change. */
interface Place {
  readonly lsn: Lsn;
  readonly offset: number;
}

/** Nothing is unpacked yet: of several, the newest one is mostly it. */
function placesIn(
  file: DiskFile,
  { header }: BegunSegment,
  needle: Buffer,
  toLsn: Lsn,
): readonly Place[] {
  const window = new FrameWindow(file, frameSeed(header.dataSetId), windowBytes);
  const places: Place[] = [];
  let offset = segmentHeaderBytes;
  for (;;) {
    const frame = window.frameAt(offset);
    if (frame === undefined || frame.header.lsn > toLsn) return places;
    const { lsn, kind } = frame.header;
    if (kind === frameKinds.transaction && frame.payload.includes(needle)) {
      places.push({ lsn, offset });
    }
    offset += frame.bytes;
  }
}

interface LookedAt {
  readonly lsn: Lsn;
  changes(search: ChangeSearch): boolean;
}

function* newestFirst(
  file: DiskFile,
  { header }: BegunSegment,
  places: readonly Place[],
): Generator<LookedAt> {
  const window = new FrameWindow(file, frameSeed(header.dataSetId), frameWindowBytes);
  for (const { lsn, offset } of places.toReversed()) {
    yield {
      lsn,
      changes({ kind, id }) {
        const frame = window.frameAt(offset);
        if (frame === undefined) return false;
        const { changes } = unpackFrame(lsn, frame.payload);
        return changes.some((change) => change.kind === kind && change.id === id);
      },
    };
  }
}

const windowBytes = 1024 * 1024;
/** For single frames, from the last one to the first: what is read beyond one is of no use. */
const frameWindowBytes = 4096;
