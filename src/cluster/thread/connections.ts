// What connects a node with the others, as the module that the cluster thread loads makes it.

import type { Members, SharedSnapshots, Stream } from '../contract.ts';

/** The connections of one node. */
export interface ClusterConnections {
  readonly stream: Stream;
  readonly members: Members;
  readonly snapshots: SharedSnapshots;
  /** What differs between the stream's configuration and ours; undefined if nothing does. */
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
