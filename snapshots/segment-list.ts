// The segments of a home by their names and headers, before a single frame is read.

import type { Disk } from '../src/ports.ts';
import { logDirectory, segmentPath, sequenceOf } from './layout.ts';
import { type SegmentHeader, segmentHeaderBytes, unpackSegmentHeader } from './segment.ts';

/** One segment file. */
export interface ListedSegment {
  readonly sequence: number;
  readonly path: string;
  /** Undefined when it does not read: made ahead and not begun, or damaged. */
  readonly header: SegmentHeader | undefined;
}

/** All segment files by sequence. @throws NewerFormat */
export function listSegments(disk: Disk, home: string): ListedSegment[] {
  const segments: ListedSegment[] = [];
  for (const name of disk.list(logDirectory(home))) {
    const sequence = sequenceOf(name);
    if (sequence === undefined) continue;
    const path = segmentPath(home, sequence);
    segments.push({ sequence, path, header: headerOf(disk, path) });
  }
  return segments;
}

function headerOf(disk: Disk, path: string): SegmentHeader | undefined {
  const file = disk.open(path, 'read');
  try {
    return unpackSegmentHeader(file.read(0, segmentHeaderBytes), path);
  } finally {
    file.close();
  }
}
