// What the controller tells of itself, by the names that tools ask for
// (behaviour/fabric#inspections).

import { circuitKind } from '../../../records/circuit.ts';
import { routerKind } from '../../../records/router.ts';
import { routerPresenceKind } from '../../../records/router-presence.ts';
import { terminatorKind } from '../../../records/terminator.ts';
import { syncStatusOf } from '../../../routers/presences.ts';
import type { InspectEnvironment } from '../context.ts';
import { masked } from './masked-answers.ts';

/** Tells one thing; undefined if there is nothing to tell. */
type Inspection = (env: InspectEnvironment) => unknown;

/** What routers do not know. */
const aboutController: Readonly<Record<string, Inspection>> = {
  'cluster-config': clusterOf,
  'connected-routers': connectedRoutersOf,
  'router-messaging': (env) => ({ pending: pendingOf(env) }),
  'terminator-costs': terminatorCostsOf,
};

/** What both the controller and its routers know. */
const aboutAll: Readonly<Record<string, Inspection>> = {
  stackdump: () => 'The controller runs JavaScript in one thread: it has no stacks of other work.',
  metrics: (env) => [env.observation.figures()],
  'metrics:prometheus': async (env) => [await env.observation.metricsText()],
  config: ({ config }) => masked(config),
  'identity-connection-statuses': ({ identityConnections }) => ({
    identities: identityConnections.size,
  }),
};

/** Whether routers are asked for a name as well. */
export function isForRouters(name: string): boolean {
  return !Object.hasOwn(aboutController, name);
}

/** What the controller tells under a name; undefined for a name that it does not know. */
export async function ownInspection(env: InspectEnvironment, name: string): Promise<unknown> {
  for (const known of [aboutController, aboutAll]) {
    if (Object.hasOwn(known, name)) return await known[name]?.(env);
  }
  return undefined;
}

/** Nothing without a cluster. */
function clusterOf({ cluster }: InspectEnvironment) {
  const { id, state } = cluster() ?? {};
  if (state === undefined) return undefined;
  const { role, generation, term, last, leaderId } = state;
  return { id, role, generation, term, lsn: last.lsn, leaderId };
}

function connectedRoutersOf({ connectedRouters, store }: InspectEnvironment) {
  const routers = store.table(routerKind);
  const presences = store.table(routerPresenceKind);
  return Array.from(connectedRouters.all(), ({ id, version }) => {
    const { connectedAt } = presences.peek(id)?.record ?? {};
    return {
      id,
      name: routers.peek(id)?.record.name ?? '',
      version,
      connectTime: connectedAt === undefined ? '' : new Date(connectedAt).toISOString(),
      underlays: { 'ctrl.default': 1 },
    };
  });
}

/** The routers that do not have all API sessions yet. */
function pendingOf({ connectedRouters, presence }: InspectEnvironment) {
  const pending: { readonly routerId: string; readonly status: string }[] = [];
  for (const { id } of connectedRouters.all()) {
    const present = presence.of(id);
    const status = present === undefined ? 'SYNC_UNKNOWN' : syncStatusOf(present);
    if (status !== 'SYNC_DONE') pending.push({ routerId: id, status });
  }
  return pending;
}

/** The terminators that cost something because of circuits or failures. */
function terminatorCostsOf({ store, terminatorCosts }: InspectEnvironment) {
  const circuits = store.table(circuitKind).group('terminatorId');
  const costs: object[] = [];
  for (const { id } of store.table(terminatorKind).all()) {
    const currentCost = terminatorCosts.dynamicCost(id);
    if (currentCost === 0) continue;
    const circuitCount = circuits.count(id);
    const failureCost = Math.max(0, currentCost - costPerCircuit * circuitCount);
    if (costs.push({ terminatorId: id, circuitCount, failureCost, currentCost }) >= costsMax) break;
  }
  return costs;
}

/** What an open circuit adds to the cost of its terminator. */
const costPerCircuit = 2;

/** Terminators whose costs are shown at once. @bound per request */
const costsMax = 10_000;
