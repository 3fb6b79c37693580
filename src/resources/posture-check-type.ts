// Posture check types: made by the controller, read by everybody (behaviour §3.5).

import Type from 'typebox';
import { defineResource } from '../declare/crud.ts';
import { field, name } from '../declare/field.ts';
import { defineKind } from '../declare/kind.ts';

/** The stored side of posture check types. */
export const postureCheckTypeKind = defineKind({
  kind: 'postureCheckType',
  version: 1,
  fields: {
    name: name(),
    version: field(Type.String(), { fallback: '1' }),
    operatingSystems: field(
      Type.Array(Type.Object({ type: Type.String(), versions: Type.Array(Type.String()) })),
      { fallback: [] },
    ),
  },
  many: ['postureChecks'],
});

/** Posture check types in the management API. */
export const postureCheckTypes = defineResource({
  kind: postureCheckTypeKind,
  path: 'posture-check-types',
  title: 'posture check type',
  names: { one: 'PostureCheckType', many: 'PostureCheckTypes' },
  verbs: { management: ['list', 'get'] },
  access: { list: 'full', get: 'full' },
  symbols: ['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'name'],
});
