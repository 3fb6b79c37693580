// Checks that the expiries agree with API sessions and posture checks: the order of each stamp,
// what runs out along it, and when.

import { type FaultSearch, firstFault, numbersBelow } from '../containers/walk.ts';
import type { Clock } from '../platform/ports.ts';
import type { Expiries } from '../posture/expiries.ts';
import { type ExpiryCursor, lagsOf, type Timeline } from '../posture/timelines.ts';
import { apiSessionKind } from '../records/api-session.ts';
import { type PostureCheckRecord, postureCheckKind } from '../records/posture-check.ts';
import type { Store } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import { isRetried } from './deadlines.ts';

/** The first fault of orders, of what runs out along them, and of their deadlines. */
export function* expiryFault(store: Store, expiries: Expiries, clock: Clock): FaultSearch {
  const timelines = Object.values(expiries.timelines);
  for (const timeline of timelines) {
    const fault = yield* orderFault(store, timeline);
    if (fault !== undefined) return fault;
  }
  const checks = store.table(postureCheckKind);
  const fault = yield* firstFault(checks.all(), ({ record }) => checkFault(timelines, record));
  if (fault !== undefined) return fault;
  for (const { cursors } of timelines) {
    const found = yield* firstFault(cursors.values(), (cursor) =>
      cursorFault(checks, expiries, clock, cursor),
    );
    if (found !== undefined) return found;
  }
  const cursors = timelines.flatMap((timeline) => [...timeline.cursors.values()]);
  const waiting = cursors.filter(({ next }) => next !== undefined).length;
  const { size } = expiries.deadlines;
  if (size !== waiting) return `there are ${size} deadlines, and ${waiting} are waited for`;
  return yield* expiries.deadlines.findFault();
}

function orderFault(store: Store, { order, stamp }: Timeline): FaultSearch {
  const table = store.table(apiSessionKind);
  const slots = numbersBelow(() => Math.max(table.slots, order.bound));
  return firstFault(slots, (slot) => {
    const record = table.inSlot(slot)?.record;
    const at = record?.[stamp];
    const isRight = order.has(slot)
      ? order.timeOf(slot) === at && order.isLinked(slot)
      : typeof at !== 'number';
    if (isRight && (order.recent === undefined || order.has(order.recent))) return undefined;
    const what = record === undefined ? `slot ${slot}` : `apiSession ${record.id}`;
    return isRight
      ? `the order by ${stamp} goes on from a place that is none of it`
      : `${what} has another place in the order by ${stamp} than its time`;
  });
}

function checkFault(timelines: readonly Timeline[], check: PostureCheckRecord): string | undefined {
  const lags = lagsOf(check);
  for (const { stamp, cursors } of timelines) {
    const lagMs = lags[stamp];
    if (lagMs === undefined || cursors.get(lagMs)?.checks.has(check.id) === true) continue;
    return `postureCheck ${check.id} does not run out after ${stamp}`;
  }
  return undefined;
}

function cursorFault(
  checks: Table<PostureCheckRecord>,
  expiries: Expiries,
  clock: Clock,
  cursor: ExpiryCursor,
): string | undefined {
  const { stamp } = cursor.timeline;
  const what = `what runs out ${cursor.lagMs} ms after ${stamp}`;
  const isAskedFor = (id: string) => {
    const record = checks.peek(id)?.record;
    return record !== undefined && lagsOf(record)[stamp] === cursor.lagMs;
  };
  const stray = [...cursor.checks].find((id) => !isAskedFor(id));
  if (stray !== undefined) return `${what} is not asked for by the postureCheck ${stray}`;
  if (cursor.checks.size === 0) return `${what} is asked for by no check`;
  const reason = nextFault(expiries, clock, cursor);
  return reason && `${what} ${reason}`;
}

function nextFault(
  { deadlines, comeTo }: Expiries,
  clock: Clock,
  { timeline: { order, stamp }, lagMs, next }: ExpiryCursor,
): string | undefined {
  if (next !== undefined && !order.has(next)) return 'waits for what is not in the order';
  const passed = order.before(next);
  if (passed !== undefined && order.timeOf(passed) + lagMs > comeTo) {
    return 'passes over what has not run out';
  }
  const at = next === undefined ? undefined : order.timeOf(next) + lagMs;
  const deadline = deadlines.at(stamp, String(lagMs));
  if (deadline === at) return undefined;
  if (at === undefined || deadline === undefined) return 'has no deadline, or one for nothing';
  return isRetried(clock, at, deadline) ? undefined : 'has the deadline of another time';
}
