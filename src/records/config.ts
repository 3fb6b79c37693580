// Configs: data of a config type that services and identities attach (behaviour/configs).

import Type from 'typebox';
import { field, name, reference } from '../declare/kinds/field.ts';
import { defineKind } from '../declare/kinds/kind.ts';

/** The stored side of configs. */
export const configKind = defineKind({
  kind: 'config',
  version: 1,
  fields: {
    name: name(),
    configTypeId: reference('configType', {
      inverse: 'configs',
      onDelete: 'refuse',
      write: 'create',
    }),
    data: field(Type.Object({}, { additionalProperties: true }), {
      required: true,
      symbol: 'map',
    }),
  },
  many: ['services', 'routers', 'overridingIdentities'],
});
