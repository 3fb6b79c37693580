// Events of what carries traffic: routers, terminators, links and circuits
// (behaviour/events#the-fabric).

import type { EventFields } from '../../observe/events.ts';
import { circuitKind } from '../../records/circuit.ts';
import { type LinkRecord, linkCost, linkIdOf, linkKind } from '../../records/link.ts';
import { type TerminatorRecord, terminatorKind } from '../../records/terminator.ts';
import { circuitEventFields } from '../../routers/circuits/circuit-event.ts';
import { type ChangeSet, isOf } from '../../store/transaction.ts';
import type { CommitSurroundings, LateFields } from './commit-source.ts';
import { presenceChanges } from './presence-changes.ts';

/** Routers that came or went. */
export function routerEvents(changes: ChangeSet): LateFields[] {
  return presenceChanges(changes).map(({ routerId, isOnline }) => ({
    event_type: isOnline ? 'router-online' : 'router-offline',
    router_id: routerId,
    router_online: isOnline,
  }));
}

/** The terminators of routers that came or went, one event for each. */
export function terminatorEvents(changes: ChangeSet, around: CommitSurroundings): LateFields[] {
  const terminators = around.store.table(terminatorKind);
  const events: LateFields[] = [];
  for (const { routerId, isOnline } of presenceChanges(changes)) {
    for (const { record } of terminators.members('router', routerId)) {
      events.push(() => terminatorFields(record, isOnline, around));
    }
  }
  return events;
}

/** Circuits that carry traffic, move to another path, and end. */
export function circuitEvents(
  { changes, timeMs }: ChangeSet,
  { store }: CommitSurroundings,
): LateFields[] {
  const events: LateFields[] = [];
  for (const change of changes) {
    if (!isOf(change, circuitKind)) continue;
    const { before, after } = change;
    const [from, to] = [before?.state, after?.state];
    if (after !== undefined && to === 'active' && from === 'routing') {
      const span = { creation_timespan: (timeMs - after.createdAt) * nsPerMs };
      events.push(() => ({
        event_type: 'created',
        ...circuitEventFields(after, store),
        ...span,
      }));
    } else if (after !== undefined && to === 'active' && from === 'rerouting') {
      events.push(() => ({ event_type: 'pathUpdated', ...circuitEventFields(after, store) }));
    } else if (before !== undefined && after === undefined && from !== 'routing') {
      // One that never carried traffic has failed, and whoever gave it up tells why.
      events.push(() => ({ event_type: 'deleted', ...circuitEventFields(before, store) }));
    }
  }
  return events;
}

/** Links that routers report, change, break and drop. */
export function linkEvents(set: ChangeSet): LateFields[] {
  const events: LateFields[] = [];
  for (const change of set.changes) {
    if (!isOf(change, linkKind)) continue;
    const { before, after } = change;
    const kind = linkChange(before, after, set);
    const link = after ?? before;
    if (kind !== undefined && link !== undefined) {
      events.push(() => ({ event_type: kind, ...linkFields(link) }));
    }
  }
  return events;
}

function terminatorFields(
  terminator: TerminatorRecord,
  isOnline: boolean,
  { dynamicCost, terminatorCounts }: CommitSurroundings,
): EventFields {
  const { service, id, router, hostId, identity, precedence, cost } = terminator;
  const counts = terminatorCounts.of(service);
  return {
    event_type: isOnline ? 'router-online' : 'router-offline',
    service_id: service,
    terminator_id: id,
    router_id: router,
    host_id: hostId ?? '',
    instance_id: identity,
    router_online: isOnline,
    precedence,
    static_cost: cost,
    dynamic_cost: dynamicCost(id),
    total_terminators: counts?.total ?? -1,
    usable_default_terminators: counts?.usable.default ?? -1,
    usable_required_terminators: counts?.usable.required ?? -1,
  };
}

/** The kind of a change of a link; undefined where there is no event for it. */
function linkChange(
  before: LinkRecord | undefined,
  after: LinkRecord | undefined,
  { events }: ChangeSet,
): string | undefined {
  const [from, to] = [before?.state, after?.state];
  if (from !== to) {
    if (to === 'connected') return 'routerLinkNew';
    if (to === 'duplicate') return 'duplicate';
    if (to === 'pending') return 'routerLinkDisconnectedDest';
    return from === 'connected' || from === 'pending' ? 'fault' : undefined;
  }
  if (before?.connections !== after?.connections && !isSame(before, after)) {
    return 'connectionsChanged';
  }
  const isReport = events.some(([, id, event]) => id === after?.id && event === 'report');
  return isReport ? 'routerLinkKnown' : undefined;
}

function isSame(before: LinkRecord | undefined, after: LinkRecord | undefined): boolean {
  return JSON.stringify(before?.connections) === JSON.stringify(after?.connections);
}

function linkFields(link: LinkRecord): EventFields {
  return {
    link_id: linkIdOf(link.id),
    src_router_id: link.sourceRouter,
    dst_router_id: link.destRouter,
    protocol: link.protocol,
    dial_address: link.dialAddress,
    cost: linkCost(link),
    connections: link.connections?.map(({ type, localAddress, remoteAddress }) => ({
      id: type,
      local_addr: localAddress,
      remote_addr: remoteAddress,
    })),
  };
}

const nsPerMs = 1_000_000;
