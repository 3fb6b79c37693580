// Identities: the principals (behaviour/identities, behaviour/policies, behaviour/records).

import Type from 'typebox';
import { isDisabled } from '../../auth/callers.ts';
import { isEnrolled } from '../../auth/factors.ts';
import { isPrivileged, mayActOn, refuseActingOn } from '../../auth/privileged-identities.ts';
import { detail, emptyReply } from '../../declare/operations/operation.ts';
import { entityRefSchema } from '../../declare/resources/answers.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { joinedReference, joinedValue } from '../../declare/resources/joined.ts';
import { ApiError, fieldError, notPermitted, secretMask } from '../../errors/errors.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import { authenticatorKind } from '../../records/authenticator.ts';
import { caKind } from '../../records/ca.ts';
import { enrollmentKind } from '../../records/enrollment.ts';
import {
  type Costs,
  type IdentityRecord,
  identityKind,
  type Precedences,
} from '../../records/identity.ts';
import { routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import { isLoggedInUnconfirmed } from '../authentication/login-rules.ts';
import { refuseIfNoAdminLogin } from '../authenticators/admin-logins.ts';
import { type Context, type DefinedResource, defineResource, operation } from '../context.ts';
import {
  createEnrollment,
  type NewEnrollment,
  openEnrollment,
  type SignedEnrollment,
  signEnrollment,
} from '../enrollments/enrollment.ts';
import { identitySets } from '../policies/access-sets.ts';
import { checkRoleAttributes } from '../policies/member-attributes.ts';

/** The credentials of an identity, by method. */
const authenticatorsSchema = Type.Object({
  cert: Type.Optional(Type.Object({ fingerprint: Type.String(), id: Type.String() })),
  updb: Type.Optional(Type.Object({ id: Type.String(), username: Type.String() })),
});

const pendingEnrollment = {
  expiresAt: Type.String({ format: 'date-time' }),
  id: Type.String(),
  jwt: Type.String(),
  token: Type.String(),
};

/** The pending enrollments of an identity, by method. */
const enrollmentSchema = Type.Object({
  ott: Type.Optional(Type.Object(pendingEnrollment)),
  ottca: Type.Optional(
    Type.Object({
      ...pendingEnrollment,
      ca: Type.Optional(entityRefSchema),
      caId: Type.String(),
    }),
  ),
  updb: Type.Optional(Type.Object(pendingEnrollment)),
});

const typeInput = Type.Enum(['User', 'Device', 'Service', 'Router', 'Default']);

/** Identities in the management API. */
export const identities: DefinedResource<typeof identityKind.fields> = defineResource({
  kind: identityKind,
  path: 'identities',
  answered: 'leader',
  title: 'identity',
  names: { one: 'Identity', many: 'Identities' },
  verbs: { management: ['list', 'get', 'create', 'update', 'patch', 'delete'] },
  permission: 'identity',
  adminOnly: { update: 'only an administrator may replace an identity; others send a PATCH' },
  inputs: {
    create: {
      type: typeInput,
      enrollment: Type.Optional(
        Type.Object({
          ott: Type.Optional(Type.Boolean()),
          ottca: Type.Optional(Type.String({ maxLength: 200 })),
          updb: Type.Optional(Type.String({ maxLength: 100 })),
        }),
      ),
    },
    update: { type: typeInput },
    // Read to refuse it: nobody can set it, and other callers must not try to.
    patch: { type: typeInput, isDefaultAdmin: Type.Unknown() },
  },
  links: {
    'edge-router-policies': 'edge-router-policies',
    'edge-routers': 'edge-routers',
    'service-policies': 'service-policies',
    services: 'services',
    'posture-data': 'posture-data',
    'failed-service-requests': 'failed-service-requests',
    authenticators: 'authenticators',
    enrollments: 'enrollments',
    'service-configs': 'service-configs',
  },
  linksOf: ({ authPolicyId }) => ({ 'auth-policies': `./auth-policies/${authPolicyId}` }),
  joined: {
    type: joinedReference('identityType', 'typeId'),
    authPolicy: joinedReference('authPolicy', 'authPolicyId'),
    authenticators: { schema: authenticatorsSchema, text: authenticatorsText },
    enrollment: { schema: enrollmentSchema, keptText: '{}', text: enrollmentText },
    disabled: joinedValue(Type.Boolean(), (record: IdentityRecord, { now }) =>
      isDisabled(record, now),
    ),
    hasApiSession: joinedValue(Type.Boolean(), hasApiSession),
    hasEdgeRouterConnection: joinedValue(
      Type.Boolean(),
      ({ id }: IdentityRecord, { env }) => env.identityConnections.statusOf(id) === 'online',
    ),
    edgeRouterConnectionStatus: {
      schema: Type.String(),
      text: ({ id }, { env }) => `"${env.identityConnections.statusOf(id)}"`,
    },
    isMfaEnabled: joinedValue(Type.Boolean(), ({ id }: IdentityRecord, context) =>
      isEnrolled(context, id),
    ),
  },
  symbolSources: { type: 'typeId' },
  unfiltered: ['disabledAt', 'disabledUntil'],
  linkedSets: identitySets,
  deleteConflicts: true,
  check(context, draft, body, stored) {
    refuseGrants(context, draft, body, stored);
    checkRoleAttributes(context, draft);
    checkType(draft, body['type'], stored);
    if (stored?.typeId === 'Router' && draft.name !== stored.name) {
      throw fieldError('name', 'is that of its router', draft.name);
    }
    if (stored?.isDefaultAdmin && !draft.isAdmin) {
      throw new ApiError('ENTITY_CAN_NOT_BE_UPDATED', {
        cause: { field: 'isAdmin', reason: 'the default admin stays one', value: 'false' },
      });
    }
    refuseUnknownServices(context, draft);
  },
  prepare(context, id, body) {
    const wanted = wantedEnrollment(context, id, body);
    return wanted && signEnrollment(context, wanted);
  },
  written(context, record, _body, stored, signed) {
    if (signed !== undefined) enroll(context, signed);
    else if (stored?.isAdmin && (!record.isAdmin || hasOtherLogin(stored, record))) {
      refuseIfNoAdminLogin(context);
    }
    if (stored !== undefined && !isPrivileged(stored) && isPrivileged(record)) {
      endUnconfirmedSessions(context, record);
    }
  },
  removing(context, record) {
    refuseActingOn(context, record.id);
    if (record.isAdmin && !record.isDefaultAdmin) {
      refuseIfNoAdminLogin(context, { identityId: record.id });
    }
    if (context.env.store.table(routerKind).find(record.id) !== undefined) {
      throw new ApiError('ENTITY_CAN_NOT_BE_DELETED', { status: 409 });
    }
  },
  operations: [
    operation({
      id: 'disableIdentity',
      method: 'POST',
      path: '/identities/{id}/disable',
      permission: 'identity.update',
      summary: 'Disable an identity for a time, or until it is enabled',
      body: Type.Object({
        durationMinutes: Type.Integer({ maximum: 10 * 365 * 24 * 60 }),
      }),
      errors: [400, 401, 404, 429],
      decide(context) {
        const { durationMinutes } = context.body;
        send(context, { type: 'disable', now: context.now, durationMinutes });
        return emptyReply;
      },
    }),
    operation({
      id: 'enableIdentity',
      method: 'POST',
      path: '/identities/{id}/enable',
      permission: 'identity.update',
      summary: 'Clear all disabled state of an identity',
      errors: [401, 404, 429],
      grants: true,
      decide(context) {
        send(context, { type: 'enable', now: context.now });
        return emptyReply;
      },
    }),
    operation({
      id: 'getCurrentIdentity',
      apis: ['client', 'management'],
      path: '/current-identity',
      answered: 'leader',
      access: 'full',
      summary: 'Get the identity of the caller',
      answer: () => identities.answerSchema,
      errors: [401],
      decide(context) {
        const { view } = context.env.registry.at('identities');
        const record = context.caller.identity;
        const own = view.chunks(record, context);
        return detail(withCurrentLinks(own, view.links(record, context.api)));
      },
    }),
  ],
  example: { name: 'reception-desk', type: 'Default', isAdmin: false, roleAttributes: ['staff'] },
});

type Event =
  | { readonly type: 'disable'; readonly now: number; readonly durationMinutes: number }
  | { readonly type: 'enable'; readonly now: number };

function send(context: Context, event: Event): void {
  const { env, tx } = context;
  const { id } = identityToActOn(context);
  const sent = env.send(tx, 'identity', id, event);
  if (sent.to !== 'disabled') return;
  if (env.store.table(identityKind).find(id)?.record.isAdmin) {
    refuseIfNoAdminLogin(context);
  }
  env.endApiSessions(tx, id);
}

/**
 * The identity that the path names. @throws ApiError NOT_FOUND, or 401 where the caller may not act
 * on it (behaviour/permissions#whom).
 */
export function identityToActOn(context: Context): IdentityRecord {
  const { record } = rowOf(context, identities);
  refuseActingOn(context, record.id);
  return record;
}

/**
 * A caller who is no administrator grants no rights, and changes no identity that it may not act on
 * (behaviour/permissions#grants). An enrollment has no caller, and creates identities without
 * rights.
 */
function refuseGrants(
  context: Context,
  draft: IdentityRecord,
  body: Readonly<Record<string, unknown>>,
  stored: IdentityRecord | undefined,
): void {
  const { callerIfAny } = context;
  if (callerIfAny === undefined || callerIfAny.isAdmin) return;
  if (stored === undefined) {
    if (isPrivileged(draft)) throw notPermitted('only an administrator creates such an identity');
    return;
  }
  const grant = ['isAdmin', 'isDefaultAdmin', 'permissions'].find((name) =>
    Object.hasOwn(body, name),
  );
  if (grant !== undefined) throw notPermitted(`only an administrator may send ${grant}`);
  refuseActingOn(context, stored.id);
  if (isPrivileged(stored) && hasOtherLogin(stored, draft)) {
    throw notPermitted('only an administrator changes how a holder of permissions logs in');
  }
}

/** What logged the identity in may not count any more (behaviour/permissions#unconfirmed). */
function endUnconfirmedSessions({ env, tx }: Context, identity: IdentityRecord): void {
  if (isLoggedInUnconfirmed(env.store, identity)) env.endApiSessions(tx, identity.id);
}

/** Whether a change of an identity may have added or removed a way to log in. */
function hasOtherLogin(before: IdentityRecord, after: IdentityRecord): boolean {
  return after.authPolicyId !== before.authPolicyId || after.externalId !== before.externalId;
}

function checkType(
  draft: { typeId: string },
  type: unknown,
  stored: { readonly typeId: string } | undefined,
): void {
  if (type === undefined) return;
  const isRouter = stored?.typeId === 'Router';
  if ((type === 'Router') !== isRouter) {
    throw fieldError('type', isRouter ? 'stays Router' : 'Router is for routers alone', type);
  }
  draft.typeId = isRouter ? 'Router' : 'Default';
}

/** Hosting costs of services that don't exist are 404 (behaviour/errors#unknown-references). */
function refuseUnknownServices(
  context: Context,
  draft: { serviceHostingCosts: Costs; serviceHostingPrecedences: Precedences },
): void {
  const table = context.env.store.table(serviceKind);
  for (const name of ['serviceHostingCosts', 'serviceHostingPrecedences'] as const) {
    for (const id of Object.keys(draft[name])) {
      if (table.find(id) !== undefined) continue;
      const cause = { field: name, reason: 'no service has this id', value: id };
      throw new ApiError('NOT_FOUND', { cause });
    }
  }
}

interface RequestedEnrollment {
  readonly ott?: boolean;
  readonly ottca?: string;
  readonly updb?: string;
}

/** The enrollment asked for at creation; only one takes effect (behaviour/enrollment). */
function wantedEnrollment(
  { env, now }: Context,
  identityId: string,
  body: Readonly<Record<string, unknown>>,
): NewEnrollment | undefined {
  const { ott, ottca, updb } = (body['enrollment'] ?? {}) as RequestedEnrollment;
  const expiresAt = now + env.config.enrollment.identityMinutes * 60_000;
  const base = { subject: identityId, identityId, expiresAt };
  if (ott) return { ...base, method: 'ott' };
  if (ottca) return { ...base, method: 'ottca', caId: ottca };
  return updb ? { ...base, method: 'updb', username: updb } : undefined;
}

function enroll(context: Context, signed: SignedEnrollment): void {
  const { caId } = signed;
  if (caId !== undefined && context.env.store.table(caKind).find(caId) === undefined) {
    const cause = { field: 'enrollment.ottca', reason: 'no CA has this id', value: caId };
    throw new ApiError('NOT_FOUND', { cause });
  }
  createEnrollment(context, signed);
}

function hasApiSession({ id }: IdentityRecord, { env }: Context): boolean {
  for (const _ of env.store.table(apiSessionKind).members('identityId', id)) return true;
  return false;
}

function authenticatorsText(record: IdentityRecord, context: Context): string {
  const table = context.env.store.table(authenticatorKind);
  let cert = '';
  let updb = '';
  for (const { record: found } of table.members('identityId', record.id)) {
    const { id, method, username, fingerprint } = found;
    if (method === 'cert') cert = `"cert":{"fingerprint":"${fingerprint}","id":"${id}"}`;
    else updb = `"updb":{"id":"${id}","username":${JSON.stringify(username)}}`;
  }
  return `{${cert}${cert === '' || updb === '' ? '' : ','}${updb}}`;
}

function enrollmentText(record: IdentityRecord, context: Context): string {
  const table = context.env.store.table(enrollmentKind);
  const parts: string[] = [];
  const isOpen = mayActOn(context.caller, record);
  for (const { record: found } of table.members('identityId', record.id)) {
    const { id, expiresAt = 0, caId } = found;
    const { jwt, token } = isOpen ? openEnrollment(context, found) : hiddenSecrets;
    const text = JSON.stringify({ expiresAt: new Date(expiresAt).toISOString(), id, jwt, token });
    const ca = context.env.registry.reference('ca', caId);
    const caText = caId === undefined ? '' : `,"caId":"${caId}"${ca ? `,"ca":${ca}` : ''}`;
    parts.push(`"${found.method}":${text.slice(0, -1)}${caText}}`);
  }
  return `{${parts.join(',')}}`;
}

/** In place of the token and JWT of an identity that the caller may not act on. */
const hiddenSecrets = { jwt: secretMask, token: secretMask };

/** The caller's own identity has links of its own (behaviour/answers#links). */
function withCurrentLinks(
  chunks: readonly (string | Uint8Array)[],
  links: string,
): (string | Uint8Array)[] {
  const [own = '', ...rest] = chunks;
  const text = Buffer.from(own as Uint8Array).toString();
  const self = './current-identity';
  const current =
    `{"self":{"href":"${self}"},"mfa":{"href":"${self}/mfa"},` +
    `"authenticators":{"href":"${self}/authenticators"}}`;
  return [`{"_links":${current}${text.slice('{"_links":'.length + links.length)}`, ...rest];
}
