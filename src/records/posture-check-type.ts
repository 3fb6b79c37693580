// Posture check types: created by the controller, readable by all callers
// (behaviour/posture#types).

import Type from 'typebox';
import { field, name } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

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

/** A stored posture check type. */
export type PostureCheckTypeRecord = RecordOf<typeof postureCheckTypeKind.fields>;
