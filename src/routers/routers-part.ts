// The part of the controller that the control plane of routers provides.

import type { WatchedCluster } from '../cluster/node/watch.ts';
import type { EventSink } from '../observe/events.ts';
import type { Clock } from '../platform/ports.ts';
import { type CircuitRecord, circuitKind } from '../records/circuit.ts';
import { type BoundValues, boundsOf } from '../settings/bounds.ts';
import type { Store } from '../store/store.ts';
import { ManyIndex } from './circuits/ids-by-text.ts';
import { ConnectedTable } from './connected-table.ts';
import { FabricOrders } from './fabric-orders.ts';
import { FailedDials } from './failed-dials.ts';
import { connectionBounds, IdentityConnections } from './identity-connections.ts';
import { LinkPaths } from './links/paths.ts';
import { RouterModels } from './model/model-port.ts';
import { RouterPresences } from './presences.ts';
import type { TerminatorCosts } from './router-feature.ts';
import { createTerminatorCosts } from './terminators/costs.ts';
import type { UsageHours } from './usage/usage-hours.ts';

/** The part of the control plane of routers. */
export interface RoutersPart {
  /** The routers that are connected. */
  readonly presence: RouterPresences;
  /** Their channels; none on a node that does not lead. */
  readonly connectedRouters: ConnectedTable;
  readonly fabricOrders: FabricOrders;
  /** What routers know of the model of the network. */
  readonly routerModels: RouterModels;
  /** The identities whose clients are connected to routers. */
  readonly identityConnections: IdentityConnections;
  /** The dials that failed lately. */
  readonly failedDials: FailedDials;
  /** The costs that terminators have because of circuits and failures. */
  readonly terminatorCosts: TerminatorCosts;
  /** The links between connected routers, and the paths over them. */
  readonly paths: LinkPaths;
  /** The ids of the circuits that lead over a router or a link, by its id. */
  readonly circuitsOver: CircuitsOver;
  /** What circuits carried, by the hour. */
  readonly usage: UsageHours;
  /** The cluster that this controller is a node of, if it is one. */
  readonly cluster: () => WatchedCluster | undefined;
}

/** The circuits of each router and of each link. */
export interface CircuitsOver {
  readonly router: ManyIndex<CircuitRecord>;
  readonly link: ManyIndex<CircuitRecord>;
}

/** What the part is built from. */
export interface RoutersPartOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly bounds?: BoundValues | undefined;
  readonly usage: UsageHours;
  readonly cluster: RoutersPart['cluster'];
  readonly events: EventSink;
}

/** Creates the part of the control plane of routers. */
export function createRoutersPart({
  store,
  clock,
  bounds,
  usage,
  cluster,
  events,
}: RoutersPartOptions): RoutersPart {
  const circuits = store.table(circuitKind);
  return {
    presence: new RouterPresences(store),
    connectedRouters: new ConnectedTable(),
    fabricOrders: new FabricOrders(),
    routerModels: new RouterModels(),
    identityConnections: new IdentityConnections(clock, boundsOf(connectionBounds, bounds), events),
    failedDials: new FailedDials({ store, clock, bounds }),
    terminatorCosts: createTerminatorCosts({ store, clock }),
    paths: new LinkPaths({ store, clock, bounds }),
    circuitsOver: {
      router: new ManyIndex(circuits, ({ routers }) => routers),
      link: new ManyIndex(circuits, ({ links }) => links),
    },
    usage,
    cluster,
  };
}
