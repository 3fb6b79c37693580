// One operation's writes: applied at once, undone completely if anything throws, and logged as one
// frame.

import type { Change, LoggedEvent, Lsn } from '../../snapshots/journal.ts';
import type { RecordBase, Row } from './record.ts';
import type { StoredKind, Table } from './table.ts';

/** The actor and the operation behind a transaction, as they go into the frame. */
export interface TransactionCause {
  /** Identity id, or the name of the part of the controller that acts. */
  readonly actor: string;
  readonly requestId: string;
  readonly operation: string;
  /** LSN of the frame whose consequence this is; 0 or absent for an original cause. */
  readonly causeLsn?: Lsn;
}

/** The effect of a transaction on one row, with several writes to it folded into one. */
export interface CommittedChange<R extends RecordBase = RecordBase> {
  readonly table: Table<R>;
  readonly row: Row<R>;
  readonly before: R | undefined;
  readonly after: R | undefined;
}

/** Whether a change concerns a record of a kind. */
export function isOf<R extends RecordBase>(
  change: CommittedChange,
  { kind }: StoredKind<R>,
): change is CommittedChange<R> {
  return change.table.kind === kind;
}

/** The effect of a transaction, as its followers are told. */
export interface ChangeSet {
  /**
   * Its frame. A transaction that wrote only volatile records has none; this is then the newest
   * frame that it may depend on.
   */
  readonly lsn: Lsn;
  readonly hasFrame: boolean;
  readonly timeMs: number;
  readonly cause: TransactionCause;
  readonly changes: readonly CommittedChange[];
  readonly events: readonly LoggedEvent[];
}

interface Write {
  readonly table: Table;
  readonly row: Row;
  readonly before: RecordBase | undefined;
  after: RecordBase | undefined;
}

/** The writing side of the store. Valid only within the function it was handed to. */
export class Transaction {
  /** Wall-clock ms at its start; everything it writes carries this time. */
  readonly now: number;
  #cause: TransactionCause;
  readonly events: LoggedEvent[] = [];
  /** Whether it wrote records that do not go into the frame. */
  wroteVolatile = false;
  readonly #writes: Write[] = [];
  readonly #effects: (() => void)[] = [];
  readonly #freeze: ((record: RecordBase) => void) | undefined;
  #beforeFirst: (() => void) | undefined;

  constructor(now: number, cause: TransactionCause, freeze?: (record: RecordBase) => void) {
    this.now = now;
    this.#cause = cause;
    this.#freeze = freeze;
  }

  get cause(): TransactionCause {
    return this.#cause;
  }

  /** Who acts became known within the transaction: a login has shown it. */
  actAs(actor: string): void {
    this.#cause = { ...this.#cause, actor };
  }

  /**
   * Inserts or replaces a record. The indexes follow at once, so later reads see it. The returned
   * row has a record of its own with the given values, which must not be changed any more.
   * @throws DuplicateKey when a unique key is taken, TableFull when the kind has no room for it,
   *   NotFinalized when the version that is written cannot keep it.
   */
  put<R extends RecordBase>(table: Table<R>, record: NoInfer<R>): Row<R> {
    this.#begin();
    if (table.isVolatile) this.wroteVolatile = true;
    const kept = table.compact(record);
    this.#freeze?.(kept);
    const before = table.peek(kept.id)?.record;
    const row = table.write(kept.id, kept);
    this.#note(table, row, before, kept);
    return row;
  }

  /** Deletes a record; does nothing when there is no such record. */
  delete<R extends RecordBase>(table: Table<R>, id: string): void {
    if (table.isVolatile) this.wroteVolatile = true;
    const row = table.peek(id);
    if (row === undefined) return;
    this.#begin();
    const before = row.record;
    table.write(id, undefined);
    this.#note(table, row, before, undefined);
  }

  /** Notes a machine event that was decided within this transaction. */
  logEvent(event: LoggedEvent): void {
    this.#begin();
    this.events.push(event);
  }

  /**
   * Calls `check` before the first write or event, and never if there is none. If it throws, the
   * transaction is undone.
   */
  beforeFirstWrite(check: () => void): void {
    this.#beforeFirst = check;
  }

  /**
   * Carries out `effect` once this transaction can no longer be undone, after the followers of
   * commits were told. It is never carried out if the transaction is undone. It is meant for things
   * outside the store, and must not throw or write.
   */
  afterCommit(effect: () => void): void {
    this.#effects.push(effect);
  }

  /** The effects to carry out outside the store, in the order of the requests. For the store. */
  get effects(): readonly (() => void)[] {
    return this.#effects;
  }

  /** Whether nothing was written. */
  get isEmpty(): boolean {
    return this.#writes.length === 0;
  }

  /** The rows written, each once, in the order they were first touched. For the store. */
  fold(): CommittedChange[] {
    if (this.#writes.length <= 1) return this.#writes.slice();
    const byRow = new Map<Row, Write>();
    for (const write of this.#writes) {
      const earlier = byRow.get(write.row);
      if (earlier === undefined) byRow.set(write.row, { ...write });
      else earlier.after = write.after;
    }
    return [...byRow.values()].filter((w) => w.before !== undefined || w.after !== undefined);
  }

  /** Undoes everything, newest first. For the store. */
  undo(): void {
    for (let i = this.#writes.length - 1; i >= 0; i--) {
      const { table, row, before, after } = this.#writes[i] as Write;
      table.undo(row, before, after);
    }
    this.#writes.length = 0;
  }

  /**
   * Rows whose slot becomes free: all that this transaction deleted. For the store, after the
   * commit.
   */
  *removed(): Generator<{ table: Table; row: Row }> {
    for (const { table, row, after } of this.#writes) {
      if (after === undefined) yield { table, row };
    }
  }

  #begin(): void {
    const check = this.#beforeFirst;
    if (check === undefined) return;
    this.#beforeFirst = undefined;
    check();
  }

  #note(
    table: Table,
    row: Row,
    before: RecordBase | undefined,
    after: RecordBase | undefined,
  ): void {
    this.#writes.push({ table, row, before, after });
  }
}

/** A folded change as it goes into a frame. */
export function toChange({ table, row, before, after }: CommittedChange): Change {
  return {
    kind: table.kind,
    id: (after ?? before ?? row.record).id,
    previousLsn: row.lsn,
    version: table.writtenVersion,
    values: after === undefined ? null : table.encode(after),
  };
}
