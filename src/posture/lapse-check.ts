// Whether what lapses keep says what API sessions and checks say: the order of each stamp, and a
// run for each time-out.

import { type Deadlines, deadlineRetryMs } from '../actors/deadlines.ts';
import type { PostureCheckRecord } from '../resources/posture-check.ts';
import { type Fault, type Look, type Repair, rowsAStep } from '../store/fault.ts';
import type { RecordBase } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import type { EndpointState } from './contract.ts';
import { promptGraceSeconds, timeoutSecondsOf } from './mfa.ts';
import { OrderWalk, type OrderWatcher } from './order-walk.ts';
import { TimeOrder } from './time-order.ts';

/** A time that API sessions may have. */
export type Stamp = keyof EndpointState;

/** What runs out so long after a stamp: the checks for which it does. */
export interface Run {
  readonly lane: Lane;
  readonly lagMs: number;
  readonly checks: Set<string>;
  /** The first API session in the order of the lane that has not run out. */
  next: number | undefined;
}

/** The API sessions in the order of one of their stamps. */
export interface Lane {
  readonly stamp: Stamp;
  order: TimeOrder;
  /** By lag: checks of the same time-out share one. */
  readonly runs: Map<number, Run>;
  /** Told of the order's changes. */
  readonly watchers: Set<OrderWatcher>;
}

/** A lane without API sessions. */
export function laneOf(stamp: Stamp): Lane {
  return { stamp, order: new TimeOrder(), runs: new Map(), watchers: new Set() };
}

/** In how many ms after which stamp a check fails by itself (behaviour §9.3, §9.4). */
export function lagsOf(check: PostureCheckRecord): Readonly<Partial<Record<Stamp, number>>> {
  if (check.typeId !== 'MFA') return {};
  const timeoutSeconds = timeoutSecondsOf(check);
  // A code counts, and a grace lasts, to the end of its last ms.
  const graceMs = promptGraceSeconds * 1000 + 1;
  return {
    ...(timeoutSeconds > 0 ? { mfaPassedAt: timeoutSeconds * 1000 + 1 } : {}),
    ...(check.promptOnWake === true ? { wokenAt: graceMs } : {}),
    ...(check.promptOnUnlock === true ? { unlockedAt: graceMs } : {}),
  };
}

/** What lapses are held against. */
export interface LapseCheckOptions {
  readonly store: Store;
  readonly deadlines: Deadlines;
  readonly lanes: readonly Lane[];
  /** Wall-clock ms. */
  readonly now: () => number;
  /** Wall-clock ms up to which runs must have come at most. */
  readonly comeTo: () => number;
  /** Makes orders and runs anew. */
  readonly renewal: Repair;
}

interface Stamped extends RecordBase, EndpointState {}

const advice = 'restart the controller: it makes this anew from the records';

/** Looks at all of it. Entries of the heap are put right one by one, all else is made anew. */
export function* lapseFaults(options: LapseCheckOptions): Look {
  const { deadlines, lanes, renewal } = options;
  let looked = 0;
  for (const fault of deadlines.heapFaults()) {
    if (fault !== undefined) {
      const description = `a deadline of what runs out ${fault.reason}`;
      yield { description, fix: () => fault.mend(), advice };
    } else if (++looked % rowsAStep === 0) yield;
  }
  const texts = [
    ...lanes.map((lane) => orderTexts(options, lane)),
    checkTexts(options),
    ...lanes.map((lane) => runTexts(options, lane)),
  ];
  for (const each of texts) {
    for (const description of each) {
      if (description !== undefined) yield { description, repair: renewal, advice };
      else if (++looked % rowsAStep === 0) yield;
    }
  }
  yield* strayDeadlines(options);
}

type Texts = Iterable<string | undefined>;

/** Along the order first, then from the records. */
function* orderTexts({ store }: LapseCheckOptions, lane: Lane): Texts {
  const table = store.table<Stamped>('apiSession');
  const { order, stamp, watchers } = lane;
  const walk = new OrderWalk(order);
  watchers.add(walk);
  try {
    const slots = walk.slots();
    let step = slots.next();
    for (; !step.done; step = slots.next()) yield slotText(table, lane, step.value);
    if (step.value === 'round') yield `the order by ${stamp} leads round`;
    const { recent } = order;
    if (recent !== undefined && !walk.hasReached(recent)) {
      yield `the order by ${stamp} goes on from a place that is none of it`;
    }
    for (let slot = 0; slot < table.slots; slot++) {
      const record = table.inSlot(slot)?.record;
      const isMissing = record?.[stamp] !== undefined && !walk.hasReached(slot);
      yield isMissing ? `apiSession ${record?.id} is not in the order by ${stamp}` : undefined;
    }
  } finally {
    watchers.delete(walk);
  }
}

function slotText(table: Table<Stamped>, { order, stamp }: Lane, slot: number): string | undefined {
  const record = table.inSlot(slot)?.record;
  const what = record === undefined ? `slot ${slot} of apiSession` : `apiSession ${record.id}`;
  if (record?.[stamp] === undefined)
    return `${what} is in the order by ${stamp} without such a time`;
  if (order.timeOf(slot) !== record[stamp]) return `${what} is at another ${stamp} than its own`;
  return order.isLinked(slot) ? undefined : `${what} is not in its turn by ${stamp}`;
}

function* checkTexts({ store, lanes }: LapseCheckOptions): Texts {
  for (const { record } of store.table<PostureCheckRecord>('postureCheck').all()) {
    const lags = lagsOf(record);
    for (const { stamp, runs } of lanes) {
      const lagMs = lags[stamp];
      const isWaitedFor = lagMs === undefined || runs.get(lagMs)?.checks.has(record.id) === true;
      yield isWaitedFor ? undefined : `postureCheck ${record.id} does not run out after ${stamp}`;
    }
  }
}

function* runTexts(options: LapseCheckOptions, { stamp, runs }: Lane): Texts {
  const table = options.store.table<PostureCheckRecord>('postureCheck');
  for (const [lagMs, run] of runs) {
    const what = `what runs out ${lagMs} ms after ${stamp}`;
    if (run.checks.size === 0) yield `${what} is asked for by no check`;
    for (const id of run.checks) {
      const record = table.peek(id)?.record;
      const isRight = record !== undefined && lagsOf(record)[stamp] === lagMs;
      yield isRight ? undefined : `${what} is not asked for by the postureCheck ${id}`;
    }
    // It may have gone meanwhile.
    if (runs.get(lagMs) !== run) continue;
    const fault = nextFault(options, run);
    yield fault && `${what} ${fault}`;
  }
}

function nextFault(
  { deadlines, now, comeTo }: LapseCheckOptions,
  { lane: { order, stamp }, lagMs, next }: Run,
): string | undefined {
  if (next !== undefined && !order.isLinked(next)) return 'waits for what is not in the order';
  const passed = order.before(next);
  if (passed !== undefined && order.timeOf(passed) + lagMs > comeTo()) {
    return 'passes over what has not run out';
  }
  const at = next === undefined ? undefined : order.timeOf(next) + lagMs;
  const deadline = deadlines.at(stamp, String(lagMs));
  if (deadline === at) return undefined;
  if (at === undefined || deadline === undefined) {
    return at === undefined ? 'has a deadline for nothing' : 'has no deadline';
  }
  // One that is due was tried, and will be again.
  return at <= now() && deadline <= now() + deadlineRetryMs
    ? undefined
    : 'has the deadline of another time';
}

function* strayDeadlines({ deadlines, lanes }: LapseCheckOptions): Generator<Fault> {
  for (const { kind, id } of deadlines.waiting()) {
    const lane = lanes.find(({ stamp }) => stamp === kind);
    if (lane?.runs.has(Number(id))) continue;
    const description = `there is a deadline ${id} ms after ${kind}, when nothing runs out`;
    yield { description, fix: () => deadlines.clear(kind, id), advice };
  }
}
