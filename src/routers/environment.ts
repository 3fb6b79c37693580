// The part of the environment that the control plane of routers adds for operations.

import type { IdentityConnections } from './identity-connections.ts';
import type { RouterPresences } from './presences.ts';

/** The part of the control plane. */
export interface RoutersEnvironment {
  /** The routers that are connected. */
  readonly presence: RouterPresences;
  /** The identities whose clients are connected to routers. */
  readonly identityConnections: IdentityConnections;
}

declare module '../declare/environment.ts' {
  interface Environment extends RoutersEnvironment {}
}
