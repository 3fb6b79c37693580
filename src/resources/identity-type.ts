// Identity types: `Default` and `Router`, made by the controller, read by everybody (behaviour
// §3.5).

import { defineResource } from '../declare/crud.ts';
import { name } from '../declare/field.ts';
import { defineKind } from '../declare/kind.ts';

/** The stored side of identity types. */
export const identityTypeKind = defineKind({
  kind: 'identityType',
  version: 1,
  fields: { name: name() },
  many: ['identities'],
});

/** Identity types in the management API. */
export const identityTypes = defineResource({
  kind: identityTypeKind,
  path: 'identity-types',
  title: 'identity type',
  names: { one: 'IdentityType', many: 'IdentityTypes' },
  verbs: { management: ['list', 'get'] },
  access: { list: 'full', get: 'full' },
  symbols: ['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'name'],
});
