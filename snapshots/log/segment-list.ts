// Lists the segments of a home by their names and headers, before any frame is read.

import { join } from 'node:path';

import type { Disk } from '../../src/platform/ports.ts';
import { withFile } from '../home/file-access.ts';
import { logDirectory, sequenceOf } from '../home/layout.ts';
import { type SegmentHeader, segmentHeaderBytes, unpackSegmentHeader } from './segment.ts';

/** One segment file. */
export interface ListedSegment {
  readonly sequence: number;
  readonly path: string;
  /** Undefined when it is unreadable: the segment was prepared and not begun, or it is damaged. */
  readonly header: SegmentHeader | undefined;
}

/** A segment that holds frames, or could. */
export interface BegunSegment extends ListedSegment {
  readonly header: SegmentHeader;
}

/** Whether a segment has a readable header. */
export function isBegun(segment: ListedSegment): segment is BegunSegment {
  return segment.header !== undefined;
}

/** All segment files by sequence. @throws NewerFormat */
export function listSegments(disk: Disk, home: string): ListedSegment[] {
  return segmentsIn(disk, logDirectory(home));
}

/** The same for any directory, such as a copy of a log. @throws NewerFormat */
export function segmentsIn(disk: Disk, directory: string): ListedSegment[] {
  const segments: ListedSegment[] = [];
  for (const name of disk.list(directory)) {
    const sequence = sequenceOf(name);
    if (sequence === undefined) continue;
    const path = join(directory, name);
    segments.push({ sequence, path, header: headerOf(disk, path) });
  }
  return segments;
}

/** The header of one segment file; undefined when it is unreadable. @throws NewerFormat */
export function headerOf(disk: Disk, path: string): SegmentHeader | undefined {
  const bytes = withFile(disk, path, 'read', (file) => file.read(0, segmentHeaderBytes));
  return unpackSegmentHeader(bytes, path);
}
