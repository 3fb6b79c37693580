// What connects a node with the others, as the module that the cluster thread loads makes it.

import type { Members } from '../membership.ts';
import type { SharedSnapshots, StoreState } from '../shared-snapshots.ts';
import type { Stream } from '../stream.ts';

/** The connections of one node. */
export interface ClusterConnections {
  readonly stream: Stream;
  readonly members: Members;
  readonly snapshots: SharedSnapshots;
  /** The directory over another connection, for what may wait; `members` where there is none. */
  readonly directory?: Pick<Members, 'list'>;
  /** Reads how much the servers keep and how much room is left; rejects with StreamUnreachable. */
  readonly store?: () => Promise<StoreState>;
  /** Why no node may lead a stream that is configured so; undefined if it is safe. */
  readonly configurationFault?: (
    configuration: Readonly<Record<string, unknown>>,
  ) => string | undefined;
  /** Ends all of them, so that nothing is sent any more. May be called again. */
  close(): Promise<void>;
}

/**
 * The module exports this as `connect`.
 * @param settings what the main thread passes on; it can be cloned
 */
export type Connect = (settings: unknown) => ClusterConnections | Promise<ClusterConnections>;
