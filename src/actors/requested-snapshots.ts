// Snapshots on demand of administrators, at a bounded rate.

import type { KeptSnapshot } from '../../snapshots/journal.ts';
import type { Clock } from '../platform/ports.ts';
import type { Snapshotter } from './snapshotter.ts';

/** Snapshots on demand of administrators. */
export interface RequestedSnapshots {
  /**
   * Takes a snapshot; rejects when that fails. Undefined if the last requested one is less than
   * `snapshotIntervalMs` ago, or not done.
   */
  ask(): Promise<KeptSnapshot> | undefined;
}

/**
 * Takes snapshots on demand, one per `intervalMs`. One that failed may be requested again at once.
 */
export function createRequestedSnapshots(
  snapshotter: Pick<Snapshotter, 'take'>,
  clock: Clock,
  intervalMs: number,
): RequestedSnapshots {
  let notBefore = Number.NEGATIVE_INFINITY;
  return {
    ask() {
      if (clock.monotonic() < notBefore) return undefined;
      notBefore = Number.POSITIVE_INFINITY;
      return snapshotter.take().then(
        (kept) => {
          notBefore = clock.monotonic() + intervalMs;
          return kept;
        },
        (error: unknown) => {
          notBefore = Number.NEGATIVE_INFINITY;
          throw error;
        },
      );
    },
  };
}
