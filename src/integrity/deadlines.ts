// Checks that each record that waits for a time has its deadline, that there are no others, and
// that the times of activity exist on which the deadlines of API sessions depend.

import { deadlineRetryMs } from '../actors/deadlines.ts';
import type { Activity } from '../auth/activity.ts';
import type { ApiSessionLife } from '../auth/sessions/life.ts';
import { type FaultSearch, firstFault, rowsAStep } from '../containers/walk.ts';
import type { Clock } from '../platform/ports.ts';
import { apiSessionKind } from '../records/api-session.ts';
import type { Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';

/** Whether a deadline is a retry of one at `at`, whose transaction failed. */
export function isRetried(clock: Clock, at: number, deadline: number): boolean {
  return at <= clock.now() && deadline <= clock.now() + deadlineRetryMs;
}

/** The first fault between records and deadlines, or within the heap. */
export function* deadlineFault(store: Store, life: ApiSessionLife, clock: Clock): FaultSearch {
  const { deadlines } = life;
  for (const kind of life.kinds) {
    const found = yield* firstFault(store.tableNamed(kind).all(), (row) =>
      rowFault(life, clock, kind, row),
    );
    if (found !== undefined) return found;
  }
  const stray = yield* firstFault(deadlines.waiting(), ({ kind, id }) => {
    const row = store.tableNamed(kind).peek(id);
    if (row === undefined) return `there is one for ${kind} ${id}, which is not there`;
    const waits = life.expected(kind, row) !== undefined;
    return waits ? undefined : `there is one for ${kind} ${id}, which waits for nothing`;
  });
  return stray ?? (yield* deadlines.findFault());
}

function rowFault(life: ApiSessionLife, clock: Clock, kind: string, row: Row): string | undefined {
  const wanted = life.expected(kind, row);
  if (wanted === undefined) return undefined;
  const known = life.deadlines.at(kind, row.id);
  if (known === wanted.at) return undefined;
  if (known !== undefined) {
    if (wanted.mayBeEarlier && known <= wanted.at) return undefined;
    if (isRetried(clock, wanted.at, known)) return undefined;
  }
  return `${kind} ${row.id} waits for ${wordsFor(wanted.at)} and its deadline is ${wordsFor(known)}`;
}

function wordsFor(atMs: number | undefined): string {
  if (atMs === undefined) return 'missing';
  return Number.isFinite(atMs) ? new Date(atMs).toISOString() : String(atMs);
}

/** Whether an API session has no time of its last activity, or a clean stop would lose it. */
export function* activityFault(store: Store, activity: Activity): FaultSearch {
  const lost = yield* firstFault(store.table(apiSessionKind).all(), ({ id, slot }) =>
    activity.lastActivityAt(slot) === undefined ? `apiSession ${id} has none` : undefined,
  );
  if (lost !== undefined) return lost;
  return activity.isWhole ? undefined : 'a flush would pass over some';
}

/** For a time that is lost, only the time in the record is left. */
export function* rebuildActivity(store: Store, activity: Activity): Generator<undefined> {
  const sessions = store.table(apiSessionKind);
  let checked = 0;
  for (const { record, slot } of sessions.all()) {
    if (activity.lastActivityAt(slot) === undefined) {
      activity.restore(slot, record.lastActivityAt ?? record.createdAt);
    }
    if (++checked % rowsAStep === 0) yield;
  }
  activity.renewDirty();
}
