// Services that identities dial and bind (behaviour/services).

import Type from 'typebox';
import { roleParameters } from '../../declare/lists/list-query.ts';
import { detail } from '../../declare/operations/operation.ts';
import { ApiError, notFound, notPermitted } from '../../errors/errors.ts';
import { identityKind } from '../../records/identity.ts';
import { type ServiceRecord, serviceKind } from '../../records/service.ts';
import type { Row } from '../../store/record.ts';
import { checkAttachedConfigs } from '../configs/attached-configs.ts';
import { servicesConfig } from '../configs/service-config.ts';
import { type Context, type DefinedResource, defineResource, operation } from '../context.ts';
import { serviceSets } from '../policies/access-sets.ts';
import { checkRoleAttributes } from '../policies/member-attributes.ts';
import { postureQueriesSchema, postureQueriesText } from '../posture/posture-queries.ts';
import { permissionsOf, permissionTexts } from './service-permissions.ts';
import { visibleList } from './visible-services.ts';

/** Services in the management API, and changes by administrators in both (behaviour/services). */
export const services: DefinedResource<typeof serviceKind.fields> = defineResource({
  kind: serviceKind,
  without: 'isFabricOnly',
  path: 'services',
  answered: 'unasked',
  title: 'service',
  names: { one: 'Service', many: 'Services' },
  verbs: {
    management: ['list', 'get', 'create', 'update', 'patch', 'delete'],
    client: ['update', 'patch', 'delete'],
  },
  permission: 'service',
  links: {
    'service-edge-router-policies': 'service-edge-router-policies',
    'service-policies': 'service-policies',
    terminators: 'terminators',
    configs: 'configs',
  },
  joined: {
    config: {
      schema: Type.Record(Type.String(), Type.Unknown()),
      text: (record, context) => servicesConfig(context, record),
    },
    permissions: {
      schema: Type.Array(Type.Enum(['Dial', 'Bind', 'Invalid'])),
      text: (record, context) => permissionTexts[permissionsOf(context, record)],
    },
    postureQueries: {
      schema: postureQueriesSchema,
      text: (record, context) => postureQueriesText(context, record),
    },
  },
  linkedSets: serviceSets,
  viewOptions: {
    query: { asIdentity: Type.String(), configTypes: Type.Array(Type.String()) },
    apply: seeAsAsked,
  },
  deleteConflicts: true,
  check(context, draft, body) {
    checkRoleAttributes(context, draft);
    checkAttachedConfigs(context, body, 'service');
  },
  operations: [
    operation({
      id: 'listServices',
      apis: ['client'],
      path: '/services',
      answered: 'unasked',
      access: 'full',
      summary: 'List the services that policies let the caller dial or bind',
      answer: () => Type.Array(services.answerSchema),
      isList: true,
      errors: [400, 401, 429],
      query: { ...roleParameters, configTypes: Type.Array(Type.String()) },
      decide: (context) => visibleList(context),
    }),
    operation({
      id: 'detailService',
      apis: ['client'],
      path: '/services/{id}',
      answered: 'unasked',
      access: 'full',
      summary: 'Get one service that policies let the caller dial or bind',
      answer: () => services.answerSchema,
      errors: [401, 404, 429],
      decide(context) {
        const { record } = visibleService(context, context.params['id'] ?? '');
        const { view } = context.env.registry.at('services');
        return detail(view.chunks(record, context));
      },
    }),
  ],
  example: { name: 'printer', encryptionRequired: true, roleAttributes: ['printers'] },
});

/** The row of a service that the caller may dial or bind. @throws ApiError NOT_FOUND. */
export function visibleService(context: Context, id: string): Row<ServiceRecord> {
  const row = context.env.store.table(serviceKind).find(id);
  if (row === undefined || permissionsOf(context, row.record) === 0) {
    throw notFound('service', id);
  }
  return row;
}

/**
 * An administrator may request another identity's view, by id or name (behaviour/services#viewer).
 * @throws ApiError NOT_FOUND for an unknown identity.
 */
function seeAsAsked(context: Context): void {
  if (context.request.query === '') return;
  const text = context.query.get('asIdentity') ?? '';
  if (text === '') return;
  if (!context.caller.isAdmin) throw notPermitted('asIdentity is for administrators');
  const table = context.env.store.table(identityKind);
  const row = table.find(text) ?? table.findBy('name', text);
  if (row === undefined) {
    const cause = { field: 'asIdentity', reason: 'no identity has this id or name', value: text };
    throw new ApiError('NOT_FOUND', { cause });
  }
  context.seeAs(row.record);
}
