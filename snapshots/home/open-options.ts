// How a home is opened.

import type { Clock, Disk } from '../../src/platform/ports.ts';
import type { ClusterOpening, DurabilityLevel, Lsn, StoredRecord } from '../journal.ts';
import type { OpenWriter } from '../log/writer-host.ts';

/** How to open a home. Paths are in `<home>/log` and `<home>/snapshots`. */
export interface OpenHomeOptions {
  readonly home: string;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly level: DurabilityLevel;
  /**
   * `worker`: writev and fdatasync run in a thread of their own. `inline`: they run on the caller's
   * thread, for simulated disks.
   */
  readonly writer: 'worker' | 'inline';
  /**
   * Makes the writer that makes frames durable in place of the home's own. Without it, frames are
   * durable when they are in the home.
   */
  readonly openWriter?: OpenWriter | undefined;
  /** Whether frames come from another node until `FollowingJournal.lead`. */
  readonly follows?: boolean | undefined;
  /** Random id of a new home's data set, as 32 hex digits; an existing home keeps its own. */
  readonly newDataSetId: string;
  readonly segmentBytes: number;
  readonly frameBytesMax: number;
  /** Bytes that are appended and not yet durable at which `append` refuses with JournalStalled. */
  readonly pendingBytesMax: number;
  readonly snapshotsKept: number;
  /** Bytes of packed records per block of a snapshot; tests set a small value. */
  readonly snapshotBlockBytes?: number;
  /** Stop replay at this LSN and cut the rest off; set only when the operator asks for it. */
  readonly recoverToLsn?: Lsn;
  /** How the home of a cluster is opened; undefined for a home of its own. */
  readonly cluster?: ClusterOpening | undefined;
  /** Receives each live record once, in no order, before `openHome` resolves. */
  readonly load: (record: StoredRecord) => void;
  /** Receives more of the records of one kind. */
  readonly history?: RecordHistory | undefined;
}

/** Takes what a home holds of the history of records. */
export interface RecordHistory {
  readonly kind: string;
  /**
   * Receives each version of a record of that kind that the loaded snapshot and the frames after it
   * hold, oldest first, before `openHome` resolves.
   */
  take(record: StoredRecord): void;
}
