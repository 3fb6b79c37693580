// Finds the caller of a request: the API session and the identity of its session token.

import type { Caller } from '../declare/operations/operation.ts';
import { type ApiSessionRecord, apiSessionKind } from '../records/api-session.ts';
import { type IdentityRecord, identityKind } from '../records/identity.ts';
import { tokenHash } from '../records/token-hash.ts';
import type { Row } from '../store/record.ts';
import type { ChangeSet } from '../store/transaction.ts';
import type { AuthEnvironment, Context } from './context.ts';
import { type FactorContext, factorsOf } from './factors.ts';
import { expiryOf } from './sessions/session-expiry.ts';

/**
 * The caller by the token in `zt-session` or `net-session` (behaviour/api-sessions#tokens);
 * undefined without a token, `invalid` for one that is unknown, ended or idle too long
 * (behaviour/api-sessions#idle), or whose identity is disabled.
 */
export function findCaller(
  context: FactorContext & { readonly request: Pick<Context['request'], 'header'> },
): Caller | undefined | 'invalid' {
  const { env, request } = context;
  const token = request.header('zt-session') || request.header('net-session');
  if (token === '') return undefined;
  const session = env.store.table(apiSessionKind).findBy('tokenHash', tokenHash(token));
  return session === undefined ? 'invalid' : callerOf(context, session, token);
}

/**
 * The caller of an API session in the present state, used before and after an operation has to
 * wait. `invalid` when the session may not call any more.
 */
export function callerAgain(context: FactorContext, before: Caller): Caller | 'invalid' {
  const session = context.env.store.table(apiSessionKind).find(before.session.record.id);
  return session === undefined ? 'invalid' : callerOf(context, session, before.token);
}

function callerOf(
  context: FactorContext,
  session: Row<ApiSessionRecord>,
  token: string,
): Caller | 'invalid' {
  const { env } = context;
  const identity = env.store.table(identityKind).find(session.record.identityId);
  const now = env.clock.now();
  if (identity === undefined || isDisabled(identity.record, now)) return 'invalid';
  if (hasExpired(env, session, now)) return 'invalid';
  const { isAdmin, isDefaultAdmin } = identity.record;
  // Based on the factors owed now: a policy may ask for more or less than at login
  // (behaviour/api-sessions#per-request).
  const { queries, secondFactorUntil } = factorsOf(context, session.record);
  return {
    session,
    token,
    identity: identity.record,
    isAdmin: isAdmin || isDefaultAdmin,
    isPartial: queries.length > 0,
    secondFactorUntil,
  };
}

/** Kinds of the records that make a caller what it is. */
const callerKinds: ReadonlySet<string> = new Set([
  'apiSession',
  'authPolicy',
  'externalJwtSigner',
  'identity',
  'mfaEnrollment',
]);

/**
 * Whether a commit may have taken a caller's right. It is called within each commit, so it looks
 * only at the kinds.
 */
export function concernsCallers({ changes }: ChangeSet): boolean {
  return changes.some(({ table }) => callerKinds.has(table.kind));
}

/** Whether an API session was idle too long at `now`, wall-clock ms, or its life is over. */
export function hasExpired(
  { activity, config }: Pick<AuthEnvironment, 'activity' | 'config'>,
  { slot, record: { createdAt } }: Row<ApiSessionRecord>,
  now: number,
): boolean {
  const activeAt = activity.lastActivityAt(slot);
  return activeAt !== undefined && expiryOf(config, createdAt, activeAt) <= now;
}

/** Whether an identity is disabled at `now`, wall-clock ms (behaviour/identities#disabling). */
export function isDisabled(
  { disabledAt, disabledUntil }: Pick<IdentityRecord, 'disabledAt' | 'disabledUntil'>,
  now: number,
): boolean {
  return disabledAt !== undefined && (disabledUntil === undefined || disabledUntil > now);
}
