// Events of API sessions and sessions (behaviour/events#api-sessions-and-sessions).

import { secretMask } from '../../errors/errors.ts';
import { type ApiSessionRecord, apiSessionKind, sortOf } from '../../records/api-session.ts';
import { type AuthenticatorRecord, authenticatorKind } from '../../records/authenticator.ts';
import { type SessionRecord, sessionKind } from '../../records/session.ts';
import { type ChangeSet, isOf } from '../../store/transaction.ts';
import type { CommitSurroundings, LateFields } from './commit-source.ts';

/** API sessions that were created or have ended. */
export function apiSessionEvents({ changes }: ChangeSet): LateFields[] {
  const events: LateFields[] = [];
  for (const change of changes) {
    if (!isOf(change, apiSessionKind)) continue;
    const { before, after } = change;
    if (before === undefined && after !== undefined) {
      events.push(() => apiSessionFields('created', after));
    } else if (before !== undefined && after === undefined) {
      events.push(() => apiSessionFields('deleted', before));
    }
  }
  return events;
}

/** Sessions that were created or have ended. */
export function sessionEvents({ changes }: ChangeSet): LateFields[] {
  const events: LateFields[] = [];
  for (const change of changes) {
    if (!isOf(change, sessionKind)) continue;
    const { before, after } = change;
    if (before === undefined && after !== undefined) {
      events.push(() => sessionFields('created', after));
    } else if (before !== undefined && after === undefined) {
      events.push(() => sessionFields('deleted', before));
    }
  }
  return events;
}

/** Logins; those that were refused are told by `RefusedLogins`. */
export function authenticationEvents(
  { changes }: ChangeSet,
  { store }: CommitSurroundings,
): LateFields[] {
  const events: LateFields[] = [];
  for (const change of changes) {
    if (!isOf(change, apiSessionKind)) continue;
    const { before, after } = change;
    if (before !== undefined || after === undefined) continue;
    const { authenticatorId, identityId, ipAddress } = after;
    events.push(() => ({
      event_type: 'success',
      method: methodOf(store.table(authenticatorKind).peek(authenticatorId)?.record.method),
      identity_id: identityId,
      authenticator_id: authenticatorId,
      remote_address: ipAddress,
      success: true,
    }));
  }
  return events;
}

/** The name of a method in the query of a login; those of external JWTs have no authenticator. */
function methodOf(method: AuthenticatorRecord['method'] | undefined): string {
  if (method === undefined) return 'ext-jwt';
  return method === 'updb' ? 'password' : method;
}

type Change = 'created' | 'deleted';

/** The token is masked; OpenZiti sends it. */
function apiSessionFields(change: Change, session: ApiSessionRecord) {
  const { id, identityId, ipAddress } = session;
  return {
    event_type: change,
    id,
    type: sortOf(session),
    token: secretMask,
    identity_id: identityId,
    ip_address: ipAddress,
  };
}

function sessionFields(change: Change, session: SessionRecord) {
  return {
    event_type: change,
    session_type: session.type,
    provider: 'legacy',
    id: session.id,
    token: secretMask,
    api_session_id: session.apiSessionId,
    identity_id: session.identityId,
    service_id: session.serviceId,
  };
}
