// Reads confirmed frames from the stream once more, for a local log that has fallen behind.

import { frameBytesAt, stampOf } from '../../../snapshots/log/frame.ts';
import type { Group, LogPoint, Stream, StreamMessage, StreamSequence } from '../stream.ts';
import type { ConfirmedFrames, FrameSource } from './local-log.ts';

/** Message by message, from the first that holds what is wanted. */
export class StreamFrames implements FrameSource {
  readonly #stream: Stream;
  readonly #decode: (message: StreamMessage) => Group;
  #sequence: StreamSequence;
  #isFound = false;

  /**
   * @param decode checks a message by itself, and throws if it is wrong
   * @param near a message that is not far from what is wanted, before or after it
   */
  constructor(stream: Stream, decode: (message: StreamMessage) => Group, near: StreamSequence) {
    this.#stream = stream;
    this.#decode = decode;
    this.#sequence = Math.max(1, near);
  }

  async next(point: LogPoint): Promise<ConfirmedFrames | 'purged' | undefined> {
    for (;;) {
      const message = await this.#stream.read(this.#sequence);
      if (message === undefined) {
        const { first } = await this.#stream.state();
        return this.#sequence < first ? 'purged' : undefined;
      }
      const group = this.#decode(message);
      if (!this.#isFound && group.after.lsn > point.lsn) {
        if (this.#sequence === 1) return 'purged';
        this.#sequence -= 1;
        continue;
      }
      this.#isFound = true;
      const frames = framesBehind(group, point);
      if (frames !== undefined && frames.length > 0) return { frames, last: group.last };
      this.#sequence += 1;
    }
  }
}

/**
 * The frames of a group behind a point; undefined if they do not follow it. A message of a leader
 * whose term had ended does not.
 */
function framesBehind({ after, frames }: Group, point: LogPoint): Buffer | undefined {
  let offset = 0;
  for (let lsn = after.lsn; lsn < point.lsn && offset < frames.length; lsn++) {
    offset += frameBytesAt(frames, offset);
  }
  const rest = frames.subarray(offset);
  if (rest.length === 0) return rest;
  const { lsn, previousCrc } = stampOf(rest, 0);
  return lsn === point.lsn + 1 && previousCrc === point.crc ? rest : undefined;
}
