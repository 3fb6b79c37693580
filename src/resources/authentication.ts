// Primary authentication: POST /authenticate in both APIs (spec/2 C6, behaviour §4.1, §4.2).

import Type, { type Static } from 'typebox';
import { isDisabled } from '../auth/callers.ts';
import { isEnrolled, pendingQueries } from '../auth/factors.ts';
import { needsRehash } from '../auth/phc.ts';
import { type Context, detail, operation, type Reply } from '../declare/operation.ts';
import { ApiError, fieldError } from '../errors.ts';
import type { Row } from '../store/record.ts';
import {
  type ApiSessionRecord,
  apiSessionKind,
  currentSessionSchema,
  currentSessionText,
} from './api-session.ts';
import type { AuthPolicyRecord } from './auth-policy.ts';
import { type AuthenticatorRecord, passwordSchema, usernameSchema } from './authenticator.ts';
import type { IdentityRecord } from './identity.ts';
import { envInfoSchema, sdkInfoSchema } from './info-schemas.ts';
import { configTypeIds } from './service-config.ts';

const body = Type.Object({
  configTypes: Type.Optional(Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 1000 })),
  envInfo: Type.Optional(envInfoSchema),
  sdkInfo: Type.Optional(sdkInfoSchema),
  username: Type.Optional(usernameSchema),
  password: Type.Optional(passwordSchema),
});

type Login = Static<typeof body>;

/** What checking the password brought to light. */
interface Facts {
  /** The authenticator of the user name; undefined for an unknown user. */
  readonly authenticatorId: string | undefined;
  /** The password was looked at and is the right one. */
  readonly isRight: boolean;
  /** The password was looked at. */
  readonly wasChecked: boolean;
  /** A hash with today's parameters, where the stored one is weaker (decision 20). */
  readonly newHash: string | undefined;
}

/** The operation. Methods cert and ext-jwt have no handler until the credentials issue. */
export const authenticate = operation({
  id: 'authenticate',
  apis: ['client', 'management'],
  method: 'POST',
  path: '/authenticate',
  access: 'public',
  summary: 'Log in with primary credentials',
  success: 200,
  body,
  bodyOptional: true,
  answer: currentSessionSchema,
  query: { method: Type.Enum(['password', 'cert', 'ext-jwt']) },
  queryRequired: ['method'],
  errors: [400, 401, 429],
  writes: true,
  prepare: async (context: Context<Login>): Promise<Facts> => {
    const method = context.query.get('method');
    if (method === null || method === '') throw fieldError('method', 'is required', '');
    if (method !== 'password') throw new ApiError('INVALID_AUTH_METHOD');
    return checkCredentials(context);
  },
  decide: (context: Context<Login>, facts) => decideLogin(context, facts),
});

async function checkCredentials(context: Context<Login>): Promise<Facts> {
  const { username, password } = context.body;
  if (username === undefined) throw fieldError('username', 'is required', undefined);
  if (password === undefined) throw fieldError('password', 'is required', undefined);
  const { env } = context;
  const table = env.store.table<AuthenticatorRecord>('authenticator');
  const row = table.findBy('username', username);
  const login = row === undefined ? undefined : loginOf(context, row.record.identityId);
  const isOpen = login?.isOpen ?? false;
  const phc = isOpen ? row?.record.passwordHash : undefined;
  if (row !== undefined) context.restsOn('authenticator', row as never);
  // Who is unknown, disabled or barred costs a verification too: the time tells nothing.
  const isRight = await env.checkPassword(phc, password);
  const isWeak = isRight && phc !== undefined && needsRehash(phc, env.config.argon2);
  const newHash = isWeak ? await env.hasher.hash(password, env.config.argon2) : undefined;
  return { authenticatorId: row?.record.id, isRight, wasChecked: isOpen, newHash };
}

/** Identity and policy of a login, and whether they let it happen at all (behaviour §4.1.1). */
function loginOf(context: Context, identityId: string) {
  const { store } = context.env;
  const identity = store.table<IdentityRecord>('identity').find(identityId);
  if (identity === undefined) return undefined;
  const policies = store.table<AuthPolicyRecord>('authPolicy');
  const policy = policies.find(identity.record.authPolicyId)?.record;
  const isOpen =
    !isDisabled(identity.record, context.now) && (policy?.primary.updb.allowed ?? false);
  return { identity, policy, isOpen };
}

function decideLogin(context: Context<Login>, facts: Facts): Reply {
  const { env, tx, now } = context;
  const { authenticatorId } = facts;
  const table = env.store.table<AuthenticatorRecord>('authenticator');
  const found = authenticatorId === undefined ? undefined : table.find(authenticatorId)?.record;
  const login = found === undefined ? undefined : loginOf(context, found.identityId);
  if (found === undefined || login === undefined || !login.isOpen || !facts.wasChecked) {
    throw new ApiError('INVALID_AUTH');
  }
  const { identity, policy } = login;
  if (!facts.isRight) {
    const updb = policy?.primary.updb;
    if (env.lockouts.failure(found.id, updb?.maxAttempts ?? 0) === 'lock') {
      const durationMinutes = updb?.lockoutDurationMinutes ?? 0;
      env.send(tx, 'identity', identity.record.id, { type: 'lockOut', now, durationMinutes });
      env.endApiSessions(tx, identity.record.id);
    }
    return { form: 'refused', error: new ApiError('INVALID_AUTH') };
  }
  env.lockouts.clear(found.id);
  if (facts.newHash !== undefined) {
    const passwordHash = facts.newHash;
    env.send(tx, 'authenticator', found.id, { type: 'changePassword', now, passwordHash });
  }
  return startSession(context, identity, found.id);
}

/**
 * Makes the API session of a login that succeeded, and answers with it and its token (behaviour
 * §4.1.4).
 */
export function startSession(
  context: Context<Login>,
  identity: Row<IdentityRecord>,
  authenticatorId: string,
): Reply {
  const { env, tx, now, body: login } = context;
  noteInfo(context, identity.record, login);
  const id = env.ids.sortable();
  const token = env.ids.uuid();
  const mfaEnrolled = isEnrolled(context, identity.record.id);
  const owed = pendingQueries(context, {
    identityId: identity.record.id,
    isMfaRequired: mfaEnrolled,
    isMfaComplete: false,
  });
  const fields = {
    ...{ id, createdAt: now, updatedAt: now, tags: {} },
    ...{ token, identityId: identity.record.id, authenticatorId },
    configTypes: configTypeIds(context, login.configTypes ?? []),
    ipAddress: context.request.peer.address,
    improperClientCertChain: false,
  };
  env.send(tx, 'apiSession', id, {
    type: apiSessionKind.machine?.creates ?? 'authenticate',
    now,
    fields,
    secondFactorRequired: owed.length > 0,
    mfaEnrolled,
  });
  const record = env.store.table<ApiSessionRecord>('apiSession').find(id)?.record;
  if (record === undefined) throw new Error('the API session was not made');
  return detail(
    [currentSessionText(context, record)],
    [
      ['zt-session', token],
      ['net-session', token],
    ],
  );
}

/** Objects given replace the stored ones whole, absent ones leave them (behaviour §4.1.4). */
function noteInfo(context: Context, identity: IdentityRecord, { envInfo, sdkInfo }: Login): void {
  if (envInfo === undefined && sdkInfo === undefined) return;
  const next = {
    ...identity,
    envInfo: envInfo ?? identity.envInfo,
    sdkInfo: sdkInfo ?? identity.sdkInfo,
  };
  if (
    JSON.stringify([next.envInfo, next.sdkInfo]) ===
    JSON.stringify([identity.envInfo, identity.sdkInfo])
  )
    return;
  const table = context.env.store.table<IdentityRecord>('identity');
  context.tx.put(table, Object.freeze({ ...next, updatedAt: context.now }));
}
