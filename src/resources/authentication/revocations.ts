// Revocations of tokens, API sessions and identities in the management API (behaviour/revocations).

import Type from 'typebox';
import { revocationLifetimeMs } from '../../auth/oidc/revocations.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import { identityKind } from '../../records/identity.ts';
import { type RevocationRecord, revocationKind } from '../../records/revocation.ts';
import { type Context, defineResource } from '../context.ts';

/** `/revocations` */
export const revocations = defineResource({
  kind: revocationKind,
  path: 'revocations',
  answered: 'leader',
  title: 'revocation',
  names: { one: 'Revocation', many: 'Revocations' },
  verbs: { management: ['list', 'get', 'create'] },
  permission: 'admin_readonly',
  inputs: { create: { id: Type.String({ minLength: 1, maxLength: 200 }) } },
  alsoFiltered: ['issuedBefore'],
  // UUIDs of tokens and sessions have lower case.
  idOf: (_context, { id, type }) => (type === 'IDENTITY' ? String(id) : String(id).toLowerCase()),
  check(context, draft) {
    const { id, type } = draft;
    if (type !== 'IDENTITY' && !uuid.test(id)) throw fieldError('id', 'must be a UUID', id);
    if (type === 'IDENTITY' && context.env.store.table(identityKind).find(id) === undefined) {
      const cause = { field: 'id', reason: 'no identity has this id', value: id };
      throw new ApiError('NOT_FOUND', { cause });
    }
    draft.expiresAt = context.now + revocationLifetimeMs(context.env.config);
    draft.issuedBefore = type === 'IDENTITY' ? context.now : undefined;
  },
  written: (context, record) => endRevoked(context, record),
  example: { id: '9f1c2c52-6f5c-4f2e-8d0b-3a6b1f9f0c11', type: 'JTI' },
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Nothing that was revoked goes on, whatever routers think. */
function endRevoked({ env, tx }: Context, { id, type }: RevocationRecord): void {
  const { store } = env;
  if (type === 'API_SESSION' && store.table(apiSessionKind).find(id) !== undefined) {
    env.registry.cascades.remove(tx, apiSessionKind.kind, id);
  }
  if (type === 'IDENTITY') env.endApiSessions(tx, id);
}
