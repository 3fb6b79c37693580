// Finds the last frame that changed a deleted record. It searches the bytes of the segments for
// kind and id, the newest segment first, a bounded part of the log at a time.

import { Buffer } from 'node:buffer';
import type { Lsn } from '../../../../snapshots/journal.ts';
import { packValue, unpackFrame } from '../../../../snapshots/log/codec.ts';
import { frameKinds, frameSeed } from '../../../../snapshots/log/frame.ts';
import { FrameWindow } from '../../../../snapshots/log/frame-window.ts';
import { segmentHeaderBytes } from '../../../../snapshots/log/segment.ts';
import {
  type BegunSegment,
  isBegun,
  listSegments,
} from '../../../../snapshots/log/segment-list.ts';
import type { Disk, DiskFile } from '../../../platform/ports.ts';

/** What to search for, where, and how far at a time. */
export interface ChangeSearch {
  readonly disk: Disk;
  readonly home: string;
  readonly kind: string;
  readonly id: string;
  /** The last frame that may be found. */
  readonly toLsn: Lsn;
  /** Frames that are unpacked, at least 1. */
  readonly framesMax: number;
  /** Bytes of segments after which no further segment is begun. */
  readonly bytesMax: number;
}

/** The result of a search. */
export interface FoundChange {
  /** LSN of the newest change; 0 if none was found. */
  readonly lsn: Lsn;
  /**
   * The frame at which the search stopped because of a bound; the frames before it are not searched
   * yet.
   */
  readonly beforeLsn?: Lsn;
}

/**
 * The newest change. 16 MiB of a segment without the record take some 5 ms; frames are decoded only
 * where kind and id occur.
 * @throws NewerFormat
 */
export function newestChange(search: ChangeSearch): FoundChange {
  const { disk, home, toLsn, framesMax, bytesMax } = search;
  const needle = needleFor(search);
  let [bytes, frames, beforeLsn] = [0, 0, toLsn + 1];
  for (const segment of listSegments(disk, home).filter(isBegun).reverse()) {
    // A new snapshot may just have removed it.
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
 * Kind and id as a change contains them, each after its length, so that neither a part of another
 * id nor the id of an actor matches.
 */
function needleFor({ kind, id }: ChangeSearch): Buffer {
  const arrayHeaderBytes = 1;
  return Buffer.from(packValue([kind, id])).subarray(arrayHeaderBytes);
}

function holds(file: DiskFile, needle: Buffer): boolean {
  const size = file.size();
  for (let at = 0; at < size; at += windowBytes) {
    // Windows overlap, so that a match across the end of one is found.
    if (file.read(at, windowBytes + needle.length).includes(needle)) return true;
  }
  return false;
}

/** The position of a frame that may be a change. */
interface Place {
  readonly lsn: Lsn;
  readonly offset: number;
}

/** Frames are not decoded yet: of several candidates, the newest one usually matches. */
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
/** For single frames, from the last one to the first, where reading ahead is of no use. */
const frameWindowBytes = 4096;
