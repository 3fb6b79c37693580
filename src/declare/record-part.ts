// The records' part of an integrity run: each against the rules of its kind, mended by ordinary
// logged transactions.

import { ApiError } from '../errors.ts';
import { type Fault, faultsOfRow, type Look, rowsAStep } from '../store/fault.ts';
import type { RecordBase, Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { Cascades } from './cascades.ts';
import type { RecordChecks, RecordFinding, RecordFix } from './integrity.ts';

/** What records are held against, and what mends them. */
export interface RecordPartOptions {
  readonly store: Store;
  readonly cascades: Cascades;
  readonly checks: RecordChecks;
  /** Whether access is whole: else nothing may end because of what it says. */
  readonly isAccessWhole: () => boolean;
  /** Whether something has run out that is about to take records away. */
  readonly isDue: () => boolean;
}

/** Looks at all records. Indexes and access are other parts, to be mended before. */
export function* recordFaults(options: RecordPartOptions): Look {
  let looked = 0;
  for (const { kind, parts } of options.store.tables()) {
    for (const row of parts.rows.values()) {
      if (options.checks.of(kind, row).length > 0) {
        const isThere = () => parts.rows.get(row.record.id) === row;
        yield* faultsOfRow(row, isThere, () => faultsIn(options, kind, row));
      }
      if (++looked % rowsAStep === 0) yield;
    }
  }
}

function faultsIn(options: RecordPartOptions, kind: string, row: Row): Fault[] {
  const found = options.checks.of(kind, row);
  const own = found.filter(
    ({ check, fix }) =>
      fix?.do !== 'index' && fix?.do !== 'access' && !(check === 'departed' && options.isDue()),
  );
  return own.map((finding) => faultOf(options, finding));
}

function faultOf(options: RecordPartOptions, finding: RecordFinding): Fault {
  const { kind, id, field, description, fix, check } = finding;
  const isSure = check !== 'departed' || options.isAccessWhole();
  // What is unique may be a key over several fields, which only the description names.
  const named = check === 'unique' ? '' : field;
  const what = named === undefined ? `${kind} ${id}` : `${kind} ${id}: ${named}`.trimEnd();
  return {
    description: `${what} ${description}`,
    fix: fix === undefined || !isSure ? undefined : () => mend(options, kind, id, fix),
    advice: isSure ? adviceFor(check, field) : 'fix access first, which a fix begins with',
  };
}

const cause = { actor: 'controller', requestId: '', operation: 'fixDataIntegrity' };

/** @throws ApiError where something refuses; whatever the journal throws. */
function mend(
  { store, cascades }: RecordPartOptions,
  kind: string,
  id: string,
  fix: RecordFix,
): void {
  const table = store.table<RecordBase>(kind);
  const change = (values: Readonly<Record<string, unknown>>) =>
    store.transact(cause, (tx) => {
      const record = table.peek(id)?.record;
      if (record === undefined) return;
      tx.put(table, { ...record, ...values, updatedAt: tx.now } as RecordBase);
    });
  try {
    if (fix.do === 'remove') store.transact(cause, (tx) => cascades.remove(tx, kind, id));
    else if (fix.do === 'patch') change(fix.values);
    else if (fix.do === 'set') change({ [fix.field]: fix.value });
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
