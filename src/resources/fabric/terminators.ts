// Terminators in the fabric API: the same records as in the management API, under other names
// (behaviour/fabric#terminators).

import Type from 'typebox';
import { subList } from '../../declare/resources/sub-list.ts';
import { ApiError } from '../../errors/errors.ts';
import { type DefinedResource, defineResource, type Operation } from '../context.ts';
import {
  checkTerminator,
  commonOfTerminators,
  terminatorFields,
  terminatorSymbols,
} from '../services/terminator.ts';
import { fabricRouters } from './routers.ts';
import { fabricServices } from './services.ts';

/** Every terminator. Those that routers have created for hosts cannot be changed. */
export const fabricTerminators = defineResource({
  ...commonOfTerminators,
  verbs: { fabric: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'admin',
  amended: {
    identity: { as: 'instanceId' },
    identitySecret: { as: 'instanceSecret' },
    hostId: {
      write: 'always',
      show: 'always',
      answerSchema: Type.String(),
      toJson: (id) => id ?? '',
    },
  },
  joined: terminatorFields,
  symbols: [
    'service',
    'service.name',
    'router',
    'router.name',
    'binding',
    'address',
    'instanceId',
    'hostId',
  ],
  symbolSources: terminatorSymbols,
  deleteConflicts: true,
  check(context, draft, _body, stored) {
    if (stored?.isOfRouter) throw new ApiError('ENTITY_CAN_NOT_BE_UPDATED');
    checkTerminator(context, draft, stored, 'instanceId');
  },
  example: {
    service: 'id-of-a-service',
    router: 'id-of-a-router',
    binding: 'transport',
    address: 'tcp:printer.hall:9100',
  },
});

/** The terminators of a service, and of a router. */
export const fabricTerminatorLists: readonly Operation[] = [
  terminatorsOf('listServiceTerminators', fabricServices, 'service'),
  terminatorsOf('listRouterTerminators', fabricRouters, 'router'),
];

function terminatorsOf(id: string, of: DefinedResource, field: 'service' | 'router'): Operation {
  return subList({
    id,
    apis: ['fabric'],
    of,
    lists: fabricTerminators,
    summary: `List the terminators of a ${of.title}`,
    rows: ({ env }, { record }) => ({
      form: 'rows',
      rows: env.store.table(fabricTerminators.kind).members(field, record.id),
    }),
  });
}
