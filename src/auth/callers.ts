// Who a request comes from: from its session token to the API session and identity behind it.

import type { Caller, Context } from '../declare/operation.ts';
import type { HttpRequest } from '../http/exchange.ts';
import type { RecordBase, Row } from '../store/record.ts';
import { type FactorState, pendingQueries } from './factors.ts';

interface ApiSession extends RecordBase, FactorState {}

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
  return session === undefined ? 'invalid' : callerOf(env, session);
}

/**
 * The caller of an API session as things stand now: before and again after an operation had to
 * wait. `invalid` when it may not call any more.
 */
export function callerAgain(env: Context['env'], before: Caller): Caller | 'invalid' {
  const session = env.store.table<ApiSession>('apiSession').find(before.session.record.id);
  return session === undefined ? 'invalid' : callerOf(env, session);
}

function callerOf(env: Context['env'], session: Row<ApiSession>): Caller | 'invalid' {
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
    // By what is owed now: a policy may ask for more or less than at login (behaviour §4.6.4).
    isPartial: pendingQueries({ env }, session.record).length > 0,
  };
}

/** Whether an identity is disabled at `now`, wall-clock ms (behaviour §4.8.4). */
export function isDisabled(
  { disabledAt, disabledUntil }: Pick<Identity, 'disabledAt' | 'disabledUntil'>,
  now: number,
): boolean {
  return disabledAt !== undefined && (disabledUntil === undefined || disabledUntil > now);
}
