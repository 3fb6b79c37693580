// One-time tokens: finds the enrollment that a request completes (behaviour/enrollment#order).

import type { EnrollmentMethod } from '../../../machines/enrollment.ts';
import { ApiError, fieldError, secretMask } from '../../errors/errors.ts';
import { type EnrollmentRecord, enrollmentKind } from '../../records/enrollment.ts';
import { tokenHash } from '../../records/token-hash.ts';
import type { Context } from '../context.ts';

/** All properties that the methods of enrollment read from a JSON body. */
export interface EnrollBody {
  readonly token?: string;
  /** PEM of the request for a client certificate; existing routers say `certCsr`. */
  readonly clientCsr?: string;
  readonly certCsr?: string;
  /** PEM of a router's request for a server certificate; existing routers say `serverCertCsr`. */
  readonly serverCsr?: string;
  readonly serverCertCsr?: string;
  readonly password?: string;
  /** The requested name of the new identity, if a CA allows one. */
  readonly name?: string;
}

/**
 * The enrollment whose token the request carries, in its query or its body.
 * @throws ApiError INVALID_UUID or COULD_NOT_VALIDATE for a missing token, 404
 *   INVALID_ENROLLMENT_TOKEN for one that is unknown, used up or replaced.
 */
export function enrollmentIn(context: Context<EnrollBody>): EnrollmentRecord {
  const table = context.env.store.table(enrollmentKind);
  const row = table.findBy('tokenHash', tokenHash(tokenIn(context)));
  if (row === undefined) throw new ApiError('INVALID_ENROLLMENT_TOKEN');
  return row.record;
}

/**
 * The same enrollment, completed: its token is invalid from here on, unless the transaction is
 * rolled back because the submitted data is invalid. So of several simultaneous uses one succeeds.
 * @param asked the method that the request names; undefined where it is looked up.
 * @throws ApiError also for another method, INVALID_ENROLL_METHOD, and when it is too late,
 *   ENROLLMENT_EXPIRED.
 */
export function completeEnrollment(
  context: Context<EnrollBody>,
  asked: EnrollmentMethod | undefined,
): EnrollmentRecord {
  const { env, tx, now } = context;
  const enrollment = enrollmentIn(context);
  const method = asked ?? enrollment.method;
  env.send(tx, 'enrollment', enrollment.id, { type: 'complete', now, method });
  return enrollment;
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

function tokenIn({ query, body }: Context<EnrollBody>): string {
  const token = (query.get('token') || body.token || '').toLowerCase();
  if (token === '') throw fieldError('token', 'is required', undefined);
  if (uuid.test(token)) return token;
  const cause = { field: 'token', reason: 'is no UUID', value: secretMask };
  throw new ApiError('INVALID_UUID', { cause });
}
