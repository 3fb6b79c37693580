// Reads the kept segments for the inspector and the audit feed: pages of frames, the history of one
// record, one frame, and the last transitions. It is synchronous and runs in a separate thread.

import type { Change, Frame, Lsn } from '../../../../snapshots/journal.ts';
import { FrameFinder } from '../../../../snapshots/log/frame-finder.ts';
import { type LogBookmark, LogCursor } from '../../../../snapshots/log/log-cursor.ts';
import { entryOf, type LogEntry } from '../../../../snapshots/log/read-frames.ts';
import {
  type BegunSegment,
  isBegun,
  listSegments,
} from '../../../../snapshots/log/segment-list.ts';
import type { Disk } from '../../../platform/ports.ts';
import type {
  FrameOrder,
  FrameView,
  RecordChange,
  Transition,
  TransitionPage,
} from '../../messages.ts';
import { ActorNames } from '../instances/actor-names.ts';
import { type FoundChange, newestChange } from './last-frame-of-record.ts';
import {
  causeOf,
  LogLines,
  matchesFrame,
  type ShownChange,
  type ShownKind,
  transitionOf,
  type UnnamedLine,
} from './log-lines.ts';
import type { readerBounds } from './log-reader.ts';

/** What reading a log needs. */
export interface KeptLogOptions {
  readonly disk: Disk;
  readonly home: string;
  readonly kinds: ReadonlyMap<string, ShownKind>;
  readonly bounds: typeof readerBounds;
}

/** A line, and the last name of its actor that was read; the actor may be deleted by now. */
export interface KeptLine extends UnnamedLine {
  readonly previousName: string | undefined;
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

/** Which frame is wanted, with which of the frames that followed from it. */
export interface FrameRequest {
  readonly lsn: Lsn;
  /** Only followers after this frame, at least `lsn`. */
  readonly afterLsn: Lsn;
  /** The last durable frame. */
  readonly durableLsn: Lsn;
}

/** As `FrameView`, without the names of the live records. */
export interface KeptFrame extends Omit<FrameView, 'changes' | 'lastLsn'> {
  readonly changes: readonly ShownChange[];
}

/** Transitions of the frames from `fromLsn` on, newest first. */
export interface RecentPage {
  readonly transitions: readonly Transition[];
  readonly fromLsn: Lsn;
  /** Whether older frames are kept. */
  readonly hasMore: boolean;
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

  /** A frame; undefined if the log does not hold it, or no longer does. @throws NewerFormat */
  frameAt(wanted: FrameRequest): KeptFrame | undefined {
    const { lsn, durableLsn } = wanted;
    const oldestLsn = this.#oldestLsn();
    if (lsn > durableLsn || lsn < oldestLsn) return undefined;
    const frame = this.#finder.find(lsn);
    const followers = { ...this.#followersOf(wanted), oldestLsn };
    if (frame !== undefined) return { ...this.#frameView(frame), ...followers };
    const mark = this.#markAt(lsn);
    return mark && { ...mark, ...followers };
  }

  /** The transitions of `logReadRecentFramesMax` frames before `beforeLsn`. @throws NewerFormat */
  recentTransitions(beforeLsn: Lsn): RecentPage {
    const { logReadRecentFramesMax } = this.#options.bounds;
    const oldestLsn = this.#oldestLsn();
    const fromLsn = Math.max(oldestLsn, beforeLsn - logReadRecentFramesMax);
    const transitions: Transition[] = [];
    for (let lsn = beforeLsn - 1; lsn >= fromLsn; lsn--) {
      const frame = this.#finder.find(lsn);
      if (frame === undefined) continue;
      const steps = this.#lines.eventsOf(frame).map((event) => transitionOf(frame, event, ''));
      transitions.push(...steps.reverse());
    }
    return { transitions, fromLsn, hasMore: fromLsn > oldestLsn };
  }

  /**
   * Transitions and changes of one record without the names of actors, newest first, along the
   * chain that its changes make. A page without any may be followed by more, if a record is gone
   * and its last change is far back.
   * @throws NewerFormat
   */
  transitionsOf(order: HistoryOrder): TransitionPage {
    const { kind, id, beforeLsn, limit } = order;
    const { logReadHistoryFramesMax } = this.#options.bounds;
    const oldestLsn = this.#oldestLsn();
    const transitions: Transition[] = [];
    const changes: RecordChange[] = [];
    let nextBeforeLsn = beforeLsn;
    const start = this.#startOf(order);
    if (start.beforeLsn !== undefined) {
      return { transitions, changes, oldestLsn, hasMore: true, nextBeforeLsn: start.beforeLsn };
    }
    let { lsn } = start;
    let rows = 0;
    for (let framesRead = 0; lsn >= oldestLsn; framesRead++) {
      const frame = this.#finder.find(lsn);
      const change = frame && changeOf(frame, kind, id);
      if (frame === undefined || change === undefined) break;
      const found = this.#transitionsIn(frame, kind, id);
      if (rows >= limit || framesRead >= logReadHistoryFramesMax) {
        return { transitions, changes, oldestLsn, hasMore: true, nextBeforeLsn };
      }
      rows += Math.max(1, found.length);
      transitions.push(...found);
      const { change: what, fields } = this.#lines.shown(change);
      changes.push({ ...causeOf(frame), change: what, fields });
      nextBeforeLsn = lsn;
      lsn = change.previousLsn;
      // A creation has no earlier change.
      if (lsn === 0) break;
    }
    return { transitions, changes, oldestLsn, hasMore: false, nextBeforeLsn };
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

  #frameView(frame: Frame) {
    const { logReadChangesMax } = this.#options.bounds;
    const events = this.#lines.eventsOf(frame);
    return {
      ...causeOf(frame),
      transitions: events
        .slice(0, logReadChangesMax)
        .map((event) => transitionOf(frame, event, '')),
      transitionsTotal: events.length,
      changes: frame.changes.slice(0, logReadChangesMax).map((change) => this.#lines.shown(change)),
      changesTotal: frame.changes.length,
    };
  }

  /** A frame that changes no record. */
  #markAt(lsn: Lsn) {
    const cursor = this.#cursorAt(lsn);
    try {
      for (let step = cursor.next(); step !== undefined; step = cursor.next()) {
        if ('fromLsn' in step || step.header.lsn > lsn) return undefined;
        if (step.header.lsn < lsn) continue;
        const entry = entryOf(step);
        if (entry.entry === 'transaction') return undefined;
        return { ...markView, lsn, timeMs: entry.timeMs, operation: entry.entry };
      }
      return undefined;
    } finally {
      cursor.close();
    }
  }

  /** Consequences come soon after their cause, so a bounded part of the log is searched. */
  #followersOf({ lsn, afterLsn, durableLsn }: FrameRequest) {
    const { logReadHistoryFramesMax, logReadChangesMax } = this.#options.bounds;
    const followers: FrameView['followers'][number][] = [];
    const end = Math.min(durableLsn, afterLsn + logReadHistoryFramesMax);
    let at = afterLsn;
    while (at < end && followers.length < logReadChangesMax) {
      at += 1;
      const frame = this.#finder.find(at);
      if (frame?.causeLsn !== lsn) continue;
      const { timeMs, operation, events, changes } = frame;
      const counts = { transitions: events.length, changes: changes.length };
      followers.push({ lsn: at, timeMs, operation, ...counts });
    }
    return { followers, followersUntilLsn: at, hasMore: at < durableLsn };
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
      return { ...this.#lines.ofMark(entry), previousName: undefined };
    }
    const { frame } = entry;
    this.#names.learn(frame);
    if (!matchesFrame(frame, { kind, id })) return undefined;
    return { ...this.#lines.of(frame), previousName: this.#names.learned(frame.actor) };
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

/** What a frame without changes does not have. */
const markView = {
  actor: '',
  actorName: '',
  requestId: '',
  causeLsn: 0,
  transitions: [],
  transitionsTotal: 0,
  changes: [],
  changesTotal: 0,
};

/** Places in the log that readers came to: more than audit feeds. @bound per controller */
const bookmarksMax = 256;
/** Bytes read at a time: the frames of a page or two. */
const windowBytes = 128 * 1024;

function changeOf({ changes }: Frame, kind: string, id: string): Change | undefined {
  return changes.find((change) => change.kind === kind && change.id === id);
}
