// Frames that wait to be published, and how they are cut into groups.

import { frameBytesAt, stampFrame } from '../../../snapshots/log/frame.ts';
import type { LogPoint } from '../stream.ts';

/** Unstamped frames in the order in which they were appended. */
export class PendingFrames {
  readonly #groupBytesMax: number;
  #regions: Buffer[] = [];
  #bytes = 0;

  /** @param groupBytesMax bytes of one group, at least those of the largest frame */
  constructor(groupBytesMax: number) {
    this.#groupBytesMax = groupBytesMax;
  }

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether they are enough for a group of full size. */
  get isFull(): boolean {
    return this.#bytes >= this.#groupBytesMax;
  }

  /** Copies whole frames, one after the other. */
  add(region: Buffer): void {
    if (region.length === 0) return;
    this.#regions.push(Buffer.from(region));
    this.#bytes += region.length;
  }

  /**
   * Takes out the next group: as many whole frames as fit. Its memory belongs to the caller.
   * @throws RangeError if the next frame is larger than a group may be
   */
  cut(): Buffer {
    const parts: Buffer[] = [];
    let bytes = 0;
    for (let region = this.#regions[0]; region !== undefined; region = this.#regions[0]) {
      const end = wholeFramesWithin(region, this.#groupBytesMax - bytes);
      if (end > 0) parts.push(region.subarray(0, end));
      bytes += end;
      if (end < region.length) {
        this.#regions[0] = region.subarray(end);
        break;
      }
      this.#regions.shift();
    }
    const [only] = parts;
    if (only === undefined) throw new RangeError('a frame is larger than a group may be');
    this.#bytes -= bytes;
    return parts.length === 1 ? only : Buffer.concat(parts);
  }
}

/** Gives frames their places in the log behind `after`; the last one's. */
export function stampAll(frames: Buffer, after: LogPoint, seed: number): LogPoint {
  let { lsn, crc }: LogPoint = after;
  for (let at = 0; at < frames.length; at += frameBytesAt(frames, at)) {
    lsn += 1;
    // In a log that is confirmed elsewhere, a frame proves nothing about those before it.
    crc = stampFrame(frames, at, { lsn, batch: 0, previousCrc: crc }, seed);
  }
  return { lsn, crc };
}

function wholeFramesWithin(region: Buffer, bytesMax: number): number {
  if (region.length <= bytesMax) return region.length;
  let end = 0;
  for (let next = frameBytesAt(region, 0); next <= bytesMax; ) {
    end = next;
    next += frameBytesAt(region, end);
  }
  return end;
}
