// All records as they are at one moment, read later and piece by piece while writes go on.

import type { StoredRecord } from '../../snapshots/journal.ts';
import type { RecordBase, Row } from './record.ts';
import type { Table } from './table.ts';
import type { CommittedChange } from './transaction.ts';

/**
 * Walks over all rows, slot by slot. Nothing is copied ahead: what is written before the walk has
 * come by leaves its former record here, and what is born meanwhile is passed over. Its memory is
 * that of the rows that change during the walk.
 */
export class Capture {
  readonly #tables: readonly Table[];
  /** Slots of each table at the beginning: later ones are of rows born since. */
  readonly #ends: readonly number[];
  /** Former records of rows ahead of the walk, by table. */
  readonly #former: ReadonlyMap<Table, Map<Row, Former>>;
  /** Rows that came into the slots of others that had gone. */
  readonly #born = new Set<Row>();
  #table = 0;
  #slot = 0;

  constructor(tables: Iterable<Table>) {
    this.#tables = [...tables];
    this.#ends = this.#tables.map((table) => table.slots);
    this.#former = new Map(this.#tables.map((table) => [table, new Map()]));
  }

  /** A transaction is committed; the rows still bear the LSNs of their former records. */
  note(changes: readonly CommittedChange[]): void {
    for (const { table, row, before } of changes) {
      if (this.#isPassedOver(table, row.slot) || this.#born.has(row)) continue;
      const former = this.#former.get(table);
      if (former === undefined || former.has(row)) continue;
      if (before === undefined) this.#born.add(row);
      else former.set(row, { record: before, lsn: row.lsn });
    }
  }

  /** Each record once. To be read between transactions, at any pace. */
  *records(): Generator<StoredRecord> {
    for (const [index, table] of this.#tables.entries()) {
      this.#table = index;
      this.#slot = 0;
      const former = this.#former.get(table) ?? new Map<Row, Former>();
      const end = this.#ends[index] ?? 0;
      while (this.#slot < end) {
        const row = table.inSlot(this.#slot);
        this.#slot += 1;
        if (row === undefined || this.#born.has(row)) continue;
        const found = former.get(row) ?? row;
        former.delete(row);
        yield storedOf(table, found);
      }
      // Those that were deleted ahead of the walk, whose slots may be another's by now.
      for (const found of former.values()) yield storedOf(table, found);
      former.clear();
    }
    this.#table = this.#tables.length;
  }

  /** Whether the walk has come by a slot, or will not: it is later than all of the beginning. */
  #isPassedOver(table: Table, slot: number): boolean {
    const at = this.#tables.indexOf(table);
    if (slot >= (this.#ends[at] ?? 0)) return true;
    return at === this.#table ? slot < this.#slot : at < this.#table;
  }
}

interface Former {
  readonly record: RecordBase;
  readonly lsn: number;
}

function storedOf({ kind, codec }: Table, { record, lsn }: Former): StoredRecord {
  return { kind, id: record.id, lsn, version: codec.version, values: codec.encode(record) };
}
