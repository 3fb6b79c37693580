// What the cluster thread runs, as the module that it loads makes it.

import type { Clock, Random } from '../../ports.ts';
import type {
  Group,
  LogPoint,
  NodeEvents,
  NodeState,
  SharedSnapshots,
  Stream,
  StreamMessage,
} from '../contract.ts';
import type { Lease } from '../lease.ts';

/** The node, as its thread drives it. */
export interface ThreadNode {
  readonly state: NodeState;
  /** Begins to follow after this point. */
  start(after: LogPoint): void;
  /** Takes whole unstamped frames, and copies them. Without effect once it does not lead. */
  stage(frames: readonly Buffer[]): void;
  /** Confirms what was taken, then lets another node lead at once. */
  resign(): Promise<void>;
  /** Ends everything without a word to the others. */
  stop(): void;
}

/** What the thread is told by its node. */
export interface ThreadNodeEvents extends NodeEvents {
  /** Frames of its own leadership are confirmed; groups come in order, each once. */
  confirmed(group: Group): void;
  /** Nothing can be confirmed at present. */
  unreachable(reason: string): void;
  /** Groups are confirmed again. */
  resumed(): void;
}

/** What a node is given. */
export interface NodeParts {
  /** Its monotonic time is that of the main thread, too. */
  readonly clock: Clock;
  readonly random: Random;
  readonly lease: Lease;
  readonly events: ThreadNodeEvents;
  /**
   * A view of a stream that hands out no more than the main thread can apply; for the node's own
   * reading.
   */
  readonly paced: (stream: Stream) => Stream;
}

/** A node with what it is connected to. */
export interface OpenedNode {
  readonly node: ThreadNode;
  readonly stream: Stream;
  readonly snapshots: SharedSnapshots;
  /** Checks a message by itself; throws if it is wrong. */
  readonly decode: (message: StreamMessage) => Group;
  /** Ends all connections. */
  close(): Promise<void>;
}

/**
 * A module for the thread exports this as `openNode`.
 * @param settings what the main thread passes on; it can be cloned
 */
export type OpenNode = (settings: unknown, parts: NodeParts) => OpenedNode | Promise<OpenedNode>;
