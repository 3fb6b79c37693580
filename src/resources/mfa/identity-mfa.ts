// Lets an administrator remove MFA from an identity that lost its device (behaviour/mfa#removal).

import { emptyReply } from '../../declare/operations/operation.ts';
import { mfaEnrollmentKind } from '../../records/mfa-enrollment.ts';
import { operation } from '../context.ts';
import { identityToActOn } from '../identities/identity.ts';

/** `/identities/{id}/mfa`. There may be nothing to remove. */
export const removeIdentityMfa = operation({
  id: 'removeIdentityMfa',
  method: 'DELETE',
  path: '/identities/{id}/mfa',
  permission: 'identity.update',
  summary: 'Remove MFA from an identity',
  errors: [401, 404, 429],
  decide(context) {
    const { env, tx, now } = context;
    const { id } = identityToActOn(context);
    const row = env.store.table(mfaEnrollmentKind).findBy('identityId', id);
    const enrollmentId = row?.record.id ?? env.ids.entity();
    env.send(tx, 'mfaEnrollment', enrollmentId, { type: 'remove', now });
    return emptyReply;
  },
});
