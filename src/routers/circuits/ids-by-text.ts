// Finds records by the texts of a list that each of them has.

import type { RecordBase } from '../../store/record.ts';
import type { Table } from '../../store/table.ts';

const none: ReadonlySet<string> = new Set();

/** Ids of records by each text of one of their lists. It follows all writes, also undone ones. */
export class ManyIndex<R extends RecordBase> {
  readonly #ids = new Map<string, Set<string>>();

  constructor(table: Table<R>, listOf: (record: R) => readonly string[]) {
    table.observe((row, before, after) => {
      const was = before && listOf(before);
      const is = after && listOf(after);
      if (was === is) return;
      for (const key of was ?? []) this.#remove(key, row.id);
      for (const key of is ?? []) this.#add(key, row.id);
    });
  }

  /** How many texts some record has. */
  get size(): number {
    return this.#ids.size;
  }

  /** The ids of the records that have this text; changes with further writes. */
  of(key: string): ReadonlySet<string> {
    return this.#ids.get(key) ?? none;
  }

  #add(key: string, id: string): void {
    const ids = this.#ids.get(key);
    if (ids === undefined) this.#ids.set(key, new Set([id]));
    else ids.add(id);
  }

  #remove(key: string, id: string): void {
    const ids = this.#ids.get(key);
    ids?.delete(id);
    if (ids?.size === 0) this.#ids.delete(key);
  }
}
