// Sessions: the right of one API session to dial or bind one service (behaviour/sessions).

import Type from 'typebox';
import { refuseActingOn } from '../../auth/privileged-identities.ts';
import { listReply, type RowSource, whenListable } from '../../declare/lists/list.ts';
import { detail, emptyReply, type Reply } from '../../declare/operations/operation.ts';
import { entityRefSchema } from '../../declare/resources/answers.ts';
import { tagsOf } from '../../declare/resources/bodies.ts';
import { removeRecord } from '../../declare/resources/crud.ts';
import { joinedReference } from '../../declare/resources/joined.ts';
import { isoTime } from '../../declare/resources/view.ts';
import { ApiError, fieldError, notFound, quotaExceeded } from '../../errors/errors.ts';
import { circuitKind } from '../../records/circuit.ts';
import { identityKind } from '../../records/identity.ts';
import { type RouterRecord, routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import { purposeOf, type SessionRecord, sessionKind } from '../../records/session.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { RecordBase, Row } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import {
  type Context,
  type DefinedResource,
  defineResource,
  operation,
  type ResourceEnvironment,
} from '../context.ts';
import { routerBounds } from '../routers/accessible-edge-router.ts';
import { commonProperties, commonText } from '../routers/client-view.ts';
import { presenceOf } from '../routers/presence.ts';
import { visibleService } from '../services/service.ts';
import { passingPolicies } from './session-posture.ts';

const createBody = Type.Object({
  serviceId: Type.Optional(Type.String({ maxLength: 200 })),
  type: Type.Optional(Type.Enum(['Dial', 'Bind', 'Invalid'])),
  tags: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

/** An edge router of a session (behaviour/sessions). */
const sessionRouterSchema = Type.Object(
  { ...commonProperties, urls: Type.Record(Type.String(), Type.String()) },
  { title: 'sessionEdgeRouter' },
);

/** Sessions in both APIs. */
export const sessions: DefinedResource<typeof sessionKind.fields> = defineResource({
  kind: sessionKind,
  path: 'sessions',
  answered: 'leader',
  title: 'session',
  names: { one: 'Session', many: 'Sessions' },
  verbs: { management: ['list', 'get', 'delete'] },
  permission: 'ops',
  removing: (context, { identityId }) => refuseActingOn(context, identityId),
  links: { 'route-path': 'route-path' },
  joined: {
    apiSession: {
      schema: entityRefSchema,
      text: (record, context) => apiSessionText(context, record),
    },
    service: joinedReference('service', 'serviceId'),
    edgeRouters: { schema: Type.Array(sessionRouterSchema), text: edgeRoutersText },
    token: { schema: Type.String(), text: (record) => `"${record.id}"` },
    servicePolicies: {
      schema: Type.Array(entityRefSchema),
      text: (record, { api, env }) => {
        // The client's view has no policies, because only administrators may see them.
        if (api === 'client') return undefined;
        const references = record.servicePolicyIds.flatMap(
          (id) => env.registry.reference('servicePolicy', id) ?? [],
        );
        return `[${references.join(',')}]`;
      },
    },
  },
  symbolSources: { token: 'id', apiSession: 'apiSessionId', service: 'serviceId' },
  unfiltered: ['identityId'],
  operations: [
    operation({
      id: 'listSessions',
      apis: ['client'],
      path: '/sessions',
      answered: 'leader',
      access: 'full',
      summary: "List the sessions of the caller's identity; of everybody for an administrator",
      answer: () => Type.Array(sessions.answerSchema),
      isList: true,
      errors: [400, 401, 429],
      prepare: (context) =>
        context.caller.isAdmin
          ? whenListable(context, context.env.registry.at('sessions'))
          : undefined,
      decide(context) {
        const { caller, env } = context;
        const source = caller.isAdmin ? { form: 'table' as const } : ownRows(env, caller.identity);
        return listReply(context, context.env.registry.at('sessions'), source);
      },
    }),
    operation({
      id: 'createSession',
      apis: ['client'],
      method: 'POST',
      path: '/sessions',
      access: 'full',
      summary: 'Create a session for dialing or binding a service',
      success: 201,
      answer: () => sessions.answerSchema,
      body: createBody,
      errors: [400, 401, 404, 429],
      rate: 'written',
      creates: 'sometimes',
      decide: (context) => createSession(context),
    }),
    operation({
      id: 'detailSession',
      apis: ['client'],
      path: '/sessions/{id}',
      answered: 'leader',
      access: 'full',
      summary: 'Get one session',
      answer: () => sessions.answerSchema,
      errors: [401, 404],
      decide(context) {
        const { view } = context.env.registry.at('sessions');
        return detail(view.chunks(ownSession(context), context));
      },
    }),
    operation({
      id: 'deleteSession',
      apis: ['client'],
      method: 'DELETE',
      path: '/sessions/{id}',
      access: 'full',
      summary: 'End one session',
      errors: [400, 401, 404, 409, 429],
      decide(context) {
        removeRecord(context, sessions, ownSession(context));
        return emptyReply;
      },
    }),
    operation({
      id: 'detailSessionRoutePath',
      path: '/sessions/{id}/route-path',
      answered: 'leader',
      permission: 'ops',
      summary: 'Routers that the traffic of a session takes; none while nothing carries traffic',
      answer: Type.Object({ routePath: Type.Array(Type.String()) }),
      errors: [401, 404, 429],
      decide(context) {
        const id = context.params['id'] ?? '';
        const { store } = context.env;
        if (store.table(sessionKind).find(id) === undefined) throw notFound('session', id);
        return detail([`{"routePath":${JSON.stringify(routePathOf(store, id))}}`]);
      },
    }),
  ],
});

/** The routers of the circuit of a session that has carried traffic for the longest time. */
function routePathOf(store: Store, sessionId: string): readonly string[] {
  for (const { record } of store.table(circuitKind).members('sessionId', sessionId)) {
    if (record.state !== 'routing') return record.routers;
  }
  return [];
}

/**
 * A session the caller may see: of its own identity, or any for an administrator
 * (behaviour/sessions#visibility).
 */
function ownSession(context: Context): SessionRecord {
  const id = context.params['id'] ?? '';
  const row = context.env.store.table(sessionKind).find(id);
  const { identity, isAdmin } = context.caller;
  if (row === undefined || !(isAdmin || row.record.identityId === identity.id)) {
    throw notFound('session', id);
  }
  return row.record;
}

function ownRows({ store }: ResourceEnvironment, { id }: RecordBase): RowSource {
  const table = store.table(sessionKind);
  const count = table.group('identityId').count(id);
  return { form: 'rows', rows: table.members('identityId', id), count };
}

/** The order of the checks is that of behaviour/sessions#creation. */
function createSession(context: Context<Type.Static<typeof createBody>>): Reply {
  const { env, tx, now, body, caller } = context;
  const { serviceId, type = 'Dial' } = body;
  if (serviceId === undefined) throw fieldError('serviceId', 'is required', undefined);
  if (type === 'Invalid') throw fieldError('type', 'must be Dial or Bind', type);
  const table = env.store.table(sessionKind);
  const apiSessionId = caller.session.record.id;
  const existing = table.findBy('purpose', purposeOf({ apiSessionId, serviceId, type }));
  if (existing !== undefined) {
    refuseFailing(context, existing.record);
    return createdReply(context, existing.record);
  }

  env.memory.admitRecord();
  const service = visibleService(context, serviceId);
  const identity = env.store.table(identityKind).find(caller.identity.id);
  if (identity === undefined) throw new ApiError('UNAUTHORIZED');
  const linking = env.access.permissions.linking(identity.slot, service.slot, type);
  if (linking.length === 0) {
    throw fieldError('serviceId', `no policy allows ${type}`, serviceId);
  }
  const policies = passingPolicies(context, linking, { service: service.record, type });
  if (!env.access.routers.hasUsable(identity.slot, service.slot)) {
    throw new ApiError('NO_EDGE_ROUTERS_AVAILABLE');
  }
  refuseTooMany(context, table);
  const policyTable = env.store.table(servicePolicyKind);
  const record: SessionRecord = {
    id: env.ids.sortable(),
    createdAt: now,
    updatedAt: now,
    tags: body.tags === undefined ? noTags : (tagsOf(body) ?? noTags),
    apiSessionId,
    // Not the text of the body: all sessions of a service share the service's own id text.
    serviceId: service.record.id,
    identityId: identity.record.id,
    type,
    servicePolicyIds: policies.flatMap((slot) => policyTable.at(slot)?.record.id ?? []),
  };
  tx.put(table, record);
  return createdReply(context, record);
}

/**
 * Sessions that are being removed count until they are gone: checking each one would cost more than
 * creating a session. @throws ApiError QUOTA_EXCEEDED.
 */
function refuseTooMany({ env, caller }: Context, table: Table<SessionRecord>): void {
  const { sessionsPerApiSessionMax, sessionsPerIdentityMax } = env.limits;
  if (table.group('apiSessionId').count(caller.session.record.id) >= sessionsPerApiSessionMax) {
    throw quotaExceeded('sessions', `an API session may have ${sessionsPerApiSessionMax}`);
  }
  if (table.group('identityId').count(caller.identity.id) >= sessionsPerIdentityMax) {
    throw quotaExceeded('sessions', `an identity may have ${sessionsPerIdentityMax}`);
  }
}

/**
 * Access that posture takes away at a known time ends at the next turn of the deadlines. Until then
 * no new session is given. @throws ApiError INVALID_POSTURE.
 */
function refuseFailing(context: Context, { serviceId, identityId, type }: SessionRecord): void {
  const { store, access, posture } = context.env;
  if (!posture.isUsed) return;
  const identity = store.table(identityKind).find(identityId);
  const service = store.table(serviceKind).find(serviceId);
  if (identity === undefined || service === undefined) return;
  store.fence.note(store.table(servicePolicyKind).lastLsn);
  const policies = access.permissions.linking(identity.slot, service.slot, type);
  passingPolicies(context, policies, { service: service.record, type });
}

const noTags = Object.freeze({});

/** The whole session with its JWT: only this answer carries one (behaviour/sessions#token). */
function createdReply(context: Context, record: SessionRecord): Reply {
  const { env, now } = context;
  const { id, apiSessionId, identityId, serviceId, type } = record;
  const token = env.sessionTokens.sign(
    { sessionId: id, apiSessionId, identityId, serviceId, type },
    now,
  );
  const data =
    `{"_links":{"self":{"href":"./sessions/${id}"}},` +
    `"createdAt":"${isoTime(record.createdAt)}","id":"${id}",` +
    `"tags":${JSON.stringify(record.tags)},"updatedAt":"${isoTime(record.updatedAt)}",` +
    `"apiSession":${apiSessionText(context, record)},` +
    `"apiSessionId":"${apiSessionId}","edgeRouters":${edgeRoutersText(record, context)},` +
    `"identityId":"${identityId}","service":${env.registry.reference('service', serviceId, 'client')},` +
    `"serviceId":"${serviceId}","token":"${token}","type":"${type}"}`;
  return { form: 'data', status: 201, data: [data] };
}

/** An API session has no name of its own; that of its identity may change. */
function apiSessionText(context: Context, session: SessionRecord): string | undefined {
  const { env, api, caller } = context;
  const text = env.registry.reference('apiSession', session.apiSessionId, api);
  const { identityId } = session;
  // Nearly always it is the caller's own, whose record is at hand.
  const identity =
    identityId === caller.identity.id
      ? caller.identity
      : env.store.table(identityKind).find(identityId)?.record;
  if (text === undefined || identity === undefined) return text;
  return `${text.slice(0, -1)},"name":${JSON.stringify(identity.name)}}`;
}

interface RouterText {
  readonly presence: object | undefined;
  readonly text: string;
}

/**
 * The text of each router in a session, kept per record until the presence of the router changes.
 */
const routerTexts = new WeakMap<RouterRecord, RouterText>();

/** Usable routers, connected ones first, at most 25 (behaviour/sessions), as JSON text. */
function edgeRoutersText(record: SessionRecord, context: Context): string {
  const { store, access, bounds, presence } = context.env;
  const { sessionEdgeRoutersMax } = boundsOf(routerBounds, bounds);
  const identity = store.table(identityKind).peek(record.identityId);
  const service = store.table(serviceKind).peek(record.serviceId);
  if (identity === undefined || service === undefined) return '[]';
  const routers = store.table(routerKind);
  for (const row of [identity, service]) store.fence.note(row.lsn);
  for (const kind of ['edgeRouterPolicy', 'serviceEdgeRouterPolicy', 'router']) {
    store.fence.note(store.tableNamed(kind).lastLsn);
  }
  const online: string[] = [];
  const offline: string[] = [];
  for (const slot of access.routers.usable(identity.slot, service.slot)) {
    const row = routers.at(slot);
    if (row === undefined) continue;
    const connected = presence.of(row.record.id);
    if (connected === undefined && offline.length >= sessionEdgeRoutersMax) continue;
    (connected === undefined ? offline : online).push(routerText(context, row, connected));
  }
  return `[${[...online, ...offline].slice(0, sessionEdgeRoutersMax).join(',')}]`;
}

function routerText(
  context: Context,
  { record }: Row<RouterRecord>,
  presence: object | undefined,
): string {
  const kept = routerTexts.get(record);
  if (kept !== undefined && kept.presence === presence) return kept.text;
  const urls = JSON.stringify(presenceOf(context, record.id).supportedProtocols);
  const text = [commonText(context, record).slice(0, -1), ',"urls":', urls, '}'].join('');
  routerTexts.set(record, { presence, text });
  return text;
}
