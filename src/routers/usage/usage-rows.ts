// The rows of one kind of usage: those that are written, and what memory adds to them until the
// next write.

import { KeyMap } from '../../containers/key-map.ts';
import { type Linked, LinkedList } from '../../containers/linked-list.ts';
import type { UsageSums } from '../../records/usage.ts';
import type { RecordBase } from '../../store/record.ts';
import type { Table } from '../../store/table.ts';
import type { Transaction } from '../../store/transaction.ts';
import { addSums, noSums, type RunningSums } from './usage-sums.ts';

/** What a row counts. Its id is made of the other fields. */
export interface UsageKey {
  readonly id: string;
  readonly hour: string;
  readonly serviceId: string | undefined;
  readonly identityId: string | undefined;
}

/** A record without what it counts. */
export type KeptSums = RecordBase & UsageSums;

/** Written and unwritten rows of one kind, of which each record is a key, too. */
export class UsageRows<R extends KeptSums & UsageKey, Key extends UsageKey = UsageKey> {
  readonly table: Table<R>;
  readonly #recordOf: (key: Key, kept: KeptSums) => R;
  readonly #unwritten = new KeyMap<UnwrittenRow<Key>>();
  /** In the order in which they began. */
  readonly #order = new LinkedList<UnwrittenRow<Key>>();
  #newRows = 0;

  constructor(table: Table<R>, recordOf: (key: Key, kept: KeptSums) => R) {
    this.table = table;
    this.#recordOf = recordOf;
  }

  /** How many rows there are, those that are not written yet included. */
  get size(): number {
    return this.table.size + this.#newRows;
  }

  /** How many rows have something that is not written yet. */
  get unwrittenCount(): number {
    return this.#order.size;
  }

  has(id: string): boolean {
    return this.#unwritten.has(id) || this.table.peek(id) !== undefined;
  }

  add(key: Key, sums: Partial<UsageSums>): void {
    const { id } = key;
    let row = this.#unwritten.get(id);
    if (row === undefined) {
      const isNew = this.table.peek(id) === undefined;
      row = { key, sums: noSums(), isNew, before: undefined, after: undefined };
      this.#unwritten.set(id, row);
      this.#order.add(row);
      if (isNew) this.#newRows += 1;
    }
    addSums(row.sums, sums);
  }

  /** What a row counts; undefined if there is none. */
  keyOf(id: string): UsageKey | undefined {
    return this.#unwritten.get(id)?.key ?? this.table.peek(id)?.record;
  }

  /** What a row holds now, what is not written yet included. The fence is the caller's part. */
  sumsOf(id: string): UsageSums | undefined {
    const written = this.table.peek(id)?.record;
    const unwritten = this.#unwritten.get(id)?.sums;
    if (unwritten === undefined || written === undefined) return unwritten ?? written;
    const sums = noSums();
    addSums(sums, written);
    addSums(sums, unwritten);
    return sums;
  }

  /** How many written rows are of hours before this one. */
  countBefore(hour: string): number {
    const group = this.table.group('hour');
    let count = 0;
    for (const key of group.keys()) if (key < hour) count += group.count(key);
    return count;
  }

  /** Ids of up to `rowsMax` written rows, the earliest hours first; only of hours before `end`. */
  oldest(rowsMax: number, end?: string): string[] {
    const group = this.table.group('hour');
    const ids: string[] = [];
    for (const hour of [...group.keys()].sort()) {
      if (end !== undefined && hour >= end) break;
      for (const { id } of group.rows(hour)) {
        if (ids.length >= rowsMax) return ids;
        ids.push(id);
      }
    }
    return ids;
  }

  /** Up to `rowsMax` rows with something that is not written yet, those that began first. */
  unwritten(rowsMax = Number.POSITIVE_INFINITY): Key[] {
    const keys: Key[] = [];
    for (let row = this.#order.first; row && keys.length < rowsMax; row = row.after) {
      keys.push(row.key);
    }
    return keys;
  }

  /** Writes what a row holds now; `forget` must follow once that is committed. */
  write(tx: Transaction, key: Key): void {
    const { id } = key;
    const stored = this.table.peek(id)?.record;
    const { createdAt = tx.now, tags = {} } = stored ?? {};
    const sums = this.sumsOf(id) ?? noSums();
    const { clientSentBytes, clientReceivedBytes, hostSentBytes, hostReceivedBytes } = sums;
    const kept = { clientSentBytes, clientReceivedBytes, hostSentBytes, hostReceivedBytes };
    const record = this.#recordOf(key, { id, createdAt, updatedAt: tx.now, tags, ...kept });
    tx.put(this.table, record);
  }

  /** What is not written of a row was written, or is given up. */
  forget(id: string): void {
    const row = this.#unwritten.get(id);
    if (row === undefined) return;
    this.#unwritten.delete(id);
    this.#order.delete(row);
    if (row.isNew) this.#newRows -= 1;
  }
}

/** What is not written yet of one row. */
interface UnwrittenRow<Key> extends Linked<UnwrittenRow<Key>> {
  readonly key: Key;
  readonly sums: RunningSums;
  /** Whether there was no record when it began. */
  readonly isNew: boolean;
}
