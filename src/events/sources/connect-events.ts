// Who has connected to the controller (behaviour/events#connections).

import { apiSessionKind } from '../../records/api-session.ts';
import { routerPresenceKind } from '../../records/router-presence.ts';
import { isConnected } from '../../routers/presences.ts';
import { type ChangeSet, isOf } from '../../store/transaction.ts';
import type { CommitSurroundings, LateFields } from './commit-source.ts';

/** Routers with their control channel, and identities with a new API session. */
export function connectEvents(
  { changes }: ChangeSet,
  { sourceId, addresses }: CommitSurroundings,
): LateFields[] {
  const events: LateFields[] = [];
  const connected = (type: string, id: string, address: string, to: string) => ({
    src_type: type,
    src_id: id,
    src_addr: address,
    dst_type: 'ctrl',
    dst_id: sourceId(),
    dst_addr: to,
  });
  for (const change of changes) {
    if (isOf(change, routerPresenceKind)) {
      const { before, after, row } = change;
      const wasOnline = before !== undefined && isConnected(before);
      if (after === undefined || !isConnected(after) || wasOnline) continue;
      events.push(connected('router', row.id, after.address, addresses.control));
    } else if (isOf(change, apiSessionKind)) {
      const { before, after } = change;
      if (before !== undefined || after === undefined) continue;
      events.push(connected('identity', after.identityId, after.ipAddress, addresses.authority));
    }
  }
  return events;
}
