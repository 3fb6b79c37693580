// The caller's own authenticators: /current-identity/authenticators (behaviour/certificates).

import Type from 'typebox';
import { listReply } from '../../declare/lists/list.ts';
import { detail, emptyReply, type Reply } from '../../declare/operations/operation.ts';
import { ApiError, notFound } from '../../errors/errors.ts';
import {
  type AuthenticatorRecord,
  authenticatorKind,
  usernameSchema,
} from '../../records/authenticator.ts';
import type { Row } from '../../store/record.ts';
import {
  type Context,
  type DefinedResource,
  defineResource,
  type Operation,
  operation,
} from '../context.ts';
import { changeAuthenticator, passwordSchema } from './authenticator.ts';
import { authenticatorSymbols } from './managed-authenticator.ts';
import { callerShare, newPasswordHash, wrongPassword } from './passwords.ts';
import { clearWrongPasswords } from './wrong-passwords.ts';

const tags = Type.Optional(Type.Record(Type.String(), Type.Unknown()));
const changed = { username: usernameSchema, password: passwordSchema };
const bodies = {
  update: Type.Object({ ...changed, currentPassword: passwordSchema, tags }),
  patch: Type.Object({
    username: Type.Optional(usernameSchema),
    password: Type.Optional(passwordSchema),
    currentPassword: passwordSchema,
    tags,
  }),
};

/** Authenticators as their owner sees them, in both APIs. */
export const ownAuthenticators: DefinedResource<typeof authenticatorKind.fields> = defineResource({
  kind: authenticatorKind,
  path: 'current-identity/authenticators',
  answered: 'here',
  title: 'own authenticator',
  names: { one: 'CurrentIdentityAuthenticator', many: 'CurrentIdentityAuthenticators' },
  verbs: {},
  linksOf: () => ({ identity: './current-identity' }),
  ...authenticatorSymbols,
  operations: [
    operation({
      id: 'listCurrentIdentityAuthenticators',
      apis: ['client', 'management'],
      path: '/current-identity/authenticators',
      answered: 'here',
      access: 'full',
      summary: 'List the authenticators of the caller',
      answer: () => Type.Array(ownAuthenticators.answerSchema),
      isList: true,
      errors: [400, 401],
      decide(context) {
        const { store, registry } = context.env;
        const rows = store
          .table(authenticatorKind)
          .members('identityId', context.caller.identity.id);
        return listReply(context, registry.of(ownAuthenticators), { form: 'rows', rows });
      },
    }),
    operation({
      id: 'detailCurrentIdentityAuthenticator',
      apis: ['client', 'management'],
      path: '/current-identity/authenticators/{id}',
      answered: 'here',
      access: 'full',
      summary: 'Get one authenticator of the caller',
      answer: () => ownAuthenticators.answerSchema,
      errors: [401, 404],
      decide(context) {
        const { view } = context.env.registry.of(ownAuthenticators);
        return detail(view.chunks(ownAuthenticator(context).record, context));
      },
    }),
    changeOperation('update'),
    changeOperation('patch'),
  ],
});

/**
 * The authenticator that the path's `id` names. @throws ApiError NOT_FOUND also for that of another
 * identity.
 */
export function ownAuthenticator(context: Context): Row<AuthenticatorRecord> {
  const id = context.params['id'] ?? '';
  const row = context.env.store.table(authenticatorKind).find(id);
  if (row === undefined || row.record.identityId !== context.caller.identity.id) {
    throw notFound('authenticator', id);
  }
  return row;
}

type Change = Type.Static<typeof bodies.patch>;

/** The result of checking the current password. */
interface Facts {
  readonly isRight: boolean;
  /** Hash of the new password, if there is one. */
  readonly passwordHash: string | undefined;
}

function changeOperation(verb: 'update' | 'patch'): Operation {
  const isPatch = verb === 'patch';
  return operation({
    id: `${verb}CurrentIdentityAuthenticator`,
    apis: ['client', 'management'],
    method: isPatch ? 'PATCH' : 'PUT',
    path: '/current-identity/authenticators/{id}',
    access: 'full',
    summary: isPatch
      ? 'Change user name or password of the caller'
      : 'Replace user name and password of the caller',
    body: bodies[verb],
    errors: [400, 401, 404, 409],
    prepare: (context: Context<Change>) => checkCurrent(context),
    decide: (context: Context<Change>, facts) => change(context, isPatch, facts),
  });
}

/** A caller who does not know the current password learns nothing about the rules for new ones. */
async function checkCurrent(context: Context<Change>): Promise<Facts> {
  const { currentPassword, password } = context.body;
  const row = ownAuthenticator(context);
  const { method, passwordHash, identityId } = row.record;
  if (method !== 'updb') throw new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR');
  context.restsOn('authenticator', row);
  const share = callerShare(context, identityId);
  const isRight = await context.env.checkPassword(passwordHash, currentPassword, share);
  const isToHash = isRight && password !== undefined;
  return {
    isRight,
    passwordHash: isToHash ? await newPasswordHash(context, identityId, password) : undefined,
  };
}

function change(context: Context<Change>, isPatch: boolean, facts: Facts): Reply {
  const { record } = ownAuthenticator(context);
  if (!facts.isRight) return wrongPassword(context, record, 'UNAUTHORIZED');
  clearWrongPasswords(context, record.id);
  const { username, tags: given } = context.body;
  const body = { username, tags: given ?? (isPatch ? undefined : {}) };
  changeAuthenticator(context, record.id, body, facts.passwordHash);
  if (facts.passwordHash !== undefined) {
    const { env, tx, caller } = context;
    env.endSessionsOfAuthenticator(tx, record.id, caller.session.id);
  }
  return emptyReply;
}
