// Answers inspections about the controller itself, under the names that tools ask for
// (behaviour/fabric#inspections).

import { circuitKind } from '../../../records/circuit.ts';
import { routerKind } from '../../../records/router.ts';
import { routerPresenceKind } from '../../../records/router-presence.ts';
import { terminatorKind } from '../../../records/terminator.ts';
import { syncStatusOf } from '../../../routers/presences.ts';
import { costPerCircuit } from '../../../routers/terminators/costs.ts';
import type { InspectEnvironment } from '../context.ts';
import { masked } from './masked-answers.ts';

/** Answers one inspection; undefined if there is nothing to answer. */
type Inspection = (env: InspectEnvironment) => unknown;

/** Inspections that only the controller can answer. */
const aboutController: Readonly<Record<string, Inspection>> = {
  'cluster-config': clusterOf,
  'connected-routers': connectedRoutersOf,
  'router-messaging': (env) => ({ pending: pendingOf(env) }),
  'terminator-costs': terminatorCostsOf,
};

/** Inspections that the controller answers for itself, and each router for itself. */
const aboutAll: Readonly<Record<string, Inspection>> = {
  'router-data-model': ({ routerModels }) => routerModels.figures,
  'router-data-model-index': ({ routerModels }) => {
    const { timelineId, index } = routerModels.figures ?? {};
    return index === undefined ? undefined : { timeline: timelineId, index };
  },
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

/** The controller's answer to an inspection; undefined if it does not know the name. */
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

/** Terminators whose costs are shown at once. @bound per request */
const costsMax = 10_000;
