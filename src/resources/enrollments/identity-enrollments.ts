// The enrollments of one identity: /identities/{id}/enrollments.

import type { Operation } from '../../declare/operation.ts';
import { subList } from '../../declare/sub-list.ts';
import { enrollmentKind } from '../../records/enrollment.ts';
import { identities } from '../identities/identity.ts';
import { enrollments } from './outstanding-enrollment.ts';

/** Outstanding and expired ones; completed ones are gone (behaviour/enrollment#outstanding). */
export const identityEnrollments: Operation = subList({
  id: 'getIdentityEnrollments',
  of: identities,
  lists: enrollments,
  summary: 'List the enrollments of an identity',
  rows({ env }, { record }) {
    const rows = env.store.table(enrollmentKind).members('identityId', record.id);
    return { form: 'rows', rows };
  },
});
