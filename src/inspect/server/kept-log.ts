// Reads the kept segments for the inspector and the audit feed: pages of frames, and the
// transitions of one instance. It is synchronous and runs in a separate thread.

import type { Change, Frame, Lsn } from '../../../snapshots/journal.ts';
import { FrameFinder } from '../../../snapshots/log/frame-finder.ts';
import { type LogBookmark, LogCursor } from '../../../snapshots/log/log-cursor.ts';
import { entryOf, type LogEntry } from '../../../snapshots/log/read-frames.ts';
import { type BegunSegment, isBegun, listSegments } from '../../../snapshots/log/segment-list.ts';
import type { Disk } from '../../ports.ts';
import type { FrameOrder, Transition, TransitionPage } from '../contract.ts';
import { ActorNames } from './actor-names.ts';
import {
  LogLines,
  matchesFrame,
  type ShownKind,
  transitionOf,
  type UnnamedLine,
} from './log-lines.ts';
import type { readerBounds } from './log-reader.ts';
import { type FoundChange, newestChange } from './newest-change.ts';

/** What reading a log needs. */
export interface KeptLogOptions {
  readonly disk: Disk;
  readonly home: string;
  readonly kinds: ReadonlyMap<string, ShownKind>;
  readonly bounds: typeof readerBounds;
}

/** A line, and the last name of its actor that was read; the actor may be deleted by now. */
export interface KeptLine extends UnnamedLine {
  readonly formerName: string | undefined;
}

/** As `FramePage`, without the names from the live records. */
export interface KeptPage {
  readonly lines: readonly KeptLine[];
  readonly nextLsn: Lsn;
  readonly oldestLsn: Lsn;
}

/** Which transitions are wanted. */
export interface HistoryOrder {
  readonly kind: string;
  readonly id: string;
  /** LSN of the present record; 0 if it is gone. */
  readonly headLsn: Lsn;
  /** The last durable frame. */
  readonly durableLsn: Lsn;
  /** Only transitions of older frames. */
  readonly beforeLsn: Lsn;
  /** The transitions of one frame are not split, so there may be a few more. */
  readonly limit: number;
}

/** The kept segments of a home. Holds files open until it is closed. */
export class KeptLog {
  readonly #options: KeptLogOptions;
  readonly #finder: FrameFinder;
  readonly #lines: LogLines;
  readonly #names: ActorNames;
  /**
   * The places where pages ended, by the LSN that follows, so that followers of the log can
   * continue. The last used one is last.
   */
  readonly #bookmarks = new Map<Lsn, LogBookmark>();
  #oldest: BegunSegment | undefined;

  constructor(options: KeptLogOptions) {
    const { disk, home, kinds } = options;
    this.#options = options;
    this.#finder = new FrameFinder(disk, home);
    this.#lines = new LogLines(kinds, (lsn) => this.#finder.find(lsn));
    const identity = kinds.get('identity');
    this.#names = new ActorNames({ disk, home, manifest: undefined, fromLsn: 1, identity });
  }

  /** A page of frames. @throws LogCorrupt, NewerFormat, NewerRecord */
  frames(order: FrameOrder): KeptPage {
    const cursor = this.#cursorAt(order.fromLsn);
    try {
      return this.#pageFrom(cursor, order);
    } finally {
      cursor.close();
    }
  }

  /**
   * Transitions of one instance without the names of actors, newest first, along the chain that its
   * changes make. A page without any may be followed by more, if a record is gone and its last
   * change is far back.
   * @throws NewerFormat
   */
  transitionsOf(order: HistoryOrder): TransitionPage {
    const { kind, id, beforeLsn, limit } = order;
    const { logReadHistoryFramesMax } = this.#options.bounds;
    const oldestLsn = this.#oldestLsn();
    const transitions: Transition[] = [];
    let nextBeforeLsn = beforeLsn;
    const start = this.#startOf(order);
    if (start.beforeLsn !== undefined) {
      return { transitions, oldestLsn, hasMore: true, nextBeforeLsn: start.beforeLsn };
    }
    let { lsn } = start;
    for (let framesRead = 0; lsn >= oldestLsn; framesRead++) {
      const frame = this.#finder.find(lsn);
      const change = frame && changeOf(frame, kind, id);
      if (frame === undefined || change === undefined) break;
      const found = this.#transitionsIn(frame, kind, id);
      const isFull = found.length > 0 && transitions.length >= limit;
      if (isFull || framesRead >= logReadHistoryFramesMax) {
        return { transitions, oldestLsn, hasMore: true, nextBeforeLsn };
      }
      transitions.push(...found);
      nextBeforeLsn = lsn;
      lsn = change.previousLsn;
      // A creation has no earlier change.
      if (lsn === 0) break;
    }
    return { transitions, oldestLsn, hasMore: false, nextBeforeLsn };
  }

  /** Closes its files. */
  close(): void {
    this.#finder.close();
    this.#bookmarks.clear();
  }

  /** The newest frame before `beforeLsn` that is known to change the instance. */
  #startOf({ kind, id, headLsn, durableLsn, beforeLsn }: HistoryOrder): FoundChange {
    const last = beforeLsn <= durableLsn ? this.#finder.find(beforeLsn) : undefined;
    const change = last && changeOf(last, kind, id);
    if (change !== undefined) return { lsn: change.previousLsn };
    if (headLsn > 0 && headLsn < beforeLsn) return { lsn: headLsn };
    // The frame is not part of the chain. From the newest change down it could take many pages to
    // reach it.
    const { disk, home, bounds } = this.#options;
    const { logReadHistoryFramesMax: framesMax, logReadSearchBytesMax: bytesMax } = bounds;
    const toLsn = Math.min(durableLsn, beforeLsn - 1);
    return newestChange({ disk, home, kind, id, toLsn, framesMax, bytesMax });
  }

  /** The last one first. */
  #transitionsIn(frame: Frame, kind: string, id: string): Transition[] {
    return this.#lines
      .eventsOf(frame)
      .filter(([itsKind, itsId]) => itsKind === kind && itsId === id)
      .map((event) => transitionOf(frame, event, ''))
      .reverse();
  }

  #oldestLsn(): Lsn {
    const { disk, home } = this.#options;
    const known = this.#oldest;
    if (known === undefined || !disk.exists(known.path)) {
      this.#oldest = listSegments(disk, home).find(isBegun);
    }
    return this.#oldest?.header.firstLsn ?? 1;
  }

  #lineOf(entry: LogEntry, { kind, id }: FrameOrder): KeptLine | undefined {
    if (entry.entry !== 'transaction') {
      if (kind !== undefined || id !== undefined) return undefined;
      return { ...this.#lines.ofMark(entry), formerName: undefined };
    }
    const { frame } = entry;
    this.#names.learn(frame);
    if (!matchesFrame(frame, { kind, id })) return undefined;
    return { ...this.#lines.of(frame), formerName: this.#names.learned(frame.actor) };
  }

  #pageFrom(cursor: LogCursor, order: FrameOrder): KeptPage {
    const { fromLsn, toLsn, bytesMax } = order;
    const { logReadFramesMax } = this.#options.bounds;
    // A snapshot may have deleted more segments since they were listed.
    const isGone = cursor.nextLsn > fromLsn;
    const oldestLsn = isGone ? cursor.nextLsn : Math.min(this.#oldestLsn(), fromLsn);
    const lines: KeptLine[] = [];
    let [bytes, framesRead] = [0, 0];
    while (bytes < bytesMax && framesRead < logReadFramesMax && cursor.nextLsn <= toLsn) {
      const step = cursor.next();
      if (step === undefined) break;
      // The next page begins at the deleted frames, and reports them.
      if ('fromLsn' in step) return { lines, nextLsn: step.fromLsn, oldestLsn };
      if (step.header.lsn < fromLsn) continue;
      framesRead += 1;
      const line = this.#lineOf(entryOf(step), order);
      if (line === undefined) continue;
      lines.push(line);
      bytes += Buffer.byteLength(line.head) + Buffer.byteLength(line.tail);
    }
    this.#keep(cursor);
    return { lines, nextLsn: Math.max(cursor.nextLsn, fromLsn), oldestLsn };
  }

  #cursorAt(fromLsn: Lsn): LogCursor {
    const { disk, home } = this.#options;
    // Only durable frames are requested, so no sync is needed.
    const options = { disk, home, fromLsn, windowBytes, isServed: () => false };
    const bookmark = this.#bookmarks.get(fromLsn);
    if (bookmark === undefined || !disk.exists(bookmark.segment.path)) {
      return new LogCursor(options);
    }
    return new LogCursor({ ...options, bookmark });
  }

  #keep({ nextLsn, bookmark }: LogCursor): void {
    this.#bookmarks.delete(nextLsn);
    this.#bookmarks.set(nextLsn, bookmark);
    for (const [lsn] of this.#bookmarks) {
      if (this.#bookmarks.size <= bookmarksMax) return;
      this.#bookmarks.delete(lsn);
    }
  }
}

/** Places in the log that readers came to: more than audit feeds. @bound per controller */
const bookmarksMax = 256;
/** Bytes read at a time: the frames of a page or two. */
const windowBytes = 128 * 1024;

function changeOf({ changes }: Frame, kind: string, id: string): Change | undefined {
  return changes.find((change) => change.kind === kind && change.id === id);
}
