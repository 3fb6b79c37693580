// Reads the files of a home on a simulated disk, and damages them in ways that no crash would.

import { frameBytesAt, frameSeed, readFrame } from '../../../snapshots/log/frame.ts';
import { segmentHeaderBytes } from '../../../snapshots/log/segment.ts';
import { isBegun, listSegments } from '../../../snapshots/log/segment-list.ts';
import type { SimulatedDisk } from '../../simulated/disk.ts';

/** Where a frame stands. */
export interface PlacedFrame {
  readonly lsn: number;
  readonly offset: number;
  readonly bytes: number;
}

/** The segments that hold frames, with what stands in them. */
export function segmentsOf(
  disk: SimulatedDisk,
): { readonly path: string; readonly frames: readonly PlacedFrame[] }[] {
  return listSegments(disk, '/home')
    .filter(isBegun)
    .map(({ path, header }) => {
      const bytes = disk.bytesOf(path);
      const frames: PlacedFrame[] = [];
      for (let offset = segmentHeaderBytes; ; ) {
        const frame = readFrame(bytes, offset, frameSeed(header.dataSetId));
        if (frame === undefined) return { path, frames };
        const length = frameBytesAt(bytes, offset);
        frames.push({ lsn: frame.lsn, offset, bytes: length });
        offset += length;
      }
    });
}

/**
 * Leaves the first 40 bytes of one more frame behind the last one. @returns a function that repairs
 * it
 */
export function tearTail(disk: SimulatedDisk): () => void {
  const { path, frames } = segmentsOf(disk).at(-1) ?? { path: '', frames: [] };
  const last = frames.at(-1);
  if (last === undefined) throw new Error('no frame');
  const offset = last.offset + last.bytes;
  const before = disk.bytesOf(path);
  disk.corrupt(path, (bytes) => {
    bytes.writeUInt32LE(200, offset);
    bytes.fill(0xab, offset + 4, offset + 40);
  });
  return () => disk.corrupt(path, (bytes) => void before.copy(bytes));
}

/** The names and bytes of all files of the home. */
export function stateOf(disk: SimulatedDisk): ReadonlyMap<string, string> {
  const state = new Map<string, string>();
  for (const directory of ['/home', '/home/log', '/home/snapshots']) {
    for (const name of disk.list(directory)) {
      const path = `${directory}/${name}`;
      state.set(path, disk.bytesOf(path).toString('latin1'));
    }
  }
  return state;
}
