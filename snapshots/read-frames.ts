// Reads the log of a home in order, for the log command, the inspector and the audit feed.

import type { Disk } from '../src/ports.ts';
import { unpackFrame, unpackSeal } from './codec.ts';
import { LogCorrupt } from './errors.ts';
import { frameBytes, frameKinds, frameSeed } from './frame.ts';
import type { Frame, Lsn } from './journal.ts';
import { readWhole } from './manifest.ts';
import { listSegments } from './segment-list.ts';
import { framesOf } from './segment-reader.ts';

/** Where in the log an entry stands. */
export interface LogPlace {
  readonly file: string;
  readonly offset: number;
  /** With header and padding. */
  readonly bytes: number;
  /** First LSN of its group. */
  readonly batch: Lsn;
}

/** One frame of the log: a transaction, or the seal of a clean stop. */
export type LogEntry =
  | { readonly entry: 'transaction'; readonly place: LogPlace; readonly frame: Frame }
  | {
      readonly entry: 'seal';
      readonly place: LogPlace;
      readonly lsn: Lsn;
      readonly timeMs: number;
    };

/**
 * The frames from `fromLsn` on (from the oldest kept one when that is gone), oldest first. Takes no
 * lock and changes nothing: beside a running controller it ends where writing goes on, and the last
 * frames may not be durable yet. Ends silently at a torn tail.
 * @throws LogCorrupt when frames are missing between two segments; NewerFormat
 */
export function* readFrames(disk: Disk, home: string, fromLsn: Lsn = 1): Generator<LogEntry> {
  const segments = listSegments(disk, home).flatMap(({ path, header }) => {
    return header === undefined ? [] : [{ path, header }];
  });
  const first = segments.findLastIndex(({ header }) => header.firstLsn <= fromLsn);
  for (let index = Math.max(0, first); index < segments.length; index++) {
    const segment = segments[index];
    if (segment === undefined) return;
    const { path, header } = segment;
    const bytes = readWhole(disk, path);
    const frames = framesOf({ path, header, bytes, seed: frameSeed(header.dataSetId) });
    let step = frames.next();
    for (; !step.done; step = frames.next()) {
      if (step.value.header.lsn >= fromLsn) yield entryOf(path, step.value);
    }
    const next = segments[index + 1];
    if (next !== undefined && next.header.firstLsn !== step.value.lsn + 1) {
      const { offset, lsn } = step.value;
      const reason = `the next segment begins with LSN ${next.header.firstLsn}`;
      throw new LogCorrupt({ file: path, offset, lsn: lsn + 1 }, reason);
    }
  }
}

type PlacedFrame = ReturnType<typeof framesOf> extends Iterator<infer Placed> ? Placed : never;

function entryOf(file: string, { header, offset, payload }: PlacedFrame): LogEntry {
  const { lsn, batch, kind } = header;
  const place = { file, offset, bytes: frameBytes(payload.length), batch };
  if (kind === frameKinds.seal) return { entry: 'seal', place, lsn, timeMs: unpackSeal(payload) };
  return { entry: 'transaction', place, frame: unpackFrame(lsn, payload) };
}
