// Makes room for one more API session of an identity that has reached its limit.

import { apiSessionKind } from '../../records/api-session.ts';
import type { Context } from '../context.ts';

/** API sessions that one login ends, if an identity has more than its limit. @bound */
const endedAtOnceMax = 8;

/**
 * Ends the API session of an identity that has been idle longest, if the identity has
 * `apiSessionsPerIdentityMax` of them. It counts as ended with this transaction; its rows are
 * removed in the same frame, or by deferred cascades when they are many. Sessions that are already
 * being removed do not count. Examining a thousand takes 10 to 20 µs.
 */
export function endIdlestSession(context: Pick<Context, 'env' | 'tx'>, identityId: string): void {
  const { store, limits, registry } = context.env;
  const table = store.table(apiSessionKind);
  const most = limits.apiSessionsPerIdentityMax;
  let count = table.group('identityId').count(identityId);
  if (count < most) return;
  if (table.mayHoldDeleted) count = [...table.members('identityId', identityId)].length;
  for (let left = Math.min(count - most + 1, endedAtOnceMax); left > 0; left--) {
    const id = table.inSlot(idlestSlot(context, identityId))?.id;
    if (id !== undefined) registry.cascades.remove(context.tx, 'apiSession', id);
  }
}

/** -1 if the identity has no API session. */
function idlestSlot({ env }: Pick<Context, 'env'>, identityId: string): number {
  const { store, activity } = env;
  const table = store.table(apiSessionKind);
  const { mayHoldDeleted } = table;
  let idlest = -1;
  let idleSince = Number.POSITIVE_INFINITY;
  table.group('identityId').eachSlot(identityId, (slot) => {
    const at = activity.lastActivityAt(slot) ?? 0;
    if (at >= idleSince || (mayHoldDeleted && table.at(slot) === undefined)) return;
    idlest = slot;
    idleSince = at;
  });
  return idlest;
}
