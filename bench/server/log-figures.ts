// Counts the frames in a home's log and their bytes while the controller runs.

import { paddedToWords } from '../../snapshots/binary.ts';
import { systemCodeOf } from '../../snapshots/errors.ts';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { withFile } from '../../snapshots/home/file-access.ts';
import { unpackFrame } from '../../snapshots/log/codec.ts';
import { frameHeaderBytes, frameKinds, frameSeed, readFrame } from '../../snapshots/log/frame.ts';
import { segmentHeaderBytes } from '../../snapshots/log/segment.ts';
import { listSegments } from '../../snapshots/log/segment-list.ts';

/** The frames of a log that are written so far. */
export interface LogFigures {
  readonly lastLsn: number;
  /** Frames that still exist: segments are deleted when snapshots replace them. */
  readonly frames: number;
  /**
   * Bytes of all of these frames with header and padding, without the zeros that were written in
   * advance.
   */
  readonly frameBytes: number;
}

/**
 * Reads the frames of a home after `since`. The size of a segment says nothing, because segments
 * are filled with zeros in advance.
 */
export function readLogFigures(home: string, since = 0): LogFigures {
  let lastLsn = since;
  let frames = 0;
  let frameBytes = 0;
  for (const { lsn, bytes } of framesOf(home, since)) {
    frames += 1;
    frameBytes += bytes;
    lastLsn = Math.max(lastLsn, lsn);
  }
  return { lastLsn, frames, frameBytes };
}

/** One transaction in the log. */
export interface LoggedOperation {
  readonly operation: string;
  /** Wall-clock ms of the decision. */
  readonly timeMs: number;
}

/** The transactions of a home after `since`, in order. */
export function readOperations(home: string, since: number): LoggedOperation[] {
  const found: LoggedOperation[] = [];
  for (const { lsn, kind, payload } of framesOf(home, since)) {
    if (kind === frameKinds.transaction) found.push(unpackFrame(lsn, payload));
  }
  return found;
}

/** The result of `read`; undefined if a checkpoint has removed a file meanwhile. */
function unlessRemoved<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

function* framesOf(home: string, since: number) {
  const list = () => listSegments(nodeDisk, home);
  const segments = unlessRemoved(list) ?? list();
  for (const [index, { path, header }] of segments.entries()) {
    if (header === undefined) continue;
    const next = segments[index + 1]?.header;
    if (next !== undefined && next.firstLsn <= since + 1) continue;
    const seed = frameSeed(header.dataSetId);
    const content = unlessRemoved(() =>
      withFile(nodeDisk, path, 'read', (file) => file.read(0, file.size())),
    );
    if (content === undefined) continue;
    for (let offset = segmentHeaderBytes; ; ) {
      const frame = readFrame(content, offset, seed);
      if (frame === undefined) break;
      const { length, lsn, kind } = frame;
      const bytes = paddedToWords(length);
      const payload = content.subarray(offset + frameHeaderBytes, offset + length);
      if (lsn > since) yield { lsn, kind, bytes, payload };
      offset += bytes;
    }
  }
}
