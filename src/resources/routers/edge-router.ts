// Edge routers in the management API (behaviour/routers).

import Type from 'typebox';
import { emptyReply } from '../../declare/operations/operation.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { joinedValue } from '../../declare/resources/joined.ts';
import { type RouterRecord, routerKind } from '../../records/router.ts';
import { versionSchema } from '../../records/router-presence.ts';
import { checkAttachedConfigs } from '../configs/attached-configs.ts';
import { defineResource, operation } from '../context.ts';
import { newEnrollment, signEnrollment, signedInTime } from '../enrollments/enrollment.ts';
import { routerSets } from '../policies/access-sets.ts';
import { checkRoleAttributes } from '../policies/member-attributes.ts';
import { presenceOf, routerCapabilities } from './presence.ts';
import { prepareRouter, routerEnrollment, routerRemoving, routerWritten } from './router-life.ts';
import {
  isConnected,
  isVerified,
  ofPresence,
  outstandingEnrollments,
  sharedRouterFields,
} from './router-views.ts';

/** Edge routers; every router at once is shown by `routers`. */
export const edgeRouters = defineResource({
  kind: routerKind,
  path: 'edge-routers',
  answered: 'leader',
  title: 'edge router',
  names: { one: 'EdgeRouter', many: 'EdgeRouters' },
  where: (record) => record.isEdge,
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'router',
  links: { 'edge-router-policies': 'edge-router-policies' },
  joined: {
    ...sharedRouterFields,
    hostname: ofPresence(Type.String(), 'hostname'),
    supportedProtocols: ofPresence(Type.Record(Type.String(), Type.String()), 'supportedProtocols'),
    syncStatus: ofPresence(Type.String(), 'syncStatus'),
    versionInfo: ofPresence(versionSchema, 'versionInfo'),
    capabilities: joinedValue(Type.Array(Type.String()), ({ id }: RouterRecord, context) =>
      presenceOf(context, id).capabilities.flatMap((bit) => routerCapabilities.get(bit) ?? []),
    ),
    // It has more bits than a number is exact for; clients compare none of the highest.
    capabilitiesMask: joinedValue(Type.Integer(), ({ id }: RouterRecord, context) =>
      presenceOf(context, id).capabilities.reduce((mask, bit) => mask + 2 ** bit, 0),
    ),
  },
  linkedSets: routerSets,
  symbolSources: {
    isVerified: { type: 'boolean', read: isVerified },
    online: isConnected,
    connected: isConnected,
  },
  deleteConflicts: true,
  check(context, draft, body) {
    checkRoleAttributes(context, draft);
    checkAttachedConfigs(context, body, 'router');
  },
  prepare: (context, id) => prepareRouter(context, { id, isEdge: true }),
  written: (context, record, _body, stored, signed) =>
    routerWritten(context, record, stored, signed),
  removing: routerRemoving,
  operations: [
    operation({
      id: 'reEnrollEdgeRouter',
      method: 'POST',
      path: '/edge-routers/{id}/re-enroll',
      permission: 'router.update',
      summary: 'Take the certificate of an edge router away and let it enroll again',
      errors: [401, 404, 429],
      creates: true,
      prepare(context) {
        const { env, params } = context;
        const record = env.store.table(routerKind).find(params['id'] ?? '')?.record;
        return record && signEnrollment(context, routerEnrollment(context, record));
      },
      decide(context, signed) {
        const { env, tx, now } = context;
        const record = rowOf(context, edgeRouters).record;
        const { id } = record;
        const fields = newEnrollment(context, signedInTime(signed));
        env.send(tx, 'router', id, {
          type: 'reEnroll',
          now,
          oldEnrollmentIds: outstandingEnrollments(context, id).map((one) => one.id),
          enrollmentId: fields.id,
          fields,
        });
        return emptyReply;
      },
    }),
  ],
  example: { name: 'edge-1', roleAttributes: ['public'], isTunnelerEnabled: false },
});
