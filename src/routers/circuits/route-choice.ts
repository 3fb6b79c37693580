// Chooses the terminator of a circuit and the path to it (behaviour/control-channel#circuits).

import { identityKind } from '../../records/identity.ts';
import { routerKind } from '../../records/router.ts';
import { type ServiceRecord, serviceKind } from '../../records/service.ts';
import { type TerminatorRecord, terminatorKind } from '../../records/terminator.ts';
import type { Row } from '../../store/record.ts';
import type { RoutersEnvironment } from '../context.ts';
import type {
  AvoidedHops,
  ConnectedRouter,
  ConnectedRouters,
  DialFailureCause,
  Path,
  Paths,
} from '../router-feature.ts';
import { isUsable } from '../session-checks.ts';
import { type PeerData, peerDataKeys } from './peer-data.ts';

/** A terminator that can be reached. */
export interface RouteCandidate {
  readonly terminator: TerminatorRecord;
  readonly path: Path;
}

/** Chooses one of some candidates by the strategy of a service. */
export type ChooseTerminator = (asked: {
  readonly strategy: ServiceRecord['terminatorStrategy'];
  /** At least one. */
  readonly candidates: readonly RouteCandidate[];
  /** The token that the client was given with an earlier circuit. */
  readonly stickinessToken: string | undefined;
}) => {
  readonly candidate: RouteCandidate;
  /** The token for its next circuit. */
  readonly stickinessToken?: string | undefined;
};

/** The chosen route of a circuit. */
export interface ChosenRoute extends RouteCandidate {
  /** Peer data for the client that the strategy adds. */
  readonly strategyData: PeerData;
}

/** What a route is chosen for. */
export interface RouteRequest {
  readonly service: Row<ServiceRecord>;
  /** Only terminators with this instance id count; an empty one is that of most. */
  readonly instanceId: string;
  /** The router to which the client is connected. */
  readonly ingressRouterId: string;
  readonly peerData: PeerData;
  /** What earlier attempts have met; it is left out if another path leads to some terminator. */
  readonly avoided?: AvoidedHops | undefined;
}

/** The sources of a choice. */
export interface RouteChoiceOptions {
  readonly env: RoutersEnvironment;
  readonly connected: ConnectedRouters;
  readonly paths: Paths;
  readonly choose: ChooseTerminator;
}

/** Why there is no route. */
export interface NoRoute {
  readonly cause: DialFailureCause;
  /** One sentence. */
  readonly text: string;
}

/** The choice, or why there is none. */
export function chooseRoute(
  options: RouteChoiceOptions,
  request: RouteRequest,
): ChosenRoute | NoRoute {
  let found = candidatesOf(options, request);
  if ('cause' in found && request.avoided !== undefined) {
    found = candidatesOf(options, { ...request, avoided: undefined });
  }
  if ('cause' in found) return found;
  const token = request.peerData.get(peerDataKeys.stickinessToken)?.toString('utf8');
  const { candidate, stickinessToken } = options.choose({
    strategy: request.service.record.terminatorStrategy,
    candidates: found,
    stickinessToken: token,
  });
  const strategyData = new Map<number, Buffer>();
  if (stickinessToken !== undefined) {
    strategyData.set(peerDataKeys.stickinessToken, Buffer.from(stickinessToken));
  }
  return { ...candidate, strategyData };
}

/** Whether an identity that hosts a service may still do so through a router. */
export function mayHost(env: RoutersEnvironment, terminator: TerminatorRecord): boolean {
  const hostId = hostOf(terminator);
  const { store } = env;
  // Administrators create terminators without a host.
  if (hostId === '') return true;
  const identity = store.table(identityKind).find(hostId);
  const service = store.table(serviceKind).find(terminator.service);
  const router = store.table(routerKind).find(terminator.router);
  if (identity === undefined || service === undefined || router === undefined) return false;
  return isUsable(env, { identity, service, router });
}

/** Whether further circuits may be created over a router. */
function takesCircuits(router: ConnectedRouter | undefined): boolean {
  return router !== undefined && router.isQuiesced !== true;
}

/** The identity that hosts at a terminator; empty when none is known. */
export function hostOf({ hostId }: TerminatorRecord): string {
  return hostId ?? '';
}

function candidatesOf(
  { env, connected, paths }: RouteChoiceOptions,
  { service, instanceId, ingressRouterId, avoided }: RouteRequest,
): readonly RouteCandidate[] | NoRoute {
  const { store } = env;
  const routers = store.table(routerKind);
  const candidates: RouteCandidate[] = [];
  let terminators = 0;
  let isPathMissing = false;
  let isRouterOffline = false;
  for (const { record } of store.table(terminatorKind).members('service', service.id)) {
    terminators += 1;
    if (record.identity !== instanceId) continue;
    const router = routers.find(record.router);
    if (
      router === undefined ||
      router.record.disabled ||
      !takesCircuits(connected.get(record.router))
    ) {
      isRouterOffline = true;
      continue;
    }
    const path = paths.find(ingressRouterId, record.router, avoided);
    if (path === undefined) isPathMissing = true;
    else if (mayHost(env, record)) candidates.push({ terminator: record, path });
  }
  if (candidates.length > 0) return candidates;
  if (terminators === 0) return noRoute('NO_TERMINATORS', 'the service has no terminators');
  if (isPathMissing) return noRoute('NO_PATH', 'no path leads to a terminator of the service');
  if (isRouterOffline) {
    const text = 'no terminator of the service is on a connected router';
    return noRoute('NO_ONLINE_TERMINATORS', text);
  }
  return noRoute('NO_TERMINATORS', 'the service has no such terminator that may be used');
}

function noRoute(cause: DialFailureCause, text: string): NoRoute {
  return { cause, text };
}
