// Routers that a commit connects or disconnects.

import { routerPresenceKind } from '../../records/router-presence.ts';
import { isConnected } from '../../routers/presences.ts';
import { type ChangeSet, isOf } from '../../store/transaction.ts';

/** A router that came or went. */
export interface PresenceChange {
  readonly routerId: string;
  readonly isOnline: boolean;
}

/** Those of one commit. */
export function presenceChanges({ changes }: ChangeSet): PresenceChange[] {
  const found: PresenceChange[] = [];
  for (const change of changes) {
    if (!isOf(change, routerPresenceKind)) continue;
    const { before, after } = change;
    const wasOnline = before !== undefined && isConnected(before);
    const isOnline = after !== undefined && isConnected(after);
    if (wasOnline !== isOnline) found.push({ routerId: change.row.id, isOnline });
  }
  return found;
}
