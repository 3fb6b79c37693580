// Config types: names for kinds of configs, each with the JSON schema its configs must satisfy
// (behaviour/configs#types).

import { userSchemaFault } from '../../declare/resources/user-schema.ts';
import { fieldError } from '../../errors/errors.ts';
import { configTypeKind } from '../../records/config-type.ts';
import { defineResource } from '../context.ts';

/** In lists of config types it means every type, so no type may have this name. */
export const allConfigTypes = 'all';

/** Config types in the management API. */
export const configTypes = defineResource({
  kind: configTypeKind,
  path: 'config-types',
  answered: 'here',
  title: 'config type',
  names: { one: 'ConfigType', many: 'ConfigTypes' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'config-type',
  links: { configs: 'configs' },
  symbolSources: {
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
