// The terminators of one service, for administrators and for clients that may use it
// (behaviour/services#terminators).

import Type from 'typebox';
import { listReply, type RowSource } from '../../declare/list.ts';
import { type Context, type Operation, operation } from '../../declare/operation.ts';
import { subList } from '../../declare/sub-list.ts';
import { terminatorKind } from '../../records/terminator.ts';
import { services, visibleService } from './service.ts';
import { clientTerminators, terminators } from './terminator.ts';

/** The operations of both APIs; the client's operation shows fewer fields and fewer services. */
export const serviceTerminators: readonly Operation[] = [
  subList({
    id: 'listServiceTerminators',
    of: services,
    lists: terminators,
    summary: 'List the terminators of a service',
    rows: (context, { record }) => terminatorsOf(context, record.id),
  }),
  operation({
    id: 'listServiceTerminators',
    apis: ['client'],
    method: 'GET',
    path: '/services/{id}/terminators',
    access: 'full',
    summary: 'List the terminators of a service that policies let the caller dial or bind',
    answer: Type.Array(clientTerminators.answerSchema),
    isList: true,
    errors: [400, 401, 404, 429],
    decide(context) {
      const { record } = visibleService(context, context.params['id'] ?? '');
      const compiled = context.env.registry.of(clientTerminators);
      return listReply(context, compiled, terminatorsOf(context, record.id));
    },
  }),
];

function terminatorsOf({ env }: Context, serviceId: string): RowSource {
  return { form: 'rows', rows: env.store.table(terminatorKind).members('service', serviceId) };
}
