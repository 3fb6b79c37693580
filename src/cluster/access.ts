// What commands may do with the servers that hold a cluster's log, beyond what a node does.

import type { Member, Members } from './membership.ts';
import type { SharedSnapshots, StoreState } from './shared-snapshots.ts';
import type { Generation, LogPoint, Stream } from './stream.ts';

/** What stands in the name of everything that belongs to one stream. */
export interface StreamName {
  /** 32 hex digits. */
  readonly dataSetId: string;
  readonly generation: Generation;
}

/** The directory of the nodes, as commands see it. */
export interface ListedMembers extends Members {
  /**
   * The entries that count for nothing, because their writer did not have the keys of this cluster.
   * Rejects with StreamUnreachable.
   */
  uncounted(): Promise<readonly Member[]>;
  /**
   * Writes something of the size of an entry, which counts for nothing.
   * @returns why there is no room for it; undefined if it was taken. Rejects with StreamUnreachable
   */
  probe(): Promise<string | undefined>;
}

/** A stream with what belongs to it. */
export interface OpenStream {
  readonly stream: Stream;
  readonly members: ListedMembers;
  readonly snapshots: SharedSnapshots;
  /** Reads how much the servers keep and how much room is left; rejects with StreamUnreachable. */
  store(): Promise<StoreState>;
  /**
   * The last frame in the stream; undefined if it is empty or cannot be read. Rejects with
   * StreamUnreachable.
   */
  end(): Promise<LogPoint | undefined>;
  /**
   * In what the stream and what belongs to it differ from how they have to be, one sentence each.
   * A question that the servers do not answer has a sentence, too.
   */
  faults(): Promise<readonly string[]>;
}

/** A connection to the servers. Each call rejects with StreamUnreachable. */
export interface ClusterAccess {
  /** The streams of all data sets that these credentials may see. */
  streams(): Promise<readonly StreamName[]>;
  /** What keeps the servers from holding a log safely, one sentence each. */
  serverFaults(): Promise<readonly string[]>;
  /** Creates a stream, the directory of its members and the place for its snapshots. */
  create(name: StreamName, replicas: number): Promise<void>;
  /** Lets nothing more into the log of a stream, for good. */
  seal(name: StreamName): Promise<void>;
  /** Removes all of them. */
  remove(name: StreamName): Promise<void>;
  /**
   * @param sealingKey the 64 hex digits in `pki/sealing.key`, from which the key of the MACs comes
   */
  open(name: StreamName, sealingKey: string): Promise<OpenStream>;
  close(): Promise<void>;
}
