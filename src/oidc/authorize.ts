// The beginning and the end of a login: `/authorize` and its callback (behaviour/oidc#authorize).

import type { Reply } from '../declare/operations/operation.ts';
import { ApiError } from '../errors/errors.ts';
import { apiSessionKind, keepsJwts } from '../records/api-session.ts';
import { type AuthRequestRecord, authRequestKind } from '../records/auth-request.ts';
import { tokenHash } from '../records/token-hash.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { Row } from '../store/record.ts';
import { clientOf, isRedirectUri } from './clients.ts';
import { type Context, type Operation, operation } from './context.ts';
import { isSecret } from './page.ts';
import { formType, invalidRequest, type Parameters, parametersOf } from './parameters.ts';
import { originOf, redirect } from './replies.ts';

const kind = authRequestKind.kind;

/** How long a login may take. */
const requestLifetimeMs = 10 * 60_000;

/** How long a code can be exchanged. */
const codeLifetimeMs = 60_000;

/** The scopes that mean something here; others are ignored (RFC 6749 §3.3). */
const knownScopes = ['openid', 'offline_access'] as const;

/** The scope with which a client gets refresh tokens. */
export const offlineAccess = 'offline_access';

/** The operations. */
export const authorization: readonly Operation[] = [
  ...(['GET', 'POST'] as const).map((method) =>
    operation({
      id: method === 'GET' ? 'oidcAuthorize' : 'oidcAuthorizeByPost',
      oidc: 'protocol',
      method,
      path: '/authorize',
      access: 'public',
      summary: 'Begin a login',
      rawTypes: [formType],
      errors: [400, 409, 429],
      // They are bounded by themselves, and administrators must be able to log in at any time.
      creates: 'sometimes',
      writes: true,
      decide: authorize,
    }),
  ),
  operation({
    id: 'oidcCallback',
    oidc: 'protocol',
    path: '/authorize/callback',
    access: 'public',
    summary: 'Send the client back with a code',
    errors: [400],
    writes: true,
    decide: sendBack,
  }),
];

/** An authorization request that is in progress. */
export function requestOf({ env }: Context, id: string): Row<AuthRequestRecord> | undefined {
  return id.length > requestIdCharactersMax ? undefined : env.store.table(authRequestKind).find(id);
}

/** The id of a request, a UUID. @bound per request */
const requestIdCharactersMax = 40;

function authorize(context: Context): Reply {
  originOf(context);
  const sessions = context.env.store.table(apiSessionKind);
  if (!keepsJwts(sessions)) throw new ApiError('UPGRADE_NOT_FINAL');
  const parameters = parametersOf(context);
  // Nobody is sent anywhere before client and address are known to be good (RFC 9700 §4.11.2).
  const clientId = clientOf(context, parameters);
  const redirectUri = parameters.one('redirect_uri');
  if (redirectUri === '') throw invalidRequest('redirect_uri', 'is required');
  if (!isRedirectUri(context, redirectUri)) {
    throw invalidRequest('redirect_uri', 'is not one of this client');
  }
  const responseType = parameters.one('response_type');
  if (responseType === '') throw invalidRequest('response_type', 'is required');
  if (responseType !== 'code') throw new ApiError('UNAUTHORIZED_CLIENT');
  const clientState = parameters.one('state') || undefined;
  const target = { redirectUri, clientState };
  if (parameters.one('prompt') === 'none') {
    return backWith(target, { error: 'login_required' });
  }
  const codeChallenge = parameters.one('code_challenge');
  const challengeMethod = parameters.one('code_challenge_method');
  if (challengeMethod !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge)) {
    const description = 'code_challenge of method S256 is required';
    return backWith(target, { error: 'invalid_request', error_description: description });
  }
  const id = begin(context, {
    ...target,
    clientId,
    codeChallenge,
    scopes: knownScopes.filter((scope) => scopesIn(parameters).includes(scope)),
    nonce: parameters.one('nonce') || undefined,
    configTypes: configTypesIn(parameters.all('configTypes')),
  });
  return redirect(`/oidc/login/${pageOf(context, parameters)}?authRequestID=${id}`);
}

type Asked = Pick<
  AuthRequestRecord,
  'redirectUri' | 'clientState' | 'clientId' | 'codeChallenge' | 'scopes' | 'nonce' | 'configTypes'
>;

/** Begins a request, in place of an older one if there are too many. */
function begin({ env, tx, now, request }: Context, asked: Asked): string {
  const { address } = request.peer;
  const { waitingRequests, store, ids } = env;
  const { authRequestsPerAddressMax } = boundsOf(requestBounds, env.bounds);
  const { authRequestsMax } = env.config.oidc;
  const ofAddress = waitingRequests.oldestOf(address, authRequestsPerAddressMax);
  if (ofAddress !== undefined) env.send(tx, kind, ofAddress, { type: 'revoke', now });
  else if (store.table(authRequestKind).size >= authRequestsMax) {
    const { oldest } = waitingRequests;
    if (oldest === undefined) throw new ApiError('SERVER_TOO_MANY_REQUESTS');
    env.send(tx, kind, oldest, { type: 'revoke', now });
  }
  const id = ids.uuid();
  const fields = {
    tags: {},
    ...asked,
    address,
    formToken: env.newSecret(),
    callbackKey: env.newSecret(),
    expiresAt: now + requestLifetimeMs,
    login: undefined,
  };
  env.send(tx, kind, id, { type: 'authorize', now, fields });
  return id;
}

/** Names or ids of config types, which are looked up at the login. */
function configTypesIn(values: readonly string[]): string[] {
  const names = values.flatMap((value) => value.split(',')).filter((name) => name !== '');
  const characters = names.reduce((sum, { length }) => sum + length, 0);
  if (names.length > configTypesMax || characters > configTypeCharactersMax) {
    const reason = `has more than ${configTypesMax} names or ${configTypeCharactersMax} characters`;
    throw invalidRequest('configTypes', reason);
  }
  return names;
}

/** Config types that a stranger may name. @bound per request */
const configTypesMax = 64;
/** Characters of all of them: anybody can have them kept for ten minutes. @bound per request */
const configTypeCharactersMax = 4096;

function scopesIn(parameters: Parameters): readonly string[] {
  return parameters.one('scope').split(' ');
}

/** The login page by the method that the client asks for, or by its certificate. */
function pageOf({ request }: Context, parameters: Parameters): string {
  switch (parameters.one('method')) {
    case 'cert':
      return 'cert';
    case 'ext-jwt':
      return 'ext-jwt';
    case 'password':
      return 'username';
    default:
      return request.peer.certificates.length > 0 ? 'cert' : 'username';
  }
}

/** Each call makes a new code, and voids the one before. */
function sendBack(context: Context): Reply {
  const { env, tx, now } = context;
  originOf(context);
  const parameters = parametersOf(context);
  const row = requestOf(context, parameters.one('id'));
  if (row === undefined) throw invalidRequest('id', 'is not that of a login in progress');
  if (row.record.state !== 'complete') {
    const description = 'the login is not complete';
    return backWith(row.record, {
      error: 'interaction_required',
      error_description: description,
    });
  }
  // The person who began the login may not be the one who logged in.
  if (!isSecret(row.record.callbackKey, parameters.one('key'))) {
    throw invalidRequest('key', 'is not that of this login');
  }
  const code = env.newSecret();
  const codeUntil = now + codeLifetimeMs;
  env.send(tx, kind, row.id, { type: 'issueCode', now, codeHash: tokenHash(code), codeUntil });
  return backWith(row.record, { code });
}

/** Sends the client back, with its own value. */
function backWith(
  { redirectUri, clientState }: Pick<AuthRequestRecord, 'redirectUri' | 'clientState'>,
  answer: Readonly<Record<string, string>>,
): Reply {
  const parameters = new URLSearchParams(answer);
  if (clientState !== undefined) parameters.set('state', clientState);
  return redirect(`${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`);
}

const requestBounds = {
  /**
   * Logins by OIDC from one address in which nobody has logged in yet; a further one ends the
   * oldest. @bound per address
   */
  authRequestsPerAddressMax: 100,
};
