// The control plane of routers: composes its parts and gives them connections.

import type { ChannelCounts } from '../channel/channel.ts';
import type { ControlConnection } from '../channel/channel-api.ts';
import { Channels } from '../channel/channels.ts';
import { GatedConnection } from '../channel/gated-connection.ts';
import type { AnswerGate } from '../cluster/log/answer-gate.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { Transaction } from '../store/transaction.ts';
import { type CircuitFigures, createCircuits } from './circuits/circuits.ts';
import { createClientHello } from './client-hello.ts';
import { ConnectedTable } from './connected-table.ts';
import type { RoutersContext } from './context.ts';
import { createControllerAddresses } from './controller-addresses.ts';
import { createLinks } from './links/links.ts';
import { MetricEvents } from './metrics/metric-events.ts';
import { createRouterMetrics } from './metrics/router-metrics.ts';
import { RouterSeries } from './metrics/router-series.ts';
import { createRouterModel, type RouterModelSource } from './model/router-model.ts';
import { ownVersion } from './own-version.ts';
import { PacedWork, pacedWorkBounds } from './paced-work.ts';
import { PresenceEvents } from './presence-events.ts';
import { createPublicKeys, type PublicKeysOptions } from './public-keys.ts';
import { createRouterCertificates } from './router-certificates.ts';
import type { ConnectedRouters, RouterFeature } from './router-feature.ts';
import { createRouterOrders } from './router-orders.ts';
import { createRouterReports } from './router-reports.ts';
import { Routers, type RoutersFigures } from './routers.ts';
import { createSessionChecks } from './session-checks.ts';
import { createApiSessionSync } from './sync/api-session-sync.ts';
import { createTerminatorStrategies } from './terminators/strategies.ts';
import { createTerminators, type TerminatorsFeature } from './terminators/terminators.ts';
import { RouterUsage, type UsageFigures } from './usage/router-usage.ts';

/** What the control plane needs. */
export interface ControlPlaneOptions extends Omit<RoutersContext, 'connected'>, PublicKeysOptions {
  readonly model: RouterModelSource;
  /** Deletes a router with everything that goes with it. */
  removeRouter(tx: Transaction, routerId: string): void;
  /** On a node of a cluster, bytes to routers leave only while it is open. */
  readonly gate?: AnswerGate | undefined;
  /** In place of the parts for traffic; for tests of one part, which bring their own. */
  readonly traffic?: TrafficParts | undefined;
  /** Where it notes the connected routers; a table of its own when absent. */
  readonly connected?: ConnectedTable;
}

/** Creates the parts that let clients' traffic flow, in the order in which they are told. */
export type TrafficParts = (context: TrafficContext) => {
  readonly features: readonly RouterFeature[];
  /** Absent without the parts that count. */
  readonly figures?: TrafficFigures;
  /** Called before the channels are closed for a stop. */
  stop?(): void;
};

/** What the parts for traffic count. */
export interface TrafficFigures {
  /** What there is now. */
  readonly circuits: CircuitFigures;
  /** What hosts have told of their own health since the start. */
  readonly health: TerminatorsFeature['health'];
  readonly usage: UsageFigures;
  /** What routers report of themselves, if it is kept for scrapes. */
  readonly series: RouterSeries | undefined;
}

/** What these parts are created with. */
export interface TrafficContext
  extends RoutersContext,
    PublicKeysOptions,
    Pick<ControlPlaneOptions, 'model'> {
  readonly presence: PresenceEvents;
  readonly paced: PacedWork;
}

/** The running control plane: one per controller. */
export interface ControlPlane {
  readonly connected: ConnectedRouters;
  readonly figures: RoutersFigures;
  readonly counts: Readonly<ChannelCounts>;
  readonly traffic: TrafficFigures | undefined;
  /** Lets the parts decide, as soon as the store is attached, in steps of about a millisecond. */
  lead(): Generator<undefined, void>;
  /** At the first start after a migration: what routers carry is of the former controller. */
  succeedFormer(): void;
  /** Takes a connection; it is answered when its hello has arrived. */
  accept(connection: ControlConnection): void;
  /** Closes all channels and takes no further ones. */
  stop(): void;
}

/** Builds the control plane. */
export function createControlPlane(options: ControlPlaneOptions): ControlPlane {
  const { env, log, random, gate } = options;
  const { connected = new ConnectedTable() } = options;
  const presence = new PresenceEvents(env, connected);
  const paced = new PacedWork(env.clock, boundsOf(pacedWorkBounds, env.bounds));
  const context = { ...options, connected, presence, paced };
  const traffic = (options.traffic ?? trafficParts)(context);
  const features: readonly RouterFeature[] = [
    createControllerAddresses(context),
    createRouterReports(context),
    createRouterOrders(context),
    ...traffic.features,
    // Last, so that all parts know a router before it is asked to begin.
    createClientHello({ ...context, greeted: (router, hello) => routers.greeted(router, hello) }),
  ];
  const routers = new Routers({ ...context, features });
  const channels = new Channels({
    clock: env.clock,
    random,
    log,
    identity: { controllerId: env.trust.controllerId, version: ownVersion },
    limits: env.limits,
    beforeReply: () => env.store.fence.begin(),
    greet: (hello, connection) => routers.greet(hello, connection),
  });
  return {
    connected,
    get figures() {
      return routers.figures;
    },
    counts: channels.counts,
    traffic: traffic.figures,
    *lead() {
      for (const feature of features) {
        if (feature.lead !== undefined) yield* feature.lead();
      }
    },
    succeedFormer() {
      for (const feature of features) feature.succeedFormer?.();
    },
    accept: (connection) =>
      channels.accept(gate ? new GatedConnection(connection, gate) : connection),
    stop() {
      traffic.stop?.();
      routers.stop();
    },
  };
}

function trafficParts(context: TrafficContext): ReturnType<TrafficParts> {
  const { env, random, presence } = context;
  const publicKeys = createPublicKeys(context, context);
  const checks = createSessionChecks(context);
  const links = createLinks(context);
  const costs = env.terminatorCosts;
  const circuits = createCircuits(context, {
    checks,
    costs,
    paths: env.paths,
    choose: createTerminatorStrategies({ costs, random }).choose,
    linkFault: links.linkFault,
  });
  const terminators = createTerminators(context, checks);
  const usage = new RouterUsage(context);
  const { config, clock, limits } = env;
  const series = config.metrics.routers
    ? new RouterSeries({ clock, seriesMax: limits.routerSeriesMax })
    : undefined;
  const figures = {
    get circuits() {
      return circuits.figures;
    },
    health: terminators.health,
    usage: usage.figures,
    series,
  };
  const model = createRouterModel({ ...context, publicKeys });
  const features = [
    createRouterCertificates(context),
    // Routers need the keys before the API sessions that they check with them.
    publicKeys,
    createApiSessionSync(context, {
      status: presence,
      heard: (identityId) => env.identityConnections.heard(identityId),
      bounds: env.bounds,
    }),
    model,
    terminators,
    // Circuits take paths over the links of the routers that they are told of.
    links,
    circuits,
    createRouterMetrics([
      links.latencies,
      usage,
      new MetricEvents(context),
      ...(series ? [series] : []),
    ]),
  ];
  const stop = () => {
    circuits.stop();
    model.stop();
  };
  return { features, figures, stop };
}
