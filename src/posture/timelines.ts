// The API sessions in the order of each of their stamps, and the cursors that advance as they
// expire.

import type { PostureCheckRecord } from '../records/posture-check.ts';
import { promptGraceSeconds, timeoutSecondsOf } from './mfa.ts';
import type { EndpointState } from './subject.ts';
import { TimeOrder } from './time-order.ts';

/** A time that an API session may have. */
export type Stamp = keyof EndpointState;

/** The checks that run out the same time after a stamp. */
export interface ExpiryCursor {
  readonly timeline: Timeline;
  readonly lagMs: number;
  readonly checks: Set<string>;
  /** The first API session in the timeline that has not run out. */
  next: number | undefined;
}

/** The API sessions in the order of one of their stamps. */
export interface Timeline {
  readonly stamp: Stamp;
  order: TimeOrder;
  /** By lag: checks of the same time-out share one. */
  readonly cursors: Map<number, ExpiryCursor>;
  /** The order that replaces it, while it is rebuilt. */
  fresh: TimeOrder | undefined;
}

/** A timeline without API sessions. */
export function timelineOf(stamp: Stamp): Timeline {
  return { stamp, order: new TimeOrder(), cursors: new Map(), fresh: undefined };
}

/** How many ms after which stamp a check fails by itself (behaviour/posture). */
export function lagsOf(check: PostureCheckRecord): Readonly<Partial<Record<Stamp, number>>> {
  if (check.typeId !== 'MFA') return {};
  const timeoutSeconds = timeoutSecondsOf(check);
  // A code counts, and a grace period lasts, to the end of its last ms.
  const graceMs = promptGraceSeconds * 1000 + 1;
  return {
    ...(timeoutSeconds > 0 ? { mfaPassedAt: timeoutSeconds * 1000 + 1 } : {}),
    ...(check.promptOnWake === true ? { wokenAt: graceMs } : {}),
    ...(check.promptOnUnlock === true ? { unlockedAt: graceMs } : {}),
  };
}
