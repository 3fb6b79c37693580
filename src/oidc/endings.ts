// Log-out and revocation by clients (behaviour/oidc#endings).

import { revoke } from '../auth/oidc/revocations.ts';
import type { Reply } from '../declare/operations/operation.ts';
import { ApiError } from '../errors/errors.ts';
import type { VerifiedToken } from '../pki/tokens/oidc-tokens.ts';
import { jwtCharactersMax } from '../pki/tokens/signer.ts';
import { apiSessionKind } from '../records/api-session.ts';
import { identityKind } from '../records/identity.ts';
import { revocationKind } from '../records/revocation.ts';
import { clientOf, isLogoutUri } from './clients.ts';
import { type Context, type Operation, operation } from './context.ts';
import { formType, invalidRequest, parametersOf } from './parameters.ts';
import { json, originOf, redirect, text } from './replies.ts';

/** Where a log-out ends that names no place. */
const loggedOutPath = '/oidc/logged-out';

/** The operations. */
export const endings: readonly Operation[] = [
  ...(['GET', 'POST'] as const).map((method) =>
    operation({
      id: method === 'GET' ? 'oidcEndSession' : 'oidcEndSessionByPost',
      oidc: 'protocol',
      method,
      path: '/end_session',
      access: 'public',
      summary: 'Log out',
      rawTypes: [formType],
      errors: [400],
      writes: true,
      decide: logOut,
    }),
  ),
  ...(['/revoke', '/oauth/revoke'] as const).map((path) =>
    operation({
      id: path === '/revoke' ? 'oidcRevoke' : 'oidcRevokeAlias',
      oidc: 'protocol',
      method: 'POST',
      path,
      access: 'public',
      summary: 'Revoke a token',
      rawTypes: [formType],
      errors: [400, 429],
      creates: 'sometimes',
      decide: revokeToken,
    }),
  ),
  operation({
    id: 'oidcLoggedOut',
    oidc: 'protocol',
    path: '/logged-out',
    answered: 'leader',
    access: 'public',
    summary: 'Where a log-out ends that names no place',
    errors: [],
    decide(context) {
      originOf(context);
      return text('You are logged out.\n', 'text/plain; charset=utf-8');
    },
  }),
];

/** Ends the session that the id token names, and no other one of the identity. */
function logOut(context: Context): Reply {
  originOf(context);
  const parameters = parametersOf(context);
  const uri = parameters.one('post_logout_redirect_uri');
  const state = parameters.one('state');
  if (uri !== '' && !isLogoutUri(context, uri)) {
    throw invalidRequest('post_logout_redirect_uri', 'is not one of this client');
  }
  const hint = parameters.one('id_token_hint', jwtCharactersMax);
  if (hint !== '') {
    const token = context.env.oidcTokens.verifyId(hint);
    if (token === undefined) throw invalidRequest('id_token_hint', 'is not an id token of ours');
    endSession(context, token.z_asid);
  }
  if (uri === '') return redirect(loggedOutPath);
  return redirect(state === '' ? uri : `${uri}?${new URLSearchParams({ state })}`);
}

/**
 * RFC 7009: 200 also for what is no token. A refresh token takes its session with it; an access
 * token goes alone.
 */
function revokeToken(context: Context): Reply {
  originOf(context);
  const parameters = parametersOf(context);
  const text = parameters.one('token', jwtCharactersMax);
  if (text === '') throw invalidRequest('token', 'is required');
  const client = clientOf(context, parameters);
  const { oidcTokens } = context.env;
  const refresh = oidcTokens.verify(text, 'r');
  const access = refresh === undefined ? oidcTokens.verify(text, 'a') : undefined;
  const token = refresh ?? access;
  // A client does not learn of the tokens of another one.
  if (token === undefined || token.aud[0] !== client) return json({});
  if (refresh !== undefined) endSession(context, refresh.z_asid);
  else revokeAccess(context, token);
  return json({});
}

/** It is written only while it can make a difference, and leaves room for what matters more. */
function revokeAccess(context: Context, { sub, jti, exp }: VerifiedToken): void {
  const { env, now } = context;
  const identity = env.store.table(identityKind).find(sub);
  if (exp * 1000 <= now || identity === undefined) return;
  env.rates.countLogin(identity);
  env.memory.admitRecord();
  const revocations = env.store.table(revocationKind);
  if (2 * revocations.size >= revocations.recordsMax) throw new ApiError('TOO_MANY_RECORDS');
  revoke(context, 'JTI', jti, exp * 1000);
}

function endSession({ env, tx, now }: Context, id: string): void {
  const session = env.store.table(apiSessionKind).find(id)?.record;
  if (session === undefined) return;
  tx.actAs(session.identityId);
  env.registry.cascades.remove(tx, apiSessionKind.kind, id, () =>
    env.send(tx, apiSessionKind.kind, id, { type: 'logOut', now }),
  );
}
