// Routers, links and circuits as the map of the inspector shows them.

import { circuitKind } from '../../../records/circuit.ts';
import { identityKind } from '../../../records/identity.ts';
import { linkCost, linkKind, unmeasuredLatencyNs } from '../../../records/link.ts';
import { routerKind } from '../../../records/router.ts';
import { routerPresenceKind } from '../../../records/router-presence.ts';
import type { MapCircuit, MapLink, MapRouter, MapRow } from '../../messages.ts';
import type { InspectEnvironment } from '../context.ts';

type Sources = Pick<InspectEnvironment, 'store' | 'circuitsOver'>;

/** A row as it is now; undefined if there is no such router or link. */
export function mapRow(sources: Sources, kind: MapRow['kind'], id: string): MapRow | undefined {
  return kind === 'router' ? routerRow(sources, id) : linkRow(sources, id);
}

function routerRow({ store, circuitsOver }: Sources, id: string): MapRouter | undefined {
  const router = store.table(routerKind).peek(id)?.record;
  if (router === undefined) return undefined;
  const presence = store.table(routerPresenceKind).peek(id)?.record;
  const isAway = presence === undefined || presence.state === 'offline';
  return {
    kind: 'router',
    id,
    name: router.name,
    state: presence?.state ?? 'offline',
    isEnrolled: router.state === 'verified',
    isDisabled: router.disabled,
    isQuiesced: presence?.isQuiesced ?? false,
    group: router.roleAttributes?.[0] ?? '',
    cost: router.cost,
    noTraversal: router.noTraversal,
    circuits: circuitsOver.router.of(id).size,
    version: presence?.versionInfo.version ?? '',
    address: presence?.address ?? '',
    closeReason: presence?.closeReason ?? '',
    sinceMs: (isAway ? presence?.updatedAt : presence.connectedAt) ?? 0,
  };
}

function linkRow({ store, circuitsOver }: Sources, id: string): MapLink | undefined {
  const link = store.table(linkKind).peek(id)?.record;
  if (link === undefined) return undefined;
  const { sourceRouter: from, destRouter: to, state, protocol, staticCost } = link;
  return {
    kind: 'link',
    id,
    from,
    to,
    state,
    isDown: link.down,
    cost: linkCost(link),
    staticCost,
    fromMs: measuredMs(link.sourceLatency),
    toMs: measuredMs(link.destLatency),
    protocol,
    circuits: circuitsOver.link.of(id).size,
    sinceMs: link.failedAt ?? link.createdAt,
  };
}

/** In hundredths of a ms; undefined before it was measured. */
function measuredMs(ns: number): number | undefined {
  return ns < unmeasuredLatencyNs ? Math.round(ns / 10_000) / 100 : undefined;
}

/** The first circuits of a service, and how many it has. */
interface ServiceCircuits {
  readonly circuits: readonly MapCircuit[];
  readonly total: number;
  /** Whether none was left out because a crash could still undo it, or the name of its client. */
  readonly isDurable: boolean;
}

/** The circuits of a service, at most `most` of them. */
export function circuitsOfService(
  { store }: Sources,
  serviceId: string,
  most: number,
): ServiceCircuits {
  const { durableLsn } = store.journal;
  const identities = store.table(identityKind);
  const group = store.table(circuitKind).group('serviceId');
  const circuits: MapCircuit[] = [];
  let isDurable = true;
  for (const { record, lsn } of group.rows(serviceId)) {
    if (circuits.length === most) break;
    const client = identities.peek(record.identityId);
    if (lsn > durableLsn || (client?.lsn ?? 0) > durableLsn) {
      isDurable = false;
      continue;
    }
    const { id, state, identityId: clientId, routers, links } = record;
    const clientName = client?.record.name ?? '';
    circuits.push({ id, state, clientId, clientName, routers, links });
  }
  return { circuits, total: group.count(serviceId), isDurable };
}
