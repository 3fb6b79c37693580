// Authenticators as administrators manage them: /authenticators (behaviour/certificates).

import Type, { type Static } from 'typebox';
import { created, emptyReply, type Reply } from '../../declare/operations/operation.ts';
import { tagsOf } from '../../declare/resources/bodies.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { joinedReference } from '../../declare/resources/joined.ts';
import type { ResourceOptions } from '../../declare/resources/resource.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { authenticatorKind, usernameSchema } from '../../records/authenticator.ts';
import { identityKind } from '../../records/identity.ts';
import { type Context, type DefinedResource, defineResource, operation } from '../context.ts';
import { refuseIfNoAdminLogin } from './admin-logins.ts';
import {
  type AuthenticatorChange,
  changeAuthenticator,
  createCertificateAuthenticator,
  createUpdb,
  type NewCertificate,
  passwordSchema,
} from './authenticator.ts';
import { newPasswordHash } from './passwords.ts';
import { submittedCertificate } from './submitted-certificate.ts';

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

/** The fields that every view of authenticators shows and can be filtered by. */
export const authenticatorSymbols: Pick<
  ResourceOptions<typeof authenticatorKind.fields>,
  'joined' | 'alsoFiltered' | 'symbolSources'
> = {
  joined: { identity: joinedReference('identity', 'identityId') },
  alsoFiltered: ['publicKeyPrint'],
  symbolSources: {
    identity: 'identityId',
    certFingerprint: 'fingerprint',
    updbUsername: 'username',
    isExtendRequested: { type: 'boolean', read: (record) => record.isExtendRequested ?? false },
    isKeyRollRequested: { type: 'boolean', read: (record) => record.isKeyRollRequested ?? false },
  },
};

/** Authenticators in the management API. */
export const authenticators: DefinedResource<typeof authenticatorKind.fields> = defineResource({
  kind: authenticatorKind,
  path: 'authenticators',
  answered: 'here',
  title: 'authenticator',
  names: { one: 'Authenticator', many: 'Authenticators' },
  verbs: { management: ['list', 'get', 'delete'] },
  permission: 'admin_readonly',
  linksOf: ({ identityId }) => ({ identity: `./identities/${identityId}` }),
  ...authenticatorSymbols,
  removing(context, { id, identityId }) {
    const owner = context.env.store.table(identityKind).find(identityId);
    if (owner?.record.isAdmin) refuseIfNoAdminLogin(context, { authenticatorId: id });
  },
  operations: [
    operation({
      id: 'createAuthenticator',
      method: 'POST',
      path: '/authenticators',
      permission: 'admin',
      summary: 'Give an identity a user name and password, or a certificate',
      success: 201,
      body: createBody,
      errors: [400, 401, 409, 429],
      creates: true,
      async prepare(context) {
        const { method, username, password, identityId } = context.body;
        checkProperties(context.body);
        return method === 'updb' && username !== undefined && password !== undefined
          ? { username, passwordHash: await newPasswordHash(context, identityId, password) }
          : undefined;
      },
      decide(context, password) {
        const id = context.env.ids.entity();
        const { identityId, certPem = '', tags } = context.body;
        const base = { identityId, tags: tagsOf({ tags }) };
        if (password !== undefined) createUpdb(context, id, { ...base, ...password });
        else createSubmitted(context, id, { ...base, certPem });
        return created('authenticators', id);
      },
    }),
    operation({
      id: 'updateAuthenticator',
      method: 'PUT',
      path: '/authenticators/{id}',
      permission: 'admin',
      summary: 'Replace user name and password',
      body: updateBody,
      errors: changeErrors,
      prepare: (context) => changedHash(context, context.body),
      decide(context, passwordHash) {
        const { username, tags = {} } = context.body;
        return change(context, { username, tags }, passwordHash);
      },
    }),
    operation({
      id: 'patchAuthenticator',
      method: 'PATCH',
      path: '/authenticators/{id}',
      permission: 'admin',
      summary: 'Change user name or password',
      body: Type.Partial(updateBody),
      errors: changeErrors,
      prepare: (context) => changedHash(context, context.body),
      decide: (context, passwordHash) => change(context, context.body, passwordHash),
    }),
    operation({
      id: 'requestExtendAuthenticator',
      method: 'POST',
      path: '/authenticators/{id}/request-extend',
      permission: 'admin',
      summary: 'Ask the holder of a certificate to extend it',
      body: Type.Object({ rollKeys: Type.Optional(Type.Boolean()) }),
      errors: [400, 401, 404, 409, 429],
      decide(context) {
        const { env, tx, now, body } = context;
        const { id } = rowOf(context, authenticators).record;
        const { rollKeys = false } = body;
        env.send(tx, 'authenticator', id, { type: 'requestExtend', now, rollKeys });
        return emptyReply;
      },
    }),
  ],
});

/**
 * Creates a certificate authenticator. @throws ApiError 400 unless it is exactly one certificate
 * that our CA or a verified CA vouches for.
 */
function createSubmitted(
  context: Context,
  id: string,
  { certPem, ...owner }: Pick<NewCertificate, 'identityId' | 'certPem' | 'tags'>,
): void {
  const { identityId } = owner;
  if (context.env.store.table(identityKind).find(identityId) === undefined) {
    throw fieldError('identityId', 'no identity has this id', identityId);
  }
  const submitted = submittedCertificate(context, certPem);
  createCertificateAuthenticator(context, id, { ...submitted, ...owner });
}

/** @throws ApiError 400 for a property that the method requires but lacks, or does not use. */
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

/** Only the tags of a certificate authenticator can change: it has neither name nor password. */
async function changedHash(
  context: Context,
  { username, password }: { username?: string; password?: string },
): Promise<string | undefined> {
  const { record } = rowOf(context, authenticators);
  const { method, identityId } = record;
  if (method !== 'updb' && (username ?? password) !== undefined) {
    throw new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR');
  }
  return password === undefined ? undefined : newPasswordHash(context, identityId, password);
}

function change(
  context: Context,
  body: AuthenticatorChange,
  passwordHash: string | undefined,
): Reply {
  const { id, identityId } = rowOf(context, authenticators).record;
  changeAuthenticator(context, id, body, passwordHash);
  if (passwordHash !== undefined) {
    const { env, tx, caller } = context;
    const isOwn = identityId === caller.identity.id;
    env.endSessionsOfAuthenticator(tx, id, isOwn ? caller.session.id : undefined);
  }
  return emptyReply;
}
