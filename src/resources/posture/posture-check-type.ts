// Posture check types: created by the controller, readable for all callers
// (behaviour/posture#types).

import { postureCheckTypeKind } from '../../records/posture-check-type.ts';
import { defineResource } from '../context.ts';

/** Posture check types in the management API. */
export const postureCheckTypes = defineResource({
  kind: postureCheckTypeKind,
  path: 'posture-check-types',
  answered: 'here',
  title: 'posture check type',
  names: { one: 'PostureCheckType', many: 'PostureCheckTypes' },
  verbs: { management: ['list', 'get'] },
  access: { list: 'full', get: 'full' },
});
