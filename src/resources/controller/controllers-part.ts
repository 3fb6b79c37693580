// The part of the environment that the list of controllers adds for operations.

import type { WatchedCluster } from '../../cluster/node/watch.ts';

/** The part of the list of controllers. */
export interface ControllersPart {
  /** The cluster that this controller is a node of, if it is one. */
  readonly cluster: () => WatchedCluster | undefined;
}

declare module '../../declare/operations/environment.ts' {
  interface Environment extends ControllersPart {}
}
