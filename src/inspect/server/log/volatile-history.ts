// The last transitions of records that live in memory only: the log does not contain them.

import type { Lsn } from '../../../../snapshots/journal.ts';
import type { Store } from '../../../store/store.ts';
import type { ChangeSet } from '../../../store/transaction.ts';
import type { Transition } from '../../messages.ts';
import { transitionOf } from './log-lines.ts';

/** Follows the commits of a store; nothing is kept, or done, for durable kinds. */
export class VolatileHistory {
  readonly #kinds: ReadonlySet<string>;
  /** By kind and id, oldest transition first. */
  readonly #known = new Map<string, Transition[]>();
  /** Those of all records, oldest first. */
  readonly #recent: Transition[] = [];
  /** Keys of the records that are gone, in the order in which they went. */
  readonly #gone = new Set<string>();

  constructor(store: Store) {
    const tables = [...store.tables()].filter(({ isVolatile }) => isVolatile);
    this.#kinds = new Set(tables.map(({ kind }) => kind));
    if (this.#kinds.size > 0) store.follow((changes) => this.#take(changes));
  }

  /**
   * Up to 32 transitions of a record, newest first, without the names of their actors; those of a
   * deleted record until 1,000 others were deleted after it. Their LSN is that of the newest frame
   * that they may depend on.
   * @param beforeLsn only transitions that depend on older frames alone
   */
  of(kind: string, id: string, beforeLsn: Lsn): readonly Transition[] {
    const known = this.#known.get(keyOf(kind, id)) ?? [];
    return known.filter(({ lsn }) => lsn < beforeLsn).reverse();
  }

  /** The last transitions of all records, newest first, without the names of their actors. */
  recent(): readonly Transition[] {
    return this.#recent.toReversed();
  }

  #take({ lsn, timeMs, cause, changes, events }: ChangeSet): void {
    const { causeLsn = 0 } = cause;
    for (const event of events) {
      const [kind, id] = event;
      if (!this.#kinds.has(kind)) continue;
      const key = keyOf(kind, id);
      const known = this.#known.get(key) ?? [];
      if (known.length === 0) this.#known.set(key, known);
      const transition = transitionOf({ ...cause, lsn, timeMs, causeLsn }, event, '');
      known.push(transition);
      if (known.length > transitionsKeptMax) known.shift();
      this.#recent.push(transition);
      if (this.#recent.length > recentKeptMax) this.#recent.shift();
    }
    for (const { table, row, after } of changes) {
      if (!table.isVolatile) continue;
      const key = keyOf(table.kind, row.id);
      this.#gone.delete(key);
      if (after === undefined) this.#forgetLater(key);
    }
  }

  #forgetLater(key: string): void {
    this.#gone.add(key);
    if (this.#gone.size <= deletedKeptMax) return;
    const [first = ''] = this.#gone;
    this.#gone.delete(first);
    this.#known.delete(first);
  }
}

/** Transitions that are kept of a volatile record. @bound per entity */
const transitionsKeptMax = 32;
/** Transitions that are kept of all volatile records together. @bound per controller */
const recentKeptMax = 200;
/** Deleted volatile records whose transitions are kept. @bound per controller */
const deletedKeptMax = 1000;

function keyOf(kind: string, id: string): string {
  return `${kind}\n${id}`;
}
