// Turns an authenticator back into an enrollment: /authenticators/{id}/re-enroll
// (behaviour/enrollment#revert).

import Type from 'typebox';
import type { EnrollmentMethod } from '../../../machines/enrollment.ts';
import { created } from '../../declare/operations/operation.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { type AuthenticatorRecord, authenticatorKind } from '../../records/authenticator.ts';
import { enrollmentKind } from '../../records/enrollment.ts';
import { type Context, type Operation, operation } from '../context.ts';
import {
  explained,
  moment,
  newEnrollment,
  type SignedEnrollment,
  signEnrollment,
  signedInTime,
} from '../enrollments/enrollment.ts';
import { authenticators } from './managed-authenticator.ts';

/** The operation. The authenticator is gone with its answer. */
export const revertAuthenticator: Operation = operation({
  id: 'reEnrollAuthenticator',
  method: 'POST',
  path: '/authenticators/{id}/re-enroll',
  permission: 'admin',
  summary: 'Turn an authenticator back into an enrollment of its kind',
  success: 201,
  body: Type.Object({ expiresAt: Type.String({ format: 'date-time' }) }),
  errors: [400, 401, 404, 409, 429],
  creates: true,
  prepare(context) {
    const expiresAt = moment('expiresAt', context.body.expiresAt);
    const row = context.env.store.table(authenticatorKind).find(context.params['id'] ?? '');
    if (row === undefined) return undefined;
    context.restsOn('authenticator', row);
    const record = row.record;
    const { identityId } = record;
    const wanted = { method: methodOf(record), subject: identityId, identityId, expiresAt };
    return signEnrollment(context, wanted);
  },
  decide(context, signed) {
    const record = rowOf(context, authenticators).record;
    return created('enrollments', revert(context, record, signedInTime(signed)));
  },
});

/** Returns the id of the enrollment. @throws ApiError 409 if one of that method exists. */
function revert(
  context: Context,
  { id, identityId, caId }: AuthenticatorRecord,
  signed: SignedEnrollment,
): string {
  const { env, tx, now } = context;
  const fields = newEnrollment(context, signed);
  const key = `${identityId}/${signed.method}`;
  const holder = env.store.table(enrollmentKind).findBy('method', key)?.record;
  const enrollmentId = holder?.id ?? fields.id;
  explained(signed, () =>
    env.send(tx, 'authenticator', id, { type: 'revert', now, enrollmentId, caId, fields }),
  );
  return enrollmentId;
}

/** As in the machine: a certificate of ours becomes an enrollment by token alone. */
function methodOf({ method, caId }: AuthenticatorRecord): EnrollmentMethod {
  if (method === 'updb') return 'updb';
  return caId === undefined ? 'ott' : 'ottca';
}
