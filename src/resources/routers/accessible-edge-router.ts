// Edge routers in the view of callers that may use them (behaviour/policies, behaviour/sessions).

import Type from 'typebox';
import { listReply } from '../../declare/lists/list.ts';
import type { Chunk, Reply } from '../../declare/operations/operation.ts';
import type { Joined } from '../../declare/resources/resource.ts';
import { ApiError } from '../../errors/errors.ts';
import { identityKind } from '../../records/identity.ts';
import { type RouterRecord, routerKind } from '../../records/router.ts';
import type { ServiceRecord } from '../../records/service.ts';
import { sessionKind } from '../../records/session.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { Row } from '../../store/record.ts';
import type { Table } from '../../store/table.ts';
import { type Context, defineResource, type Operation, operation } from '../context.ts';
import { noteFamily } from '../policies/access-rows.ts';
import { visibleService } from '../services/service.ts';
import { edgeRouters } from './edge-router.ts';
import { presenceOf } from './presence.ts';

/**
 * The fields that clients see besides the fields of every entity (behaviour/routers#client-view).
 */
const shown = new Set([
  'appData',
  'capabilities',
  'cost',
  'disabled',
  'hostname',
  'isOnline',
  'name',
  'noTraversal',
  'supportedProtocols',
  'syncStatus',
]);

const isOnline = {
  type: 'boolean',
  read: ({ id }: RouterRecord, env: Context['env']) => env.presence.of(id) !== undefined,
} as const;

/** Edge routers without the fields that only administrators see. */
export const accessibleEdgeRouters = defineResource({
  kind: routerKind,
  path: 'edge-routers',
  answered: 'leader',
  title: 'accessible edge router',
  names: { one: 'CurrentIdentityEdgeRouter', many: 'CurrentIdentityEdgeRouters' },
  where: (record) => record.isEdge,
  verbs: {},
  hidden: routerKind.fieldNames.filter((name) => !shown.has(name)),
  joined: sharedJoined(),
  // Filters must not test fields that the view hides.
  symbols: ['name', 'cost', 'noTraversal', 'disabled', 'online', 'connected'],
  symbolSources: { online: isOnline, connected: isOnline },
});

/** The joined fields of the administrators' view that this view also shows. */
function sharedJoined(): Record<string, Joined<RouterRecord>> {
  const entries = Object.entries(edgeRouters.joined ?? {}).filter(([name]) => shown.has(name));
  return Object.fromEntries(entries);
}

/** The two operations of clients that show routers. */
export const accessibleEdgeRouterOperations: readonly Operation[] = [
  operation({
    id: 'getCurrentIdentityEdgeRouters',
    apis: ['client'],
    path: '/current-identity/edge-routers',
    answered: 'leader',
    access: 'full',
    summary: 'List the verified edge routers that the caller may use; for administrators, all',
    answer: Type.Array(accessibleEdgeRouters.answerSchema),
    isList: true,
    errors: [400, 401, 429],
    decide(context) {
      const rows = [...ownRouters(context)].filter(({ record }) => record.state === 'verified');
      const compiled = context.env.registry.of(accessibleEdgeRouters);
      return listReply(context, compiled, { form: 'rows', rows: rows });
    },
  }),
  operation({
    id: 'listServiceEdgeRouters',
    apis: ['client'],
    path: '/services/{id}/edge-routers',
    answered: 'leader',
    access: 'full',
    summary: 'List the edge routers through which the caller may reach a service',
    answer: Type.Object({ edgeRouters: Type.Array(accessibleEdgeRouters.answerSchema) }),
    isList: true,
    headers: { 'session-token': Type.String() },
    errors: [400, 401, 404, 429],
    decide: (context) => routersOfService(context),
  }),
];

/** Routers that edge router policies give the caller; every one for an administrator. */
function ownRouters(context: Context): Iterable<Row<RouterRecord>> {
  const { store, access } = context.env;
  const { identity, isAdmin } = context.caller;
  const table = store.table(routerKind);
  if (isAdmin) return everyRow(table);
  noteFamily(context, 'edgeRouterPolicy');
  const slot = store.table(identityKind).find(identity.id)?.slot ?? -1;
  return [...access.routers.of('identity', slot)].flatMap((at) => table.at(at) ?? []);
}

function everyRow(table: Table<RouterRecord>): Row<RouterRecord>[] {
  const rows: Row<RouterRecord>[] = [];
  table.each((row) => rows.push(row));
  return rows;
}

function routersOfService(context: Context): Reply {
  const { env, caller, params } = context;
  const id = params['id'] ?? '';
  expectSession(context, id);
  const service: Row<ServiceRecord> = visibleService(context, id);
  noteFamily(context, 'edgeRouterPolicy');
  noteFamily(context, 'serviceEdgeRouterPolicy');
  const identity = env.store.table(identityKind).find(caller.identity.id);
  const slots = env.access.routers.usable(identity?.slot ?? -1, service.slot);
  const compiled = env.registry.of(accessibleEdgeRouters);
  if (pageParameters.some((name) => context.query.has(name))) {
    return wrapped(listReply(context, compiled, { form: 'slots', slots }));
  }
  // A request without paging gets the routers that a session would show
  // (behaviour/sessions#edge-routers).
  const table = env.store.table(routerKind);
  const rows = [...slots].flatMap((slot) => table.at(slot) ?? []);
  const online = rows.filter(({ record }) => presenceOf(context, record.id).isOnline);
  const offline = rows.filter(({ record }) => !presenceOf(context, record.id).isOnline);
  const { sessionEdgeRoutersMax: limit } = boundsOf(routerBounds, env.bounds);
  const first = [...online, ...offline].slice(0, limit);
  const filterableFields = compiled.resource.symbols;
  const list = { limit, offset: 0, totalCount: rows.length, filterableFields };
  const data: Chunk[] = ['['];
  for (const { record } of first) {
    if (data.length > 1) data.push(',');
    data.push(...compiled.view.chunks(record, context));
  }
  return wrapped({ form: 'data', status: 200, data: [...data, ']'], list });
}

const pageParameters = ['limit', 'offset', 'filter', 'sort'];

function wrapped(reply: Reply): Reply {
  if (reply.form !== 'data') return reply;
  return { ...reply, data: ['{"edgeRouters":', ...reply.data, '}'] };
}

/**
 * A `session-token` is optional. If present, it must belong to a live session of the caller for
 * this service. @throws ApiError UNAUTHORIZED.
 */
function expectSession(context: Context, serviceId: string): void {
  const { env, now, caller, request } = context;
  const token = request.header('session-token');
  if (token === '') return;
  const claims = env.sessionTokens.verify(token, now);
  const session =
    claims === undefined ? undefined : env.store.table(sessionKind).find(claims.sessionId)?.record;
  const isGood =
    session !== undefined &&
    session.serviceId === serviceId &&
    session.identityId === caller.identity.id;
  if (!isGood) throw new ApiError('UNAUTHORIZED');
}

/** Bounds of the lists of routers that callers are shown. */
export const routerBounds = {
  /**
   * Edge routers shown in a session, connected ones first (behaviour/sessions#edge-routers).
   * @bound per request
   */
  sessionEdgeRoutersMax: 25,
};
