// Config types: names for kinds of configs, each with the JSON schema its configs must satisfy
// (behaviour/configs#types).

import Type from 'typebox';
import { field, name, optional } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';

/** The stored side of config types. */
export const configTypeKind = defineKind({
  kind: 'configType',
  version: 1,
  fields: {
    name: name(),
    /** Without one any object satisfies it. */
    schema: field(Type.Object({}, { additionalProperties: true }), { fallback: {} }),
    /** What configs of the type are for; router ones cannot override a service's. */
    target: optional(Type.Union([Type.Literal('service'), Type.Literal('router')]), {
      symbol: 'string',
    }),
  },
  many: ['configs'],
});

/** A stored config type. */
export type ConfigTypeRecord = RecordOf<typeof configTypeKind.fields>;
