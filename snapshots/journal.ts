// The contract between the store and its durability: the content of a frame and the promises of a
// journal.

/**
 * Log sequence number: the number of a frame, dense from 1 on. 0 means "before everything".
 * 64 bits on disk, a safe integer in memory.
 */
export type Lsn = number;

/** The level of durability that an acknowledgement promises (docs/durability.md). */
export type DurabilityLevel = 'disk' | 'second' | 'memory';

/** What happened to one record within a frame. */
export interface Change {
  readonly kind: string;
  readonly id: string;
  /**
   * LSN of the frame that last wrote this record, so that a record's history is a chain; 0 when
   * there was none.
   */
  readonly previousLsn: Lsn;
  /** Version of the kind's record layout. */
  readonly version: number;
  /** The whole new record in the declared field order of `version`; null for a deletion. */
  readonly values: readonly unknown[] | null;
}

/** One machine event that was decided: kind, id, event type, state before, state after. */
export type LoggedEvent = readonly [
  kind: string,
  id: string,
  event: string,
  from: string,
  to: string,
];

/**
 * One transaction, as handed to the journal. It holds effects, never commands: replay runs no code.
 */
export interface FrameContent {
  readonly timeMs: number;
  /** Id of the identity that acted, or the name of the part of the controller that acted. */
  readonly actor: string;
  readonly requestId: string;
  readonly operation: string;
  /** The LSN of the frame whose consequence this one is; 0 for an original cause. */
  readonly causeLsn: Lsn;
  readonly events: readonly LoggedEvent[];
  readonly changes: readonly Change[];
}

/** A frame as read from the log. */
export interface Frame extends FrameContent {
  readonly lsn: Lsn;
}

/** One live record, as recovery hands it to the store and as a snapshot stores it. */
export interface StoredRecord {
  readonly kind: string;
  readonly id: string;
  readonly lsn: Lsn;
  readonly version: number;
  readonly values: readonly unknown[];
}

/** One snapshot that was verified after it was written. */
export interface KeptSnapshot {
  /** File name in `<home>/snapshots`. */
  readonly file: string;
  readonly lsn: Lsn;
  readonly records: number;
  readonly bytes: number;
}

/**
 * Whether the journal takes frames; `reason` is a sentence for the operator. A writable one that is
 * short of space takes little more: there is no space on the disk for the next segment.
 */
export type JournalHealth =
  | { readonly state: 'writable'; readonly isShort?: true }
  | { readonly state: 'stalled'; readonly reason: string; readonly sinceMs: number }
  | { readonly state: 'failed'; readonly reason: string };

/** Figures for metrics and the bench. */
export interface JournalFigures {
  readonly framesWritten: number;
  readonly bytesWritten: number;
  readonly groupsWritten: number;
}

/** A fault in the positions or files of a serving journal. */
export interface JournalFault {
  /** In one sentence, without a full stop. */
  readonly description: string;
  /** Whether keeping another snapshot fixes it. */
  readonly fixedBySnapshot: boolean;
  readonly advice: string;
}

/** The append log, seen from the main thread. */
export interface Journal {
  /** LSN of the newest frame that was appended. */
  readonly lastLsn: Lsn;
  /** All frames up to and including this one are durable at the chosen level. */
  readonly durableLsn: Lsn;
  readonly health: JournalHealth;
  /** Bytes that may still be appended before it refuses until more is durable; at least 0. */
  readonly roomBytes: number;
  readonly figures: JournalFigures;
  /**
   * Appends one frame and returns its LSN. It never waits: the frame is durable when `durableLsn`
   * reaches that LSN.
   * @throws FrameTooLarge when it packs to more than `frameBytesMax`; JournalStalled when the log
   *   cannot be written or too much is waiting. Nothing was appended then.
   */
  append(content: FrameContent): Lsn;
  /** Calls `listener` whenever `durableLsn` moved, never from within `append`. */
  onDurable(listener: (durableLsn: Lsn) => void): void;
  /** Calls `listener` whenever `health` changed. */
  onHealth(listener: (health: JournalHealth) => void): void;
  /** Resolves when everything appended so far is durable. */
  flush(): Promise<void>;
  /**
   * Writes a snapshot of `records`, which must be those as of `lastLsn` at the call, verifies it
   * and names it in the manifest. Then it drops the segments below the older kept snapshot. Records
   * are read for `sliceMs` per turn; frames may be appended meanwhile. One snapshot at a time.
   * @throws JournalStalled when the log takes no writes; any error of the disk. Nothing has changed
   *   then.
   */
  writeSnapshot(records: Iterable<StoredRecord>, sliceMs?: number): Promise<KeptSnapshot>;
  /**
   * Checks whether its positions, the manifest and the files agree, one file per step; undefined is
   * a step that found nothing. It ends when a snapshot is being written, as a snapshot verifies
   * itself.
   */
  faults(): Iterable<JournalFault | undefined>;
  /** Flushes, writes the seal frame, stops the writer and releases the lock of the home. */
  close(): Promise<void>;
}

/** The end of the log in a home, for comparison with the log that a cluster shares. */
export interface RecoveredEnd {
  readonly lsn: Lsn;
  /** Checksum of the frame with that LSN; 0 before the first. */
  readonly crc: number;
}

/** How the home of a cluster is opened. */
export interface ClusterOpening {
  /**
   * Is told where the log ends, before any record is handed out or any file is changed. If it
   * rejects, the opening rejects with the same error.
   */
  readonly accept: (end: RecoveredEnd) => Promise<void>;
}

/** Frames of the leader that a following node has applied. */
export interface FollowedFrames {
  /** The last of the frames. */
  readonly lsn: Lsn;
  /** Latest time in them, in ms; 0 if none has a time. */
  readonly timeMs: number;
  /** Bytes of all frames in the log. */
  readonly bytes: number;
}

/**
 * The journal of a node that follows: it refuses `append` until `lead`. Frames come from the
 * leader, and something else keeps them.
 */
export interface FollowingJournal extends Journal {
  /** Latest time in a frame, in ms. */
  readonly lastTimeMs: number;
  /** Notes frames that are confirmed and applied: both LSNs move, and listeners are told. */
  followed(frames: FollowedFrames): void;
  /** From here on it appends, after the last frame that was applied. */
  lead(): void;
}

/** The result of recovery. */
export interface RecoveryReport {
  readonly dataSetId: string;
  /** As `Manifest.lastCut`; 0 for never. */
  readonly lastCut: number;
  readonly lastLsn: Lsn;
  readonly lastTimeMs: number;
  /** Checksum of the last frame; 0 if there is none, or if it is only in a snapshot. */
  readonly lastCrc: number;
  /** The newest term that the log tells of; 0 if it was never that of a cluster. */
  readonly term: number;
  readonly records: number;
  readonly framesReplayed: number;
  /** Bytes of the replayed frames. */
  readonly bytesReplayed: number;
  /** LSN of the snapshot that was loaded; 0 for none. */
  readonly snapshotLsn: Lsn;
  /** Whether the log ended with a seal: the last stop was clean. */
  readonly sealed: boolean;
  /** A torn tail that was cut off; `copy` is where a copy of the cut bytes is kept. */
  readonly tornTail?: {
    readonly file: string;
    readonly offset: number;
    readonly bytes: number;
    readonly copy: string;
  };
  /** Snapshots that failed verification and were passed over, with the reason. */
  readonly damagedSnapshots: readonly { readonly file: string; readonly reason: string }[];
}
