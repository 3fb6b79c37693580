// API sessions: the life between authenticate and log-out (behaviour/api-sessions).

import Type from 'typebox';
import { lastActivityOf } from '../../auth/activity.ts';
import { pendingQueries, stateInWords } from '../../auth/factors.ts';
import { refuseActingOn } from '../../auth/privileged-identities.ts';
import { expiryOf } from '../../auth/sessions/session-expiry.ts';
import { RecentCache } from '../../containers/recent-cache.ts';
import {
  type CallerSession,
  type CallerToken,
  detail,
  emptyReply,
} from '../../declare/operations/operation.ts';
import { baseProperties, entityRefSchema } from '../../declare/resources/answers.ts';
import { joinedReference, joinedValue } from '../../declare/resources/joined.ts';
import { isoTime } from '../../declare/resources/view.ts';
import { secretMask } from '../../errors/errors.ts';
import { type ApiSessionRecord, apiSessionKind, sortOf } from '../../records/api-session.ts';
import { type AuthenticatorRecord, authenticatorKind } from '../../records/authenticator.ts';
import { identityKind } from '../../records/identity.ts';
import { type Context, defineResource, operation } from '../context.ts';

const moment = Type.String({ format: 'date-time' });

/** Whether the client of a session has JWTs or an opaque token (behaviour/api-sessions#sorts). */
const sortSchema = Type.Enum(['jwt', 'legacy']);

/** An owed secondary factor (behaviour/api-sessions#queries). */
const authQuerySchema = Type.Object(
  {
    typeId: Type.Optional(Type.Enum(['MFA', 'TOTP', 'EXT-JWT'])),
    provider: Type.Enum(['ziti', 'url']),
    httpMethod: Type.Optional(Type.String()),
    httpUrl: Type.Optional(Type.String()),
    minLength: Type.Optional(Type.Integer()),
    maxLength: Type.Optional(Type.Integer()),
    format: Type.Optional(Type.Enum(['numeric', 'alpha', 'alphaNumeric'])),
    isTotpEnrolled: Type.Optional(Type.Boolean()),
    id: Type.Optional(Type.String()),
    clientId: Type.Optional(Type.String()),
    scopes: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'authQuery' },
);

/** The fields of `currentSessionText`. */
export const currentSessionSchema = Type.Object(
  {
    ...baseProperties,
    authQueries: Type.Array(authQuerySchema),
    authenticatorId: Type.String(),
    cachedLastActivityAt: moment,
    configTypes: Type.Array(Type.String()),
    expirationSeconds: Type.Integer(),
    expiresAt: moment,
    identity: entityRefSchema,
    identityId: Type.String(),
    improperClientCertChain: Type.Boolean(),
    ipAddress: Type.String(),
    isCertExtendable: Type.Boolean(),
    isCertExtendRequested: Type.Optional(Type.Boolean()),
    isCertKeyRollRequested: Type.Optional(Type.Boolean()),
    isMfaComplete: Type.Boolean(),
    isMfaRequired: Type.Boolean(),
    lastActivityAt: moment,
    stateInWords: Type.Optional(Type.String()),
    token: Type.String(),
    type: sortSchema,
  },
  { title: 'currentApiSessionDetail' },
);

/** API sessions as administrators see them. */
export const apiSessions = defineResource({
  kind: apiSessionKind,
  path: 'api-sessions',
  answered: 'leader',
  title: 'API session',
  names: { one: 'APISessions', many: 'APISessions' },
  verbs: { management: ['list', 'get', 'delete'] },
  access: { delete: 'admin-or-403' },
  permission: 'ops',
  removing: (context, { identityId }) => refuseActingOn(context, identityId, 403),
  joined: {
    token: {
      ...joinedValue(Type.String(), ({ id }: ApiSessionRecord, { caller }: Context) =>
        id === caller.session.id ? caller.token : secretMask,
      ),
      keptText: JSON.stringify(secretMask),
    },
    type: joinedValue(sortSchema, sortOf),
    identity: joinedReference('identity', 'identityId'),
    authQueries: joinedValue(Type.Array(authQuerySchema), () => []),
    cachedLastActivityAt: joinedValue(moment, (record: ApiSessionRecord, context) =>
      isoTime(lastActivityAt(context, record)),
    ),
    isCertExtendable: joinedValue(Type.Boolean(), (record: ApiSessionRecord, context) =>
      isCertExtendable(authenticatorOf(record, context)),
    ),
    isCertExtendRequested: joinedValue(
      Type.Boolean(),
      (record: ApiSessionRecord, context) => authenticatorOf(record, context)?.isExtendRequested,
    ),
    isCertKeyRollRequested: joinedValue(
      Type.Boolean(),
      (record: ApiSessionRecord, context) => authenticatorOf(record, context)?.isKeyRollRequested,
    ),
    stateInWords: joinedValue(Type.String(), (record: ApiSessionRecord, { env }) =>
      stateInWords(env, record),
    ),
  },
  symbolSources: {
    token: 'tokenHash',
    identity: 'identityId',
    authenticator: 'authenticatorId',
    mfaComplete: 'isMfaComplete',
    mfaRequired: 'isMfaRequired',
  },
  operations: [
    operation({
      id: 'getCurrentAPISession',
      apis: ['client', 'management'],
      path: '/current-api-session',
      answered: 'here',
      access: 'partial',
      summary: 'Get the API session of the caller',
      answer: currentSessionSchema,
      errors: [401],
      decide(context) {
        const { session, token, access } = context.caller;
        return detail([currentSessionText(context, session.record, token, access)]);
      },
    }),
    operation({
      id: 'deleteCurrentApiSession',
      apis: ['client', 'management'],
      method: 'DELETE',
      path: '/current-api-session',
      access: 'partial',
      summary: 'Log out',
      errors: [401],
      decide(context) {
        const { env, tx, now, caller } = context;
        const { id } = caller.session.record;
        env.registry.cascades.remove(tx, 'apiSession', id, () =>
          env.send(tx, 'apiSession', id, { type: 'logOut', now }),
        );
        return emptyReply;
      },
    }),
    operation({
      id: 'listServiceUpdates',
      apis: ['client'],
      path: '/current-api-session/service-updates',
      answered: 'unasked',
      access: 'full',
      summary: 'When what the caller may reach last changed',
      answer: Type.Object({ lastChangeAt: moment }),
      errors: [401, 429],
      decide(context) {
        const { session, identity } = context.caller;
        const { store, access, addresses } = context.env;
        const slot = store.table(identityKind).peek(identity.id)?.slot;
        const stamp = slot === undefined ? undefined : access.changeStamps.at(slot);
        const at = stamp ?? Math.max(session.record.createdAt, addresses.startedAt);
        return detail([`{"lastChangeAt":"${isoTime(at)}"}`]);
      },
    }),
  ],
});

function lastActivityAt(context: Context, record: CallerSession): number {
  const { store, activity } = context.env;
  return lastActivityOf(activity, record, store.table(apiSessionKind).peek(record.id)?.slot);
}

/** The authenticator that a session was created by, if it still exists. */
function authenticatorOf(
  { authenticatorId }: CallerSession,
  { env }: Context,
): AuthenticatorRecord | undefined {
  return env.store.table(authenticatorKind).find(authenticatorId)?.record;
}

/** Whether it is a certificate that its holder may have extended. */
function isCertExtendable(record: AuthenticatorRecord | undefined): boolean {
  return record?.certPem !== undefined && record.isIssuedByNetwork;
}

/** The members of a session that tell of its certificate as it is now. */
function certificateText(record: AuthenticatorRecord | undefined): string {
  const text = `,"isCertExtendable":${isCertExtendable(record)}`;
  if (!record?.isExtendRequested) return text;
  const keys = record.isKeyRollRequested ? ',"isCertKeyRollRequested":true' : '';
  return `${text},"isCertExtendRequested":true${keys}`;
}

/**
 * Bytes of texts of API sessions and of their records: 8,000 active sessions find their texts
 * again. @bound per controller
 */
const fixedTextBytesMax = 24_000_000;

/**
 * The weight of a record that is the key of a text of 500 bytes: it stays in memory after it was
 * replaced.
 */
const heldSessionBytes = 1000;

/** The texts of recently used records, which change only with the record. */
const fixedTexts = new RecentCache<CallerSession, string>(
  fixedTextBytesMax,
  (text) => heldSessionBytes + text.length,
);

/**
 * An API session as its own client sees it (behaviour/api-sessions#views), as JSON text.
 * @param token in clear text, as the client has it
 * @param access of a session with JWTs: it ends for its client with the token
 */
export function currentSessionText(
  context: Context,
  record: CallerSession,
  token: string,
  access?: CallerToken,
): string {
  let fixed = fixedTexts.get(record);
  if (fixed === undefined) fixedTexts.set(record, (fixed = fixedText(record)));
  const { registry, config } = context.env;
  const identity = registry.reference('identity', record.identityId, context.api);
  const at = lastActivityAt(context, record);
  const expiresAt = access?.expiresAt ?? expiryOf(config, record, at);
  const from = access === undefined ? at : context.now;
  const queries = pendingQueries(context, record);
  const words = stateInWords(context.env, record);
  return (
    `${fixed.slice(0, -1)},"token":${JSON.stringify(token)},"identity":${identity ?? 'null'}` +
    certificateText(authenticatorOf(record, context)) +
    (words === undefined ? '' : `,"stateInWords":${JSON.stringify(words)}`) +
    `,"authQueries":${queries.length === 0 ? '[]' : JSON.stringify(queries)}` +
    `,"cachedLastActivityAt":"${isoTime(at)}","expiresAt":"${isoTime(expiresAt)}"` +
    `,"expirationSeconds":${Math.round((expiresAt - from) / 1000)}}`
  );
}

function fixedText(record: CallerSession): string {
  const { createdAt, updatedAt, lastActivityAt: at = createdAt } = record;
  const self = './current-api-session';
  return JSON.stringify({
    _links: { self: { href: self }, 'current-identity': { href: './current-identity' } },
    authenticatorId: record.authenticatorId,
    configTypes: record.configTypes,
    createdAt: isoTime(createdAt),
    id: record.id,
    identityId: record.identityId,
    improperClientCertChain: record.improperClientCertChain,
    ipAddress: record.ipAddress,
    isMfaComplete: record.isMfaComplete,
    isMfaRequired: record.isMfaRequired,
    lastActivityAt: isoTime(at),
    tags: record.tags,
    type: sortOf(record),
    updatedAt: isoTime(updatedAt),
  });
}
