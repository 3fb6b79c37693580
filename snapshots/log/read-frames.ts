// Reads the log of a home in order, for the log command, the inspector and the audit feed.

import type { Disk } from '../../src/platform/ports.ts';
import type { Frame, Lsn } from '../journal.ts';
import { unpackFrame, unpackSeal, unpackTerm } from './codec.ts';
import { frameKinds } from './frame.ts';
import { type CursorFrame, LogCursor } from './log-cursor.ts';

/** The place of an entry in the log. */
export interface LogPlace {
  readonly file: string;
  readonly offset: number;
  /** With header and padding. */
  readonly bytes: number;
  /** First LSN of its group; 0 in the log of a cluster. */
  readonly batch: Lsn;
}

/** One frame of the log: a transaction, the seal of a clean stop, or the start of a leadership. */
export type LogEntry =
  | { readonly entry: 'transaction'; readonly place: LogPlace; readonly frame: Frame }
  | {
      readonly entry: 'seal';
      readonly place: LogPlace;
      readonly lsn: Lsn;
      readonly timeMs: number;
    }
  | {
      readonly entry: 'term';
      readonly place: LogPlace;
      readonly lsn: Lsn;
      readonly timeMs: number;
      readonly term: number;
    };

/**
 * The frames from `fromLsn` on (from the oldest kept one when that is gone), oldest first. It takes
 * no lock and changes nothing. Beside a running controller it ends at the last written frame, and
 * the last frames may not be durable yet. It ends silently at a torn tail.
 * @throws LogCorrupt when frames are missing between two segments; NewerFormat
 */
export function* readFrames(disk: Disk, home: string, fromLsn: Lsn = 1): Generator<LogEntry> {
  const cursor = new LogCursor({ disk, home, fromLsn, isServed: () => false });
  try {
    for (let step = cursor.next(); step !== undefined; step = cursor.next()) {
      if ('payload' in step && step.header.lsn >= fromLsn) yield entryOf(step);
    }
  } finally {
    cursor.close();
  }
}

/** A frame decoded. */
export function entryOf({ file, offset, bytes, header, payload }: CursorFrame): LogEntry {
  const { lsn, batch, kind } = header;
  const place = { file, offset, bytes, batch };
  if (kind === frameKinds.seal) return { entry: 'seal', place, lsn, timeMs: unpackSeal(payload) };
  if (kind === frameKinds.term) {
    const { timeMs, term } = unpackTerm(payload);
    return { entry: 'term', place, lsn, timeMs, term };
  }
  return { entry: 'transaction', place, frame: unpackFrame(lsn, payload) };
}
