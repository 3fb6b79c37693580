// Examines the candidates of a list, at once or in steps between which other requests are served.

import { FirstItems } from '../../store/first-items.ts';
import type { Row } from '../../store/record.ts';
import { rowsExaminedInAStep } from './costs.ts';
import type { RowList } from './row-list.ts';

/** Work that may be interrupted at each `yield`. */
export type Steps<T> = Generator<undefined, T>;

/** Runs all steps without an interruption. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Rows that belong to a list unless its filter excludes them. */
export interface Candidates {
  /** How they are found, for the log. */
  readonly by: string;
  /** Their number, or a larger one, known before they are read. */
  readonly count: number;
  /** The time that finding and examining them takes, in rows that are examined side by side. */
  readonly looks: number;
  /** Read at once, because the rows of an index may change between two steps. */
  rows(): CandidateRows;
}

/** Rows or their slots; undefined is every row of the table. */
export type CandidateRows = readonly Row[] | Uint32Array | undefined;

/** A page, and how many rows there are on all of them. */
export interface ChosenRows {
  readonly rows: readonly Row[];
  readonly total: number;
  /** Rows that were examined. */
  readonly looked: number;
}

/**
 * Gives `take` each candidate that belongs to the list. A row that is written between two steps is
 * examined before or after its change.
 * @returns how many rows were examined
 * @throws FilterError if that takes more steps of a filter than the budget holds.
 */
export function* examined(
  list: RowList,
  rows: CandidateRows,
  take: (row: Row) => void,
): Steps<number> {
  const { table, asked, env, budget } = list;
  const looked = rows?.length ?? table.size;
  const end = rows?.length ?? table.slots;
  env.store.fence.note(table.lastLsn);
  if (asked.filter?.query.matches !== undefined) budget.spend(looked);
  for (let at = 0; at < end; at += rowsExaminedInAStep) {
    yield;
    examine(list, rows, at, Math.min(at + rowsExaminedInAStep, end), take);
  }
  return looked;
}

/** A function of its own, because a loop within a generator is slow. */
function examine(
  { table, test }: RowList,
  rows: CandidateRows,
  from: number,
  end: number,
  take: (row: Row) => void,
): void {
  const visit = (row: Row | undefined): void => {
    if (row !== undefined && (test === undefined || test(row))) take(row);
  };
  if (rows === undefined) for (let slot = from; slot < end; slot++) visit(table.at(slot));
  else if (rows instanceof Uint32Array) {
    for (let at = from; at < end; at++) visit(table.at(rows[at] as number));
  } else for (let at = from; at < end; at++) visit(rows[at]);
}

/** The slots of rows that belong to a list. */
export interface Matches {
  readonly slots: Uint32Array;
  /** Rows that were examined to find them. */
  readonly looked: number;
}

/** All candidates that belong to the list. @throws FilterError as `examined`. */
export function* matching(list: RowList, from: Candidates): Steps<Matches> {
  const { table, test, env } = list;
  const rows = from.rows();
  if (test === undefined && rows instanceof Uint32Array && !table.mayHoldDeleted) {
    env.store.fence.note(table.lastLsn);
    return { slots: rows, looked: rows.length };
  }
  const found: number[] = [];
  const looked = yield* examined(list, rows, ({ slot }) => found.push(slot));
  return { slots: new Uint32Array(found), looked };
}

/**
 * The page of a list, found in steps while others write; nothing is kept of it.
 * @throws FilterError as `examined`.
 */
export function* firstRows(list: RowList, from: Candidates): Steps<ChosenRows> {
  const first = new FirstItems(list.end, list.compare);
  let total = 0;
  const looked = yield* examined(list, from.rows(), (row) => {
    total++;
    first.add(row);
  });
  return { rows: first.takeBehind(list.asked.paging.offset), total, looked };
}
