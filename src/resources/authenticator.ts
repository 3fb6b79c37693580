// Authenticators: the credentials of identities (spec/1 "Authenticator", behaviour §4.2, §6.5).

import Type, { type Static } from 'typebox';
import { authenticator } from '../../machines/authenticator.ts';
import { passwordProblem } from '../auth/password-rules.ts';
import { entityRefSchema } from '../declare/answers.ts';
import { tagsOf } from '../declare/bodies.ts';
import { createActor } from '../declare/create-actor.ts';
import { defineResource, rowOf } from '../declare/crud.ts';
import { field, optional, optionalReference, reference } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';
import { type Context, created, emptyReply, operation } from '../declare/operation.ts';
import type { Resource } from '../declare/resource.ts';
import { ApiError, fieldError } from '../errors.ts';
import type { AuthPolicyRecord } from './auth-policy.ts';
import type { IdentityRecord } from './identity.ts';
import { vouchedCertificate } from './vouched-certificate.ts';

/** A user name (spec/3 "Limits"). */
export const usernameSchema = Type.String({ minLength: 4, maxLength: 100 });

/** A password in a body (spec/3 "Limits"); the auth policy's rules come on top. */
export const passwordSchema = Type.String({ minLength: 5, maxLength: 100 });

const certificateText = () =>
  optional(Type.String(), { write: 'never', show: 'present', symbol: 'string' });

/** The stored side of authenticators. */
export const authenticatorKind = defineKind({
  kind: 'authenticator',
  version: 1,
  fields: {
    state: field(Type.String(), { fallback: '', write: 'never', show: 'never' }),
    method: field(Type.Enum(['updb', 'cert']), {
      required: true,
      write: 'create',
      symbol: 'string',
    }),
    identityId: reference('identity', {
      inverse: 'authenticators',
      onDelete: 'cascade',
      write: 'create',
    }),
    username: optional(usernameSchema, { unique: true, symbol: 'string' }),
    /** A PHC string. */
    passwordHash: optional(Type.String(), { write: 'never', show: 'never', secret: true }),
    certPem: certificateText(),
    fingerprint: optional(Type.String(), { write: 'never', unique: true, symbol: 'string' }),
    pendingCertPem: optional(Type.String(), { write: 'never', show: 'never' }),
    pendingFingerprint: optional(Type.String(), { write: 'never', show: 'never' }),
    isIssuedByNetwork: field(Type.Boolean(), { fallback: false, write: 'never' }),
    caId: optionalReference('ca', {
      inverse: 'authenticators',
      onDelete: 'cascade',
      write: 'never',
      show: 'never',
    }),
  },
  many: [],
  uniqueKeys: [{ name: 'method', key: ({ identityId, method }) => `${identityId}/${method}` }],
  machine: { declaration: authenticator, creates: 'create', removes: 'remove' },
});

/** A stored authenticator. */
export type AuthenticatorRecord = RecordOf<typeof authenticatorKind.fields>;

const createBody = Type.Object({
  identityId: Type.String({ minLength: 1, maxLength: 200 }),
  method: Type.String({ maxLength: 100 }),
  username: Type.Optional(usernameSchema),
  password: Type.Optional(passwordSchema),
  certPem: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

const updateBody = Type.Object({
  username: usernameSchema,
  password: passwordSchema,
  tags: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

const changeErrors = [400, 401, 404, 409, 429];

/** Authenticators in the management API. */
export const authenticators: Resource = defineResource({
  kind: authenticatorKind,
  path: 'authenticators',
  title: 'authenticator',
  names: { one: 'Authenticator', many: 'Authenticators' },
  verbs: { management: ['list', 'get', 'delete'] },
  linksOf: ({ identityId }) => ({ identity: `./identities/${identityId}` }),
  joined: {
    identity: {
      schema: entityRefSchema,
      text: (record, _context, registry) => registry.reference('identity', record.identityId),
    },
  },
  symbols: [
    ...['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'method', 'identity'],
    ...['certFingerprint', 'certPem', 'updbUsername', 'isIssuedByNetwork'],
  ],
  readings: { certFingerprint: 'fingerprint', updbUsername: 'username' },
  operations: [
    operation({
      id: 'createAuthenticator',
      apis: ['management'],
      method: 'POST',
      path: '/authenticators',
      access: 'admin',
      summary: 'Give an identity a user name and password, or a certificate',
      success: 201,
      body: createBody,
      errors: [400, 401, 409, 429],
      writes: true,
      async prepare(context) {
        const { method, username, password, identityId } = context.body;
        checkProperties(context.body);
        return method === 'updb' && username !== undefined && password !== undefined
          ? { username, passwordHash: await newHash(context, identityId, password) }
          : undefined;
      },
      decide(context, password) {
        const id = context.env.ids.entity();
        const { identityId, certPem = '', tags } = context.body;
        const base = { identityId, tags: tagsOf({ tags }) };
        if (password !== undefined) createUpdb(context, id, { ...base, ...password });
        else createCert(context, id, { ...base, certPem });
        return created('authenticators', id);
      },
    }),
    operation({
      id: 'updateAuthenticator',
      apis: ['management'],
      method: 'PUT',
      path: '/authenticators/{id}',
      access: 'admin',
      summary: 'Replace user name and password',
      success: 200,
      body: updateBody,
      errors: changeErrors,
      writes: true,
      prepare: (context) => changedHash(context, context.body),
      decide: (context, passwordHash) => change(context, context.body, passwordHash),
    }),
    operation({
      id: 'patchAuthenticator',
      apis: ['management'],
      method: 'PATCH',
      path: '/authenticators/{id}',
      access: 'admin',
      summary: 'Change user name or password',
      success: 200,
      body: Type.Partial(updateBody),
      errors: changeErrors,
      writes: true,
      prepare: (context) => changedHash(context, context.body),
      decide: (context, passwordHash) => change(context, context.body, passwordHash),
    }),
  ],
});

/** What a new user name and password authenticator is made of. */
export interface NewUpdb {
  readonly identityId: string;
  readonly username: string;
  readonly passwordHash: string;
  readonly tags: AuthenticatorRecord['tags'] | undefined;
}

/**
 * Makes a user name and password authenticator.
 * @throws ApiError MAX_AUTHENTICATOR_METHODS_REACHED when the identity has one; DuplicateKey for
 *   the name.
 */
export function createUpdb(context: Writing, id: string, { tags, ...fields }: NewUpdb): void {
  create(context, id, tags, { ...fields, method: 'updb', isIssuedByNetwork: false });
}

/** What a new certificate authenticator is made of. */
interface NewCert {
  readonly identityId: string;
  readonly certPem: string;
  readonly tags: AuthenticatorRecord['tags'] | undefined;
}

/**
 * Makes a certificate authenticator. @throws ApiError 400 unless it is one certificate that we or a
 * verified CA vouch for.
 */
function createCert(context: Context, id: string, { tags, certPem, identityId }: NewCert): void {
  const { env } = context;
  if (env.store.table('identity').find(identityId) === undefined) {
    throw fieldError('identityId', 'no identity has this id', identityId);
  }
  create(context, id, tags, {
    ...vouchedCertificate(context, certPem),
    ...{ identityId, method: 'cert' },
  });
}

type Writing = Pick<Context, 'env' | 'tx' | 'now'>;

/** The machine refuses a second one of the same method. */
function create(
  context: Writing,
  id: string,
  tags: AuthenticatorRecord['tags'] | undefined,
  fields: object,
): void {
  const { now } = context;
  const record = { id, createdAt: now, updatedAt: now, tags: tags ?? {}, ...fields };
  createActor(context, authenticatorKind as never, 'method', record);
}

/** @throws ApiError 400 for a property that the method lacks, or has no use for. */
function checkProperties({ method, username, password, certPem }: Static<typeof createBody>): void {
  const isUpdb = method === 'updb';
  if (!isUpdb && method !== 'cert') throw fieldError('method', 'must be updb or cert', method);
  const foreign = isUpdb ? certPem : (username ?? password);
  if (foreign !== undefined) throw new ApiError('INVALID_AUTHENTICATOR_PROPERTIES');
  const needed = isUpdb ? { username, password } : { certPem };
  for (const [name, value] of Object.entries(needed)) {
    if (value === undefined) throw fieldError(name, 'is required', undefined);
  }
}

/** Hashes a password after the rules of the identity's policy. @throws ApiError 400. */
async function newHash(context: Context, identityId: string, password: string): Promise<string> {
  const { store, hasher, config, limits } = context.env;
  const identity = store.table<IdentityRecord>('identity').find(identityId);
  if (identity === undefined) {
    throw fieldError('identityId', 'no identity has this id', identityId);
  }
  const policy = store.table<AuthPolicyRecord>('authPolicy').find(identity.record.authPolicyId);
  if (policy !== undefined) {
    context.restsOn('authPolicy', policy as never);
    const problem = passwordProblem(policy.record.primary.updb, password, limits);
    if (problem !== undefined) throw fieldError('password', problem, password);
  }
  return hasher.hash(password, config.argon2);
}

/** A certificate's authenticator has tags to change, and neither name nor password. */
async function changedHash(
  context: Context,
  { username, password }: { username?: string; password?: string },
): Promise<string | undefined> {
  const { record } = rowOf(context, authenticators);
  const { method, identityId } = record as AuthenticatorRecord;
  if (method !== 'updb' && (username ?? password) !== undefined) {
    throw new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR');
  }
  return password === undefined ? undefined : newHash(context, identityId, password);
}

function change(
  context: Context,
  body: { username?: string; tags?: Record<string, unknown> },
  passwordHash: string | undefined,
) {
  const { env, tx, now } = context;
  const { id } = rowOf(context, authenticators).record;
  const table = env.store.table<AuthenticatorRecord>('authenticator');
  if (passwordHash !== undefined) {
    env.send(tx, 'authenticator', id, { type: 'changePassword', now, passwordHash });
    env.lockouts.clear(id);
  }
  const stored = table.find(id)?.record;
  if (stored !== undefined) {
    const tags = tagsOf({ tags: body.tags }) ?? stored.tags;
    const username = body.username ?? stored.username;
    tx.put(table, Object.freeze({ ...stored, username, tags, updatedAt: now }));
  }
  return emptyReply;
}
