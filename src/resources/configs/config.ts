// Configs: data of a config type that services and identities attach (behaviour/configs).

import { defineResource } from '../../declare/crud.ts';
import { joinedReference } from '../../declare/joined.ts';
import { userSchemaProblem } from '../../declare/user-schema.ts';
import { fieldError } from '../../errors.ts';
import { configKind } from '../../records/config.ts';
import { configTypeKind } from '../../records/config-type.ts';

/** Configs in the management API. */
export const configs = defineResource({
  kind: configKind,
  path: 'configs',
  title: 'config',
  names: { one: 'Config', many: 'Configs' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'config',
  links: { services: 'services' },
  joined: { configType: joinedReference('configType', 'configTypeId') },
  symbols: ['name', 'type', 'data'],
  symbolSources: { type: 'configTypeId' },
  deleteConflicts: true,
  check(context, draft) {
    const types = context.env.store.table(configTypeKind);
    const { schema } = types.find(draft.configTypeId)?.record ?? {};
    if (schema === undefined) return;
    const problem = userSchemaProblem(schema, draft.data);
    if (problem === undefined) return;
    const path = problem.field === '' ? 'data' : `data.${problem.field}`;
    throw fieldError(path, problem.reason, problem.value);
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
