// Whether each record that waits for a time has its deadline, and nothing else has one.

import { type Deadlines, deadlineRetryMs } from '../actors/deadlines.ts';
import { type Fault, faultsOfRow, type Look, rowsAStep } from '../store/fault.ts';
import type { Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { Activity } from './activity.ts';

/** When a record is to be looked at. */
export interface Expected {
  /** Wall-clock ms. */
  readonly at: number;
  /** Whether one before that does no harm. */
  readonly mayBeEarlier: boolean;
}

/** What deadlines are held against. */
export interface DeadlineCheckOptions {
  readonly store: Store;
  readonly deadlines: Deadlines;
  readonly now: () => number;
  /** Kinds whose records may wait. */
  readonly kinds: readonly string[];
  /** What must be put right beside a record before its time is known; undefined for nothing. */
  readonly prepare: (kind: string, row: Row) => (() => void) | undefined;
  /** Undefined for a record that waits for nothing. */
  readonly expected: (kind: string, row: Row) => Expected | undefined;
}

/** Whether a stamp of activity would be lost by a clean stop. */
export function* activityFaults(activity: Activity): Look {
  yield;
  if (activity.isWhole) return;
  const description = 'a flush of the times of last activity would pass over some';
  yield { description, fix: () => activity.renewDirty(), advice: lossless };
}

const lossless = 'let clients go on: each of their requests notes the time anew';

const advice = 'restart the controller: it sets all deadlines anew';

/** Looks from records to deadlines, from deadlines to records, and at the heap itself. */
export function* deadlineFaults(options: DeadlineCheckOptions): Look {
  const { store, deadlines, kinds, expected } = options;
  let looked = 0;
  // The heap first: a deadline is set or taken back by walking along it.
  for (const fault of deadlines.heapFaults()) {
    if (fault === undefined) {
      if (++looked % rowsAStep === 0) yield;
    } else yield { description: `a deadline ${fault.reason}`, fix: () => fault.mend(), advice };
  }
  for (const kind of kinds) {
    const table = store.table(kind);
    for (const row of table.all()) {
      if (!isSound(options, kind, row)) {
        const isThere = () => table.peek(row.record.id) === row;
        yield* faultsOfRow(row, isThere, () => faultsOf(options, kind, row));
      }
      if (++looked % rowsAStep === 0) yield;
    }
  }
  for (const { kind, id } of deadlines.waiting()) {
    const row = store.table(kind).peek(id);
    if (row !== undefined && expected(kind, row) !== undefined) {
      if (++looked % rowsAStep === 0) yield;
      continue;
    }
    const reason = row === undefined ? 'is not there' : 'waits for nothing';
    const description = `there is a deadline for ${kind} ${id}, which ${reason}`;
    yield { description, fix: () => deadlines.clear(kind, id), advice };
  }
}

function isSound(options: DeadlineCheckOptions, kind: string, row: Row): boolean {
  if (options.prepare(kind, row) !== undefined) return false;
  const wanted = options.expected(kind, row);
  return wanted === undefined || isIn(options, wanted, options.deadlines.at(kind, row.record.id));
}

function* faultsOf(options: DeadlineCheckOptions, kind: string, row: Row): Generator<Fault> {
  const { deadlines, prepare, expected } = options;
  const { id } = row.record;
  const fix = prepare(kind, row);
  if (fix) {
    yield { description: `${kind} ${id} has lost the time of its last activity`, fix, advice };
  }
  const wanted = expected(kind, row);
  const known = deadlines.at(kind, id);
  if (wanted === undefined || isIn(options, wanted, known)) return;
  const description = `${kind} ${id} waits for ${wordsFor(wanted.at)} and its deadline is ${wordsFor(known)}`;
  yield { description, fix: () => deadlines.set(kind, id, wanted.at), advice };
}

function isIn(
  { now }: DeadlineCheckOptions,
  { at, mayBeEarlier }: Expected,
  deadline: number | undefined,
): boolean {
  if (deadline === undefined) return false;
  if (deadline === at || (mayBeEarlier && deadline <= at)) return true;
  // One that is due was tried, and will be again.
  return at <= now() && deadline <= now() + deadlineRetryMs;
}

function wordsFor(atMs: number | undefined): string {
  if (atMs === undefined) return 'missing';
  return Number.isFinite(atMs) ? new Date(atMs).toISOString() : String(atMs);
}
