// Writes usage to the log every ten minutes, and at a clean stop
// (behaviour/usage#sums-by-the-hour).

import type { Journal } from '../../../snapshots/journal.ts';
import { FlushTimer } from '../../actors/flush-timer.ts';
import type { Log } from '../../observe/logs.ts';
import type { Clock } from '../../platform/ports.ts';
import { type BoundValues, boundsOf } from '../../settings/bounds.ts';
import type { Limits } from '../../settings/limits.ts';
import type { Store } from '../../store/store.ts';
import type { UsageHours } from './usage-hours.ts';

/** What usage is written with. */
export interface UsageFlushOptions {
  readonly store: Store;
  readonly journal: Pick<Journal, 'roomBytes' | 'flush'>;
  readonly usage: UsageHours;
  readonly config: { readonly limits: Pick<Limits, 'frameBytesMax'> };
  readonly clock: Clock;
  readonly bounds?: BoundValues | undefined;
  readonly log: Log;
}

/** The flush. Frames that would follow a failed one are left to the next flush. */
export function createUsageFlush(options: UsageFlushOptions): FlushTimer {
  const { store, journal, usage, clock, log } = options;
  const { frameBytesMax } = options.config.limits;
  const { usageFlushRowsMax } = boundsOf(flushBounds, options.bounds);
  const cause = { actor: 'controller', requestId: '', operation: 'flushUsage' };
  return new FlushTimer({
    clock,
    intervalMs: usageFlushMs,
    waiting: () => usage.waiting,
    // There may be more to write than may wait for the disk at one time.
    room: () =>
      journal.roomBytes >= frameBytesMax ? undefined : journal.flush().catch(() => undefined),
    writeFrame(left) {
      try {
        return usage.writeSome(Math.min(left, usageFlushRowsMax), (body) =>
          store.transact(cause, body),
        );
      } catch (err) {
        log.warn({ err }, 'usage could not be written; the next flush tries again');
        return left;
      }
    },
  });
}

const usageFlushMs = 600_000;

const flushBounds = {
  /** Rows of usage that are written or deleted in one frame, in about 1 ms. @bound */
  usageFlushRowsMax: 250,
};
