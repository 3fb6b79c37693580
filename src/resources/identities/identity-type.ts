// Identity types: `Default` and `Router`, created by the controller, readable for all callers
// (behaviour/identities#types).

import { identityTypeKind } from '../../records/identity-type.ts';
import { defineResource } from '../context.ts';

/** Identity types in the management API. */
export const identityTypes = defineResource({
  kind: identityTypeKind,
  path: 'identity-types',
  answered: 'here',
  title: 'identity type',
  names: { one: 'IdentityType', many: 'IdentityTypes' },
  verbs: { management: ['list', 'get'] },
  access: { list: 'full', get: 'full' },
});
