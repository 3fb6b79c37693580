// Unchanged submissions of endpoints: their times are kept in memory and written at intervals, like
// the activity of API sessions. Otherwise every client would have its whole record written every
// few seconds.

import { FlushTimer } from '../actors/flush-timer.ts';
import type { Log } from '../observe/logs.ts';
import type { Clock } from '../platform/ports.ts';
import { type PostureDataRecord, postureDataKind } from '../records/posture-data.ts';
import { type BoundValues, boundsOf } from '../settings/bounds.ts';
import type { Config } from '../settings/config.ts';
import type { Store } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import { postureBytes } from './data-bounds.ts';

const { kind } = postureDataKind;

/** A stored record, and the same with later times. */
interface Repeated {
  readonly stored: PostureDataRecord;
  readonly data: PostureDataRecord;
}

/**
 * Records that equal the stored ones, with later times. No verdict depends on data that is only
 * here, so a crash loses only these times: `lastUpdatedAt` is then that of the last flush.
 */
export class RepeatedSubmissions {
  readonly #table: Table<PostureDataRecord>;
  /** By id, those that have waited longest first. */
  readonly #waiting = new Map<string, Repeated>();

  /** Follows the store: a record that is written or deleted no longer waits. */
  constructor(store: Store) {
    this.#table = store.table(postureDataKind);
    store.follow(({ changes }) => {
      if (this.#waiting.size === 0) return;
      for (const { table, row } of changes) {
        if (table.kind === kind) this.#waiting.delete(row.id);
      }
    });
  }

  /** Takes `data` that equal the stored record of the identity except for times and order. */
  note(data: PostureDataRecord): void {
    const stored = this.#table.peek(data.id)?.record;
    if (stored !== undefined) this.#waiting.set(data.id, { stored, data });
  }

  /** `stored` with its latest times. */
  latestOf(stored: PostureDataRecord): PostureDataRecord {
    const repeated = this.#waiting.get(stored.id);
    // Within a transaction that writes another record, the written one counts at once.
    return repeated?.stored === stored ? repeated.data : stored;
  }

  /** How many records wait to be written. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Hands up to `rowsMax` records to `write`, fewer if they hold more than `bytesMax` bytes of
   * posture data together. The records that it commits no longer wait. Returns how many.
   * @throws whatever `write` throws; all of the records then still wait.
   */
  flush(
    rowsMax: number,
    bytesMax: number,
    write: (table: Table<PostureDataRecord>, records: readonly PostureDataRecord[]) => void,
  ): number {
    const records: PostureDataRecord[] = [];
    let bytes = 0;
    for (const { data: record } of this.#waiting.values()) {
      bytes += postureBytes(record);
      if (records.length > 0 && (records.length >= rowsMax || bytes > bytesMax)) break;
      records.push(record);
    }
    if (records.length > 0) write(this.#table, records);
    return records.length;
  }
}

/** The options of the flush. */
interface SubmissionFlushOptions {
  readonly store: Store;
  readonly repeats: RepeatedSubmissions;
  readonly clock: Clock;
  readonly config: Config;
  readonly bounds?: BoundValues | undefined;
  readonly log: Log;
}

/** A flush every `session.activityFlushSeconds`, and one at a clean stop. */
export function createSubmissionFlush(options: SubmissionFlushOptions): FlushTimer {
  const { store, repeats, clock, config, log } = options;
  const { postureFlushRowsMax, postureFlushBytesMax } = boundsOf(flushBounds, options.bounds);
  const cause = { actor: 'controller', requestId: '', operation: 'flushPosture' };
  return new FlushTimer({
    clock,
    intervalMs: config.session.activityFlushSeconds * 1000,
    waiting: () => repeats.size,
    writeFrame(left) {
      const rowsMax = Math.min(left, postureFlushRowsMax);
      try {
        return repeats.flush(rowsMax, postureFlushBytesMax, (table, records) =>
          store.transact(cause, (tx) => {
            for (const record of records) tx.put(table, record);
          }),
        );
      } catch (err) {
        log.warn({ err }, 'times of posture data could not be written; the next flush tries again');
        return left;
      }
    },
  });
}

const flushBounds = {
  /** Identities whose repeated posture submissions are written in one frame. @bound */
  postureFlushRowsMax: 250,
  /** Posture data in such a frame, beyond its first record; it is synced as a whole. @bound */
  postureFlushBytesMax: 512 * 1024,
};
