// Finds single frames of a log by their LSN, with memory that hardly grows with the log.

import type { Disk, DiskFile } from '../../src/platform/ports.ts';
import type { Frame, Lsn } from '../journal.ts';
import { unpackFrame } from './codec.ts';
import { frameKinds, frameSeed } from './frame.ts';
import { FrameWindow } from './frame-window.ts';
import { segmentHeaderBytes } from './segment.ts';
import { type BegunSegment, isBegun, listSegments } from './segment-list.ts';

/** Finds frames. It must be closed when it is no longer needed. */
export class FrameFinder {
  readonly #disk: Disk;
  readonly #home: string;
  #segments: readonly MarkedSegment[] = [];
  #open: { readonly segment: MarkedSegment; file: DiskFile; window: FrameWindow } | undefined;

  constructor(disk: Disk, home: string) {
    this.#disk = disk;
    this.#home = home;
  }

  /**
   * The transaction at `lsn`; undefined when the log does not hold it, or no longer does.
   * @throws NewerFormat
   */
  find(lsn: Lsn): Frame | undefined {
    const [oldest] = this.#segments;
    if (oldest !== undefined && lsn < oldest.header.firstLsn) return undefined;
    const found = this.#find(lsn);
    if (found !== undefined) return found;
    // The frame may have been written since the last search.
    this.#open?.window.forget();
    this.#list();
    return this.#find(lsn);
  }

  close(): void {
    this.#open?.file.close();
    this.#open = undefined;
  }

  #find(lsn: Lsn): Frame | undefined {
    const segment = this.#segments.findLast(({ header }) => header.firstLsn <= lsn);
    const window = segment && this.#windowOf(segment);
    if (segment === undefined || window === undefined) return undefined;
    const distance = lsn - segment.header.firstLsn;
    const mark = Math.max(0, Math.min(Math.floor(distance / markEvery), segment.marks.length - 1));
    let offset = segment.marks[mark] ?? segmentHeaderBytes;
    for (let at = mark * markEvery; at < distance; at++) {
      if (at === segment.marks.length * markEvery) segment.marks.push(offset);
      const bytes = window.bytesAt(offset);
      if (bytes === 0) return undefined;
      offset += bytes;
    }
    const frame = window.frameAt(offset);
    if (frame?.header.lsn !== lsn || frame.header.kind !== frameKinds.transaction) return undefined;
    return unpackFrame(lsn, frame.payload);
  }

  #list(): void {
    const known = new Map(this.#segments.map((segment) => [segment.sequence, segment]));
    this.#segments = listSegments(this.#disk, this.#home)
      .filter(isBegun)
      .map((segment) => known.get(segment.sequence) ?? { ...segment, marks: [] });
  }

  #windowOf(segment: MarkedSegment): FrameWindow | undefined {
    if (this.#open?.segment === segment) return this.#open.window;
    this.close();
    // A snapshot may just have made the segment superfluous.
    if (!this.#disk.exists(segment.path)) return undefined;
    const file = this.#disk.open(segment.path, 'read');
    const window = new FrameWindow(file, frameSeed(segment.header.dataSetId), windowBytes);
    this.#open = { segment, file, window };
    return window;
  }
}

/** Bytes per read: about the distance of two marks with frames of usual size. */
const windowBytes = 65_536;
/** Frames from one noted offset to the next. */
const markEvery = 64;

interface MarkedSegment extends BegunSegment {
  /** Offset of every 64th frame, as far as the segment was read. */
  readonly marks: number[];
}
