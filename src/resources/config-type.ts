// Config types: names for kinds of configs, each with the JSON schema its configs must satisfy
// (behaviour §3.6).

import Type from 'typebox';
import { defineResource } from '../declare/crud.ts';
import { field, name, optional } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';
import { userSchemaFault } from '../declare/user-schema.ts';
import { fieldError } from '../errors.ts';

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

/** In lists of config types it stands for every type, so no type may be named so. */
export const allConfigTypes = 'all';

/** Config types in the management API. */
export const configTypes = defineResource({
  kind: configTypeKind,
  path: 'config-types',
  title: 'config type',
  names: { one: 'ConfigType', many: 'ConfigTypes' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  links: { configs: 'configs' },
  symbols: [...['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'name', 'schema', 'target']],
  readings: {
    schema: {
      type: 'string',
      read: ({ schema }) => (Object.keys(schema).length === 0 ? undefined : JSON.stringify(schema)),
    },
  },
  deleteConflicts: true,
  check(_context, draft) {
    if (draft.name === allConfigTypes) throw fieldError('name', 'is reserved', draft.name);
    const { schema } = draft;
    if (Object.keys(schema).length === 0) return;
    if ((schema as { type?: unknown }).type !== 'object') {
      throw fieldError('schema', 'its root type must be object', schema);
    }
    const fault = userSchemaFault(schema);
    if (fault !== undefined) throw fieldError('schema', fault, schema);
  },
  example: {
    name: 'printer.v1',
    schema: { type: 'object', properties: { tray: { type: 'integer' } }, required: ['tray'] },
  },
});
