// The part of the environment that the control plane of routers adds for operations.

import { type BoundValues, boundsOf } from '../bounds.ts';
import type { Clock } from '../ports.ts';
import type { Store } from '../store/store.ts';
import type { TerminatorCosts } from './contract.ts';
import { connectionBounds, IdentityConnections } from './identity-connections.ts';
import { RouterPresences } from './presences.ts';
import { createTerminatorCosts } from './terminators/costs.ts';

/** The part of the control plane. */
export interface RoutersEnvironment {
  /** The routers that are connected. */
  readonly presence: RouterPresences;
  /** The identities whose clients are connected to routers. */
  readonly identityConnections: IdentityConnections;
  /** The costs that terminators have because of circuits and failures. */
  readonly terminatorCosts: TerminatorCosts;
}

declare module '../declare/environment.ts' {
  interface Environment extends RoutersEnvironment {}
}

/** Creates the part of the control plane of routers. */
export function createRoutersPart({
  store,
  clock,
  bounds,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly bounds: BoundValues | undefined;
}): RoutersEnvironment {
  return {
    presence: new RouterPresences(store),
    identityConnections: new IdentityConnections(clock, boundsOf(connectionBounds, bounds)),
    terminatorCosts: createTerminatorCosts({ store, clock }),
  };
}
