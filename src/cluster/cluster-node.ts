// The node of this process, as the parts outside of its thread see it.

import type { OpenWriter } from '../../snapshots/log/writer-host.ts';
import type { Member, NodeRole } from './membership.ts';
import type { SharedSnapshot, StoreState } from './shared-snapshots.ts';
import type { Generation, LogPoint, StreamSequence, Term } from './stream.ts';

/** A node at a moment, for health, metrics, `status` and the inspector. */
export interface NodeState {
  readonly role: NodeRole;
  readonly generation: Generation;
  /** The last term that it knows of. */
  readonly term: Term;
  /** The last frame that is confirmed and, on a follower, applied. */
  readonly last: LogPoint;
  /** The last message that it has read or that was acknowledged. */
  readonly sequence: StreamSequence;
  /** Id of the leader as far as it knows. */
  readonly leaderId: string | undefined;
  /** How far it is behind the server's time of the newest message when that was applied, in ms. */
  readonly lagMs: number;
  /** Groups that were published and are not acknowledged. */
  readonly inFlight: number;
  /** How far its wall clock is from that of the server, in ms. */
  readonly clockSkewMs: number;
  /** Takeovers that it has seen since its start. */
  readonly takeovers: number;
  /** Why it cannot go on, or has no contact; undefined if all is well. */
  readonly trouble: string | undefined;
  /** Why the log of its own home lacks something that is confirmed; undefined if it does not. */
  readonly localLog: string | undefined;
  /** The room at NATS; undefined until it was read. */
  readonly store?: StoreState | undefined;
  /** Snapshots that it could not write or not share since it last shared one; absent if none. */
  readonly sharesFailed?: number | undefined;
}

/** The events that a node reports to its main thread, none of them within a call of the node. */
export interface NodeEvents {
  /**
   * Confirmed frames that follow those applied so far, whole and stamped. They belong to the
   * receiver.
   */
  apply(frames: Buffer, last: LogPoint): void;
  /**
   * The node leads from here on: everything before `after` was applied. `after` includes the frame
   * of its term. The main thread serves, and appends through the writer.
   */
  lead(term: Term, after: LogPoint): void;
  /** The leader, as far as it is known, has changed; it may be this node. */
  leader(member: Member | undefined): void;
  /** Another leads, or this node has resigned: the process ends and starts again as a follower. */
  fenced(reason: string): void;
  /** An operator has to look; nothing is served until then. */
  halted(reason: string): void;
  /** A snapshot of the others has to be loaded: the process starts again with it. */
  behind(snapshot: SharedSnapshot): void;
}

/** How the main thread waits for the log before something leaves that has no frame. */
export interface ReadConfirmations {
  /** The stamp of what was made by now; stamps grow. */
  ask(): number;
  /** Whether a message is in the stream that was published after that. */
  isConfirmed(stamp: number): boolean;
  /**
   * Calls `then` when it is confirmed, which it is not yet, after those that were handed in before.
   */
  onceConfirmed(stamp: number, then: () => void): void;
}

/** The node of this process, as the main thread sees it. */
export interface ClusterNode {
  readonly state: NodeState;
  /** Begins to follow after this point, up to which the home was recovered and applied. */
  start(after: LogPoint, events: NodeEvents): void;
  /**
   * Makes the writer of this home's journal: called once, before `start`. It appends only while the
   * node leads; frames are durable when the stream has confirmed them. While it follows, `sync`
   * waits until the home's own log has everything that was applied.
   */
  readonly openWriter: OpenWriter;
  /**
   * Whether answers may leave now: it leads, and its lease has not run out on any of its clocks.
   * Costs less than a microsecond; it is asked before each answer.
   */
  mayAnswer(): boolean;
  /** Set if the lease alone does not suffice for what leaves (`cluster.reads: confirmed`). */
  readonly reads?: ReadConfirmations | undefined;
  /** Tells the others that it is about to end, so that no router is sent to it. */
  leave(): Promise<void>;
  /** Confirms what was appended, then lets another node lead at once. */
  resign(): Promise<void>;
  /** Ends the thread and all connections. */
  stop(): Promise<void>;
}
