// All records as they are at one moment, read later and in pieces while writes go on.

import type { StoredRecord } from '../../snapshots/journal.ts';
import type { RecordBase, Row } from './record.ts';
import type { Table } from './table.ts';
import type { CommittedChange } from './transaction.ts';

/**
 * Walks over all rows, slot by slot. Nothing is copied in advance: a row that is written before the
 * walk reaches it leaves its previous record here, and rows that are added meanwhile are skipped.
 * Memory use is that of the rows that change during the walk.
 */
export class Capture {
  readonly #tables: readonly Table[];
  /**
   * The number of slots per table at the beginning: later slots hold rows that were added since.
   */
  readonly #ends: readonly number[];
  /** Previous records of rows ahead of the walk, by table. */
  readonly #previous: ReadonlyMap<Table, Map<Row, PreviousRecord>>;
  /** Rows that were added in the slots of deleted ones. */
  readonly #born = new Set<Row>();
  #table = 0;
  #slot = 0;

  constructor(tables: readonly Table[]) {
    this.#tables = tables;
    this.#ends = this.#tables.map((table) => table.slots);
    this.#previous = new Map(this.#tables.map((table) => [table, new Map()]));
  }

  /** Notes a committed transaction; its rows still carry the LSNs of their previous records. */
  note(changes: readonly CommittedChange[]): void {
    for (const { table, row, before } of changes) {
      if (this.#isPassedOver(table, row.slot) || this.#born.has(row)) continue;
      const previous = this.#previous.get(table);
      if (previous === undefined || previous.has(row)) continue;
      if (before === undefined) this.#born.add(row);
      else previous.set(row, { record: before, lsn: row.lsn });
    }
  }

  /** Each record once. The iterator is read between transactions, at any pace. */
  *records(): Generator<StoredRecord> {
    for (const [index, table] of this.#tables.entries()) {
      this.#table = index;
      this.#slot = 0;
      const previous = this.#previous.get(table) ?? new Map<Row, PreviousRecord>();
      const end = this.#ends[index] ?? 0;
      while (this.#slot < end) {
        const row = table.inSlot(this.#slot);
        this.#slot += 1;
        if (row === undefined || this.#born.has(row)) continue;
        const found = previous.get(row) ?? row;
        previous.delete(row);
        yield storedOf(table, found);
      }
      // Rows that were deleted ahead of the walk; their slots may hold other rows by now.
      for (const found of previous.values()) yield storedOf(table, found);
      previous.clear();
    }
    this.#table = this.#tables.length;
  }

  /** Whether the walk has passed a slot, or never reaches it because the slot was added later. */
  #isPassedOver(table: Table, slot: number): boolean {
    const at = this.#tables.indexOf(table);
    if (slot >= (this.#ends[at] ?? 0)) return true;
    return at === this.#table ? slot < this.#slot : at < this.#table;
  }
}

interface PreviousRecord {
  readonly record: RecordBase;
  readonly lsn: number;
}

function storedOf(table: Table, { record, lsn }: PreviousRecord): StoredRecord {
  const { kind, writtenVersion: version } = table;
  return { kind, id: record.id, lsn, version, values: table.encode(record) };
}
