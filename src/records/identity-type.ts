// Identity types: `Default` and `Router`, created by the controller, readable by all callers
// (behaviour/identities#types).

import { name } from '../declare/kinds/field.ts';
import { defineKind } from '../declare/kinds/kind.ts';

/** The stored side of identity types. */
export const identityTypeKind = defineKind({
  kind: 'identityType',
  version: 1,
  fields: { name: name() },
  many: ['identities'],
});
