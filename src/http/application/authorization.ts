// Decides whether the caller of a request has the right to its operation.

import { type BadToken, badTokenRefused } from '../../auth/callers.ts';
import type { AuthEnvironment } from '../../auth/context.ts';
import { factorOwed } from '../../auth/factors.ts';
import type { AnyOperation, Caller, Context } from '../../declare/operations/operation.ts';
import { ApiError, notPermitted, tokenMissing } from '../../errors/errors.ts';
import type { RequestContext } from './request-context.ts';

/** The caller of a request: undefined without a token. */
export type FoundCaller = Caller | undefined | BadToken;

/**
 * Makes the caller known to the request if they may use the operation.
 * @throws ApiError 401 or, for two operations, 403 (behaviour/requests#rights).
 */
export function authorize(
  context: RequestContext<AuthEnvironment>,
  operation: AnyOperation,
  caller: FoundCaller,
): void {
  const { access, refusal } = operation;
  context.callerIfAny = typeof caller === 'object' ? caller : undefined;
  if (access === 'public') return;
  if (caller === undefined) throw tokenMissing();
  if (typeof caller === 'string') throw badTokenRefused(caller);
  if (access === 'partial') return;
  if (caller.isPartial) throw factorOwed(context, caller);
  if (access === 'full' || caller.isAdmin) return;
  if (isOpen(context, operation, caller)) return;
  if (refusal !== undefined) throw notPermitted(refusal);
  throw new ApiError('UNAUTHORIZED', access === 'admin-or-403' ? { status: 403 } : {});
}

/**
 * Whether a permission of the caller opens an operation. Permissions have no effect in the client
 * API, and are read from the identity with each request (behaviour/permissions#effect).
 */
function isOpen(
  { api }: Pick<Context, 'api'>,
  { openedBy }: AnyOperation,
  { identity }: Caller,
): boolean {
  return api !== 'client' && identity.permissions.some((name) => openedBy.includes(name));
}
