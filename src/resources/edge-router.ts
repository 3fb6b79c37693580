// Edge routers in the management API (spec/1 "EdgeRouter", behaviour §3.4, §10.1).

import Type from 'typebox';
import { wholeValues } from '../declare/bodies.ts';
import { defineResource, insertRecord } from '../declare/crud.ts';
import type { Context } from '../declare/operation.ts';
import { fieldError } from '../errors.ts';
import { edgeRouterPolicyKind } from './edge-router-policy.ts';
import { createEnrollment, type EnrollmentRecord } from './enrollment.ts';
import { type IdentityRecord, identityKind } from './identity.ts';
import { checkRoleAttributes } from './member-attributes.ts';
import { presenceOf, type RouterRecord, routerKind } from './router.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);

/** Edge routers; transit routers come with the next issue as further faces of the kind. */
export const edgeRouters = defineResource({
  kind: routerKind,
  path: 'edge-routers',
  title: 'edge router',
  names: { one: 'EdgeRouter', many: 'EdgeRouters' },
  where: (record) => record.isEdge,
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  links: { 'edge-router-policies': 'edge-router-policies' },
  joined: {
    hostname: {
      schema: Type.String(),
      text: (record, context) => JSON.stringify(presenceOf(context, record.id).hostname),
    },
    isOnline: {
      schema: Type.Boolean(),
      text: (record, context) => String(presenceOf(context, record.id).isOnline),
    },
    isVerified: {
      schema: Type.Boolean(),
      text: (record) => String(record.state === 'verified'),
    },
    supportedProtocols: {
      schema: Type.Record(Type.String(), Type.String()),
      text: (record, context) => JSON.stringify(presenceOf(context, record.id).supportedProtocols),
    },
    syncStatus: {
      schema: Type.String(),
      text: (record, context) =>
        presenceOf(context, record.id).isOnline ? '"SYNC_DONE"' : '"SYNC_UNKNOWN"',
    },
    versionInfo: {
      schema: Type.Object({}),
      text: (record, context) => JSON.stringify(presenceOf(context, record.id).version),
    },
    unverifiedCertPem: { schema: Type.Null(), text: () => 'null' },
    unverifiedFingerprint: { schema: Type.Null(), text: () => 'null' },
    ...enrollmentFields(),
  },
  symbols: [
    ...['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'name', 'fingerprint', 'cost'],
    ...['noTraversal', 'disabled', 'roleAttributes', 'isVerified', 'isTunnelerEnabled'],
    ...['online', 'connected'],
  ],
  deleteConflicts: true,
  check: (_context, draft) => checkRoleAttributes(draft),
  written(context, record, _body, stored) {
    if (stored === undefined) {
      const lifetimeMs = context.env.config.enrollment.routerMinutes * 60_000;
      createEnrollment(context, {
        method: 'erott',
        subject: record.id,
        routerId: record.id,
        expiresAt: context.now + lifetimeMs,
      });
    }
    const was = stored?.isTunnelerEnabled ?? false;
    if (record.isTunnelerEnabled && !was) addTunneler(context, record);
    else if (!record.isTunnelerEnabled && was) removeTunneler(context, record.id);
    else if (was && stored?.name !== record.name) renameTunneler(context, record);
  },
  removing(context, record) {
    if (record.isTunnelerEnabled) removeTunneler(context, record.id);
    context.env.presence.disconnect(record.id);
  },
  example: { name: 'edge-1', roleAttributes: ['public'], isTunnelerEnabled: false },
});

/** What is known of the outstanding enrollment; null once there is none (behaviour §10.1.2). */
function enrollmentFields() {
  const fields = {
    enrollmentToken: (found: EnrollmentRecord) => found.token,
    enrollmentJwt: (found: EnrollmentRecord) => found.jwt,
    enrollmentCreatedAt: (found: EnrollmentRecord) => new Date(found.createdAt).toISOString(),
    enrollmentExpiresAt: (found: EnrollmentRecord) => new Date(found.expiresAt ?? 0).toISOString(),
  };
  return Object.fromEntries(
    Object.entries(fields).map(([name, pick]) => [
      name,
      {
        schema: nullableText,
        text: (record: RouterRecord, context: Context) => {
          const found = outstanding(context, record.id);
          return found === undefined ? 'null' : JSON.stringify(pick(found));
        },
      },
    ]),
  );
}

function outstanding(context: Context, routerId: string): EnrollmentRecord | undefined {
  const table = context.env.store.table<EnrollmentRecord>('enrollment');
  for (const { record } of table.members('routerId', routerId)) return record;
  return undefined;
}

/** A tunneler-enabled router hosts and dials by an identity of its own (behaviour §3.4.1). */
function addTunneler(context: Context, { id, name }: RouterRecord): void {
  const { env, now } = context;
  if (env.store.table('identity').find(id) !== undefined) {
    throw fieldError('id', 'an identity has this id already', id);
  }
  const base = { id, createdAt: now, updatedAt: now, tags: {} };
  insertRecord(
    context,
    identityKind as never,
    {
      ...wholeValues(identityKind.fields, {}, undefined),
      ...base,
      name,
      typeId: 'Router',
      isAdmin: false,
    } as never,
  );
  insertRecord(
    context,
    edgeRouterPolicyKind as never,
    {
      ...base,
      isSystem: true,
      name: `edge-router-${id}-system`,
      semantic: 'AnyOf',
      identityRoles: [`@${id}`],
      edgeRouterRoles: [`@${id}`],
    } as never,
  );
}

function removeTunneler(context: Context, id: string): void {
  const { cascades } = context.env.registry;
  cascades.remove(context.tx, 'edgeRouterPolicy', id);
  cascades.remove(context.tx, 'identity', id);
}

function renameTunneler(context: Context, { id, name }: RouterRecord): void {
  const table = context.env.store.table<IdentityRecord>('identity');
  const row = table.find(id);
  if (row === undefined) return;
  context.tx.put(table, Object.freeze({ ...row.record, name, updatedAt: context.now }));
}
