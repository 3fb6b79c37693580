// Config types: names for kinds of configs, each with the JSON schema its configs must satisfy
// (behaviour/configs#types).

import Type from 'typebox';
import { baseValues } from '../declare/kinds/compiled.ts';
import { field, name } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

/** The records that the configs of a type are for; those of `other` are attached nowhere. */
const targets = ['service', 'router', 'other'] as const;

/** See `targets`. */
export type ConfigTarget = (typeof targets)[number];

/** Position of the target in the values of a record. */
const targetAt = baseValues + 2;

/** The stored side of config types. */
export const configTypeKind = defineKind({
  kind: 'configType',
  version: 2,
  fields: {
    name: name(),
    /** Without a schema, any object is valid. */
    schema: field(Type.Object({}, { additionalProperties: true }), { fallback: {} }),
    target: field(Type.Enum([...targets]), {
      fallback: 'service',
      write: 'create',
      symbol: 'string',
    }),
  },
  // In version 1 a type without a target was one for services.
  migrations: { 1: (values) => values.with(targetAt, values[targetAt] ?? 'service') },
  many: ['configs'],
});

/** A stored config type. */
export type ConfigTypeRecord = RecordOf<typeof configTypeKind.fields>;
