// The part of the environment that the list of controllers adds for operations.

import type { WatchedCluster } from '../../cluster/watch.ts';

/** The part of the list of controllers. */
export interface ControllersEnvironment {
  /** The cluster that this controller is a node of, if it is one. */
  readonly cluster: () => WatchedCluster | undefined;
}

declare module '../../declare/environment.ts' {
  interface Environment extends ControllersEnvironment {}
}
