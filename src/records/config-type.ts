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
    /** Without a schema, any object is valid. */
    schema: field(Type.Object({}, { additionalProperties: true }), { fallback: {} }),
    /** The target of the type's configs; router configs cannot override a service's. */
    target: optional(Type.Union([Type.Literal('service'), Type.Literal('router')]), {
      symbol: 'string',
    }),
  },
  many: ['configs'],
});

/** A stored config type. */
export type ConfigTypeRecord = RecordOf<typeof configTypeKind.fields>;
