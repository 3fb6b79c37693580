// Checks the records themselves against the rules of their kinds, and fixes them by ordinary logged
// transactions.

import { rowsAStep } from '../containers/walk.ts';
import type { Cascades } from '../declare/kinds/cascades.ts';
import { ApiError } from '../errors/errors.ts';
import type { Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { Table } from '../store/table.ts';
import type { Fault } from './checked-part.ts';
import type { RecordChecks, RecordFinding, RecordFix } from './record-checks.ts';

/** The checks of records, and what fixes them. */
export interface RecordPartOptions {
  readonly store: Store;
  readonly cascades: Cascades;
  readonly checks: RecordChecks;
  /** Whether access is intact; otherwise its answers must not end anything. */
  readonly isAccessWhole: () => boolean;
  /** Whether something has run out that is about to delete records. */
  readonly isDue: () => boolean;
}

/** Checks all records. Indexes and access are other parts, which come first. */
export function* recordFaults(options: RecordPartOptions): Generator<Fault | undefined> {
  let checked = 0;
  for (const table of options.store.tables()) {
    const { kind, internals } = table;
    for (const row of internals.rows.values()) {
      if (options.checks.of(kind, row).length > 0) yield* faultsOf(options, table, row);
      if (++checked % rowsAStep === 0) yield;
    }
  }
}

/** The next fault is searched for after the last was fixed, because the fix changes the record. */
function* faultsOf(options: RecordPartOptions, table: Table, row: Row): Generator<Fault> {
  const described = new Set<string>();
  while (table.peek(row.id) === row) {
    const fault = nextFault(options, table.kind, row, described);
    if (fault === undefined) return;
    described.add(fault.description);
    yield fault;
  }
}

function nextFault(
  options: RecordPartOptions,
  kind: string,
  row: Row,
  described: ReadonlySet<string>,
): Fault | undefined {
  for (const finding of options.checks.of(kind, row)) {
    if (finding.check === 'live' && options.isDue()) continue;
    const fault = faultOf(options, finding);
    if (!described.has(fault.description)) return fault;
  }
  return undefined;
}

function faultOf(options: RecordPartOptions, finding: RecordFinding): Fault {
  const { kind, id, field, description, fix, check } = finding;
  const isSure = check !== 'live' || options.isAccessWhole();
  // A unique key may consist of several fields, which only the description names.
  const named = check === 'unique' ? '' : field;
  const what = named === undefined ? `${kind} ${id}` : `${kind} ${id}: ${named}`.trimEnd();
  return {
    description: `${what} ${description}`,
    fix: fix === undefined || !isSure ? undefined : () => applyFix(options, kind, id, fix),
    advice: isSure ? adviceFor(check, field) : 'fix access first, which a fix begins with',
  };
}

const cause = { actor: 'controller', requestId: '', operation: 'fixDataIntegrity' };

/** @throws ApiError when an operation refuses; whatever the journal throws. */
function applyFix(
  { store, cascades }: RecordPartOptions,
  kind: string,
  id: string,
  fix: RecordFix,
): void {
  const table = store.tableNamed(kind);
  try {
    store.transact(cause, (tx) => {
      if (fix.do === 'remove') return void cascades.remove(tx, kind, id);
      const record = table.peek(id)?.record;
      if (record === undefined) return;
      tx.put(table, { ...record, ...fix.values, updatedAt: tx.now });
    });
  } catch (error) {
    throw error instanceof ApiError ? new Error(error.code, { cause: error }) : error;
  }
}

function adviceFor(check: RecordFinding['check'], field = 'value'): string {
  switch (check) {
    case 'values':
    case 'reference':
      return `give it another ${field}, or delete it`;
    case 'unique':
      return `give one of the two another ${field}, or delete it`;
    default:
      return 'delete it, or restore a backup that has it whole';
  }
}
