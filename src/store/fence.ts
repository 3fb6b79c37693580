// The read fence: what the answer being made has read, so that it can wait until that is durable.

import type { Lsn } from '../../snapshots/journal.ts';

/**
 * One for the whole store: everything that reads and decides is synchronous, so between `begin` and
 * `lsn` only one answer is in the making.
 */
export class ReadFence {
  /** The highest LSN among the rows read since `begin`. */
  lsn: Lsn = 0;
  /**
   * Whether a large consequence is being carried out in slices, so that reads must look at owners.
   */
  consequencesOpen = false;
  /** Kinds of which it may take rows away: readers of all others need not look. */
  departing: ReadonlySet<string> = new Set();
  /** The newest frame that began or finished one: what a row that is passed over rests on. */
  consequencesLsn: Lsn = 0;

  /** Starts a new answer; `from` carries over what an earlier asynchronous part of it has read. */
  begin(from: Lsn = 0): void {
    this.lsn = from;
  }

  note(lsn: Lsn): void {
    if (lsn > this.lsn) this.lsn = lsn;
  }
}
