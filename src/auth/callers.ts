// Who a request comes from: from its session token to the API session and identity behind it.

import type { Caller, Context } from '../declare/operation.ts';
import type { HttpRequest } from '../http/exchange.ts';
import type { RecordBase } from '../store/record.ts';
import { type FactorState, pendingQueries } from './factors.ts';

interface ApiSession extends RecordBase, FactorState {
  readonly state: string;
}

interface Identity extends RecordBase {
  readonly isAdmin: boolean;
  readonly isDefaultAdmin: boolean;
  readonly disabledAt: number | undefined;
  readonly disabledUntil: number | undefined;
}

/**
 * The caller by the token in `zt-session` or `net-session` (decision 1); undefined without a token,
 * `invalid` for one that is unknown, ended or idle too long (behaviour §4.7.3), or whose identity
 * is disabled.
 */
export function findCaller(
  env: Context['env'],
  request: HttpRequest,
): Caller | undefined | 'invalid' {
  const token = request.header('zt-session') || request.header('net-session');
  if (token === '') return undefined;
  const session = env.store.table<ApiSession>('apiSession').findBy('token', token);
  if (session === undefined) return 'invalid';
  const identity = env.store.table<Identity>('identity').find(session.record.identityId);
  const now = env.clock.now();
  if (identity === undefined || isDisabled(identity.record, now)) return 'invalid';
  const timeoutMs = env.config.session.timeoutMinutes * 60_000;
  const expiresAt = env.activity.expiresAt(session.slot, timeoutMs);
  if (expiresAt !== undefined && expiresAt <= now) return 'invalid';
  const { isAdmin, isDefaultAdmin } = identity.record;
  return {
    session: session as unknown as Caller['session'],
    identity: identity.record,
    isAdmin: isAdmin || isDefaultAdmin,
    isPartial:
      session.record.state !== 'full' || pendingQueries({ env }, session.record).length > 0,
  };
}

function isDisabled({ disabledAt, disabledUntil }: Identity, now: number): boolean {
  return disabledAt !== undefined && (disabledUntil === undefined || disabledUntil > now);
}
