// Snapshots in the object store of a cluster, and the room for them.

import type { Generation, LogPoint, StreamSequence } from './stream.ts';

/** A snapshot in the object store. */
export interface SharedSnapshot extends LogPoint {
  readonly name: string;
  readonly generation: Generation;
  /** The message whose group ends with that frame. */
  readonly sequence: StreamSequence;
  readonly bytes: number;
  /** When it was shared: the wall clock of the node that did it, in ms since 1970. */
  readonly atMs?: number | undefined;
}

/** The snapshots that all nodes share. Each call rejects with StreamUnreachable. */
export interface SharedSnapshots {
  /** Newest first; only those whose MAC is right and whose content is whole. */
  list(): Promise<readonly SharedSnapshot[]>;
  /**
   * Writes a file, throttled to `bytesPerSecond`, and reads it back. What does not read back as it
   * was written is removed, and the call rejects.
   */
  upload(
    file: string,
    snapshot: Omit<SharedSnapshot, 'name' | 'bytes'>,
    bytesPerSecond: number,
  ): Promise<SharedSnapshot>;
  /** @throws SnapshotGone if it was removed meanwhile, or is damaged */
  download(snapshot: SharedSnapshot, file: string): Promise<void>;
  remove(snapshot: SharedSnapshot): Promise<void>;
  /** Removes what uploads have left that did not end, and leaves alone what is under way. */
  removeRemains(): Promise<void>;
}

/** A bound of what NATS keeps, and how near it is. */
export interface StoreBound {
  /** Whose bound it is, as the subject of a sentence: the account, or one server. */
  readonly of: string;
  readonly usedBytes: number;
  readonly bytesMax: number;
  /** How often this bound counts each message: an account counts every copy. */
  readonly copies: number;
}

/** The newest of the shared snapshots, as a node tells of it. */
export interface NewestShared extends Pick<SharedSnapshot, 'lsn' | 'bytes' | 'atMs'> {
  /**
   * When the log first had more than it, in ms since 1970 by the clock of the servers: when this
   * node saw that, which may be later. Undefined while the log has no more, as far as it knows.
   */
  readonly outgrownAtMs?: number | undefined;
}

/** The bytes that a cluster keeps at NATS and the room left there, as a node has read them last. */
export interface StoreState {
  /** The messages of the log; each counts once. */
  readonly streamBytes: number;
  /** Undefined if there is none. */
  readonly shared: NewestShared | undefined;
  /** Those that are known: a server has to be named in `cluster.monitoring`. */
  readonly bounds: readonly StoreBound[];
  /** Why no node may lead: the stream is configured so that its log is not safe. */
  readonly unsafe?: string | undefined;
}

/** The snapshot is not there any more, or does not have the content that its entry says. */
export class SnapshotGone extends Error {
  override readonly name = 'SnapshotGone';
}
