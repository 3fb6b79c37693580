// The control plane of routers: all its parts, in the order in which they are told of routers.

import { boundsOf } from '../bounds.ts';
import type { ChannelCounts } from '../channel/channel.ts';
import { Channels } from '../channel/channels.ts';
import type { ControlConnection } from '../channel/contract.ts';
import type { Transaction } from '../store/transaction.ts';
import { type Circuits, createCircuits } from './circuits/circuits.ts';
import { createClientHello } from './client-hello.ts';
import type { ConnectedRouters, RouterFeature, RoutersContext } from './contract.ts';
import { createControllerAddresses } from './controller-addresses.ts';
import { createLinks, type Links } from './links/links.ts';
import { ownVersion } from './own-version.ts';
import { PacedWork, pacedWorkBounds } from './paced-work.ts';
import { PresenceEvents } from './presence-events.ts';
import { createPublicKeys, type PublicKeysOptions } from './public-keys.ts';
import { createRouterCertificates } from './router-certificates.ts';
import { createRouterOrders } from './router-orders.ts';
import { createRouterReports } from './router-reports.ts';
import { ConnectedTable, Routers, type RoutersFigures } from './routers.ts';
import { createSessionChecks } from './session-checks.ts';
import { createApiSessionSync } from './sync/api-session-sync.ts';
import { createTerminatorStrategies } from './terminators/strategies.ts';

/** What the control plane needs. */
export interface ControlPlaneOptions extends Omit<RoutersContext, 'connected'> {
  /** Deletes a router with everything that goes with it. */
  removeRouter(tx: Transaction, routerId: string): void;
  /** The certificate that the listeners show. */
  readonly serving: PublicKeysOptions['serving'];
  /** Further parts, after our own; for tests. */
  readonly further?: readonly RouterFeature[];
}

/** The running control plane: one per controller. */
export interface ControlPlane {
  readonly connected: ConnectedRouters;
  readonly figures: RoutersFigures;
  readonly counts: Readonly<ChannelCounts>;
  /** Takes a connection; it is answered when its hello has arrived. */
  accept(connection: ControlConnection): void;
  /** Closes all channels and takes no further ones. */
  stop(): void;
}

/** Builds the control plane. */
export function createControlPlane(options: ControlPlaneOptions): ControlPlane {
  const { env, log, random, further = [] } = options;
  const connected = new ConnectedTable();
  const presence = new PresenceEvents(env, connected);
  const paced = new PacedWork(env.clock, boundsOf(pacedWorkBounds, env.bounds));
  const context = { ...options, connected, presence, paced };
  const links = createLinks(context);
  const circuits = createCircuitsOver(context, links);
  const features: readonly RouterFeature[] = [
    createControllerAddresses(context),
    createRouterReports(context),
    createRouterOrders(context),
    links,
    circuits,
    // The keys leave before the API sessions whose clients show certificates.
    createPublicKeys(context, options),
    createApiSessionSync(context, {
      status: presence,
      heard: (identityId) => env.identityConnections.heard(identityId),
      bounds: env.bounds,
    }),
    createRouterCertificates(context),
    ...further,
    // Last, so that all parts know a router before it is asked to begin.
    createClientHello({ ...context, greeted: (router, hello) => routers.greeted(router, hello) }),
  ];
  const routers = new Routers({ ...context, features });
  const channels = new Channels({
    clock: env.clock,
    random,
    log,
    identity: { controllerId: env.trust.trustDomain, version: ownVersion },
    limits: env.limits,
    greet: (hello, connection) => routers.greet(hello, connection),
  });
  return {
    connected,
    get figures() {
      return routers.figures;
    },
    counts: channels.counts,
    accept: (connection) => channels.accept(connection),
    stop() {
      // Circuits go on without the controller.
      circuits.stop();
      routers.stop();
    },
  };
}

function createCircuitsOver(context: RoutersContext, links: Links): Circuits {
  const { env, random } = context;
  const costs = env.terminatorCosts;
  const strategies = createTerminatorStrategies({ costs, random });
  return createCircuits(context, {
    checks: createSessionChecks(context),
    costs,
    paths: env.paths,
    choose: (wish) => strategies.choose(wish),
    linkFault: links.linkFault,
  });
}
