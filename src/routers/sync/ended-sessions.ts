// Tells routers at once of API sessions and sessions that have ended, or lost their access.

import { type ApiSessionRecord, apiSessionKind } from '../../records/api-session.ts';
import { identityKind } from '../../records/identity.ts';
import { sessionKind } from '../../records/session.ts';
import { type CommittedChange, isOf } from '../../store/transaction.ts';
import type { RoutersEnvironment } from '../context.ts';
import { type ApiSessionMessages, sessionsRemovedMessage } from './api-session-messages.ts';
import { keyOf, policiesOf } from './by-policy.ts';
import { type KnownSessions, take } from './known-sessions.ts';
import type { SessionGroup } from './session-groups.ts';

/** An API session that owes no factor. */
export function isUsable(record: ApiSessionRecord | undefined): record is ApiSessionRecord {
  return record?.state === 'full';
}

/**
 * Whether routers are told of an API session: not of one with JWTs, which they check themselves.
 */
export function isTold(record: ApiSessionRecord | undefined): record is ApiSessionRecord {
  return isUsable(record) && record.token !== undefined;
}

/** Tells routers of everything that these changes have ended. */
export function sendEnded(
  env: RoutersEnvironment,
  known: KnownSessions,
  messages: ApiSessionMessages,
  changes: readonly CommittedChange[],
): void {
  // Sessions first: with its last API session, an identity is forgotten.
  sendEndedSessions(env, known, changes);
  let ended: Map<SessionGroup, ApiSessionRecord[]> | undefined;
  for (const change of changes) {
    if (!isOf(change, apiSessionKind)) continue;
    const { row, before, after } = change;
    if (!isTold(before) || isTold(after)) continue;
    const group = known.sessions.delete(row, before.identityId);
    if (group === undefined) continue;
    ended ??= new Map();
    const others = ended.get(group);
    if (others === undefined) ended.set(group, [before]);
    else others.push(before);
  }
  if (ended === undefined) return;
  for (const [{ policies }, records] of ended) {
    const told = [...known.routers.under(policies)];
    if (told.length > 0) take(told, messages.removed(records));
  }
}

function sendEndedSessions(
  env: RoutersEnvironment,
  known: KnownSessions,
  changes: readonly CommittedChange[],
): void {
  let ended: Map<string, { policies: readonly string[] | undefined; ids: string[] }> | undefined;
  for (const change of changes) {
    if (!isOf(change, sessionKind) || change.after !== undefined) continue;
    const { before } = change;
    if (before === undefined) continue;
    const policies = policiesOfOwner(env, known, before.identityId);
    const key = policies === undefined ? 'all' : keyOf(policies);
    ended ??= new Map();
    const others = ended.get(key);
    if (others === undefined) ended.set(key, { policies, ids: [before.id] });
    else others.ids.push(before.id);
  }
  if (ended === undefined) return;
  for (const { policies, ids } of ended.values()) {
    const told = [
      ...(policies === undefined ? known.routers.all() : known.routers.under(policies)),
    ];
    if (told.length > 0) take(told, sessionsRemovedMessage(ids));
  }
}

/** The policies of an identity as its routers know it; undefined for an unknown one. */
function policiesOfOwner(
  env: RoutersEnvironment,
  { sessions }: KnownSessions,
  identityId: string,
): readonly string[] | undefined {
  const group = sessions.groupOf(identityId);
  if (group !== undefined) return group.policies;
  const slot = env.store.table(identityKind).peek(identityId)?.slot;
  return slot === undefined ? undefined : policiesOf(env, 'identity', slot);
}
