// Writes the times of repeated submissions to the log at intervals.

import { FlushTimer } from '../actors/flush-timer.ts';
import { type BoundValues, boundsOf } from '../bounds.ts';
import type { Config } from '../config.ts';
import type { Log } from '../observe/logs.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../store/store.ts';
import type { RepeatedSubmissions } from './repeated-submissions.ts';

/** The options of the flush. */
export interface SubmissionFlushOptions {
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
