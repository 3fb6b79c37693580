// Administrators and holders of permissions: whom a caller may act on, and which records that
// decide about logins count for them (behaviour/permissions).

import type { Caller } from '../declare/operations/operation.ts';
import { includesPermission } from '../declare/resources/permission-names.ts';
import { notPermitted } from '../errors/errors.ts';
import { type IdentityRecord, identityKind } from '../records/identity.ts';
import type { Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { Context } from './context.ts';

type Rights = Pick<IdentityRecord, 'isAdmin' | 'isDefaultAdmin' | 'permissions'>;

/** Whether an identity is an administrator, the default one included. */
export function isAdministrator({
  isAdmin,
  isDefaultAdmin,
}: Pick<IdentityRecord, 'isAdmin' | 'isDefaultAdmin'>): boolean {
  return isAdmin || isDefaultAdmin;
}

/**
 * Whether an identity has rights in the management API: an administrator or a permission holder.
 */
export function isPrivileged(identity: Rights): boolean {
  return isAdministrator(identity) || identity.permissions.length > 0;
}

/** The rows of all administrators and permission holders; of some of them twice. */
export function* privilegedIdentities(store: Store): Iterable<Row<IdentityRecord>> {
  const table = store.table(identityKind);
  yield* table.members('isAdmin', 'true');
  yield* table.members('permissions', 'true');
}

/**
 * Whether a caller may act on an identity: write below it, touch its enrollments, authenticators
 * and sessions, or read its tokens. One who is no administrator may not act on an administrator,
 * nor on a holder of a permission that the caller lacks (behaviour/permissions#whom).
 */
export function mayActOn({ isAdmin, identity }: Caller, target: Rights): boolean {
  if (isAdmin) return true;
  if (isAdministrator(target)) return false;
  return target.permissions.every((name) => includesPermission(identity.permissions, name));
}

/** `mayActOn` for an id; nobody has rights that an unknown identity could lose. */
export function mayActOnId(
  { env, caller }: Pick<Context, 'env' | 'caller'>,
  id: string | undefined,
): boolean {
  const row = id === undefined ? undefined : env.store.table(identityKind).find(id);
  return row === undefined || mayActOn(caller, row.record);
}

/**
 * @param status as `notPermitted`
 * @throws ApiError 401 with a cause, or 403, unless the caller may act on the identity.
 */
export function refuseActingOn(
  context: Pick<Context, 'env' | 'caller'>,
  identityId: string | undefined,
  status?: 403,
): void {
  if (mayActOnId(context, identityId)) return;
  throw notPermitted('the identity has rights that the caller lacks', status);
}

/** A record that decides who may log in: an auth policy, an external JWT signer, a CA. */
export interface LoginRule {
  /**
   * A caller who is no administrator made it, or changed what it decides, since an administrator
   * last wrote it.
   */
  readonly isUnconfirmed?: boolean | undefined;
}

/**
 * Whether an auth policy counts for an identity. An unconfirmed one counts for nobody with rights
 * in the management API. Unconfirmed signers and CAs count for nobody at all, because the holder of
 * their keys chooses the identity (behaviour/permissions#unconfirmed).
 */
export function countsFor({ isUnconfirmed }: LoginRule, identity: Rights): boolean {
  return isUnconfirmed !== true || !isPrivileged(identity);
}
