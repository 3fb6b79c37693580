// Configs: data of a config type that services and identities attach (behaviour/configs).

import Type from 'typebox';
import { joinedReference } from '../../declare/resources/joined.ts';
import { userSchemaProblem } from '../../declare/resources/user-schema.ts';
import type { SchemaProblem } from '../../declare/resources/validate.ts';
import { type ApiError, fieldError } from '../../errors/errors.ts';
import { configKind } from '../../records/config.ts';
import { configTypeKind } from '../../records/config-type.ts';
import { defineResource } from '../context.ts';

/** Configs in the management API. */
export const configs = defineResource({
  kind: configKind,
  path: 'configs',
  answered: 'here',
  title: 'config',
  names: { one: 'Config', many: 'Configs' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'config',
  // An empty id is unknown like any other.
  inputs: { create: { configTypeId: Type.String({ maxLength: 200 }) } },
  links: { services: 'services' },
  joined: { configType: joinedReference('configType', 'configTypeId') },
  symbolSources: { type: 'configTypeId' },
  deleteConflicts: true,
  check(context, draft) {
    const { configTypeId } = draft;
    const type = context.env.store.table(configTypeKind).find(configTypeId)?.record;
    if (type === undefined) throw fieldError('type', 'no config type has this id', configTypeId);
    const problem = userSchemaProblem(type.schema, draft.data);
    if (problem !== undefined) throw dataError(problem);
  },
  example: {
    name: 'printer-hall',
    configTypeId: 'g7cIWbcGg',
    data: {
      protocols: ['tcp'],
      addresses: ['printer.hall'],
      portRanges: [{ low: 9100, high: 9100 }],
    },
  },
});

/**
 * The error for data that its schema refuses. OpenZiti's tools know the field by its path within
 * the data, `(root)` for the data themselves; a missing property is the fault of its object
 * (behaviour/configs#causes).
 */
function dataError({ field, lacking = field, reason, value }: SchemaProblem): ApiError {
  const cause = lacking === field ? reason : `${field} ${reason}`;
  return fieldError(lacking === '' ? '(root)' : lacking, cause, value);
}
