// The read fence: notes what an answer has read, so that it can wait until that is durable.

import type { Lsn } from '../../snapshots/journal.ts';

/**
 * There is one for the whole store. Everything that reads and decides is synchronous, so only one
 * answer is being made between `begin` and `lsn`.
 */
export class ReadFence {
  /** The highest LSN among the rows read since `begin`. */
  lsn: Lsn = 0;
  /** Whether a deferred cascade is being carried out, so that reads must check owners. */
  cascadesOpen = false;
  /** Kinds whose rows it may delete: readers of all other kinds need not check. */
  kindsBeingDeleted: ReadonlySet<string> = new Set();
  /** The newest frame that began or finished one. Readers that skip a row depend on it. */
  cascadesLsn: Lsn = 0;

  /** Starts a new answer; `from` carries over what an earlier asynchronous part of it has read. */
  begin(from: Lsn = 0): void {
    this.lsn = from;
  }

  note(lsn: Lsn): void {
    if (lsn > this.lsn) this.lsn = lsn;
  }
}
