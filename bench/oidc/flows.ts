// Logins by OIDC as clients of the field send them, and the refresh that follows them.

import { createHash } from 'node:crypto';
import type { FlowStep } from '../load/flow.ts';
import type { RequestTemplate, Slot } from '../load/job.ts';
import { callerPassword } from '../requests.ts';

/** The secret of all clients: what checking it costs does not depend on it (RFC 7636). */
const verifier = 'verifier-of-the-clients-of-the-bench-0123456789';

const clientId = 'native';

const tokenPath = '/oidc/oauth/token';

const tokens: FlowStep['captures'] = [
  { name: 'access', after: '"access_token":"', until: '"' },
  { name: 'refresh', after: '"refresh_token":"', until: '"' },
];

const redirectUri = 'http://localhost:8080/auth/callback';

/** The credential of the login request. */
export interface FirstFactor {
  /** The path of the login ends so. */
  readonly method: 'password' | 'cert' | 'ext-jwt';
  /** Fields of the form and headers, with slots. */
  readonly fields: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly slots: RequestTemplate['slots'];
}

/** Logins by the password of all callers. */
export function byPassword(names: readonly string[]): FirstFactor {
  const fields = { username: '{{name}}', password: callerPassword };
  return { method: 'password', fields, headers: {}, slots: { name: inTurn(names) } };
}

/** Logins by the certificates of the connections. */
export const byCertificate: FirstFactor = { method: 'cert', fields: {}, headers: {}, slots: {} };

/** Logins by tokens of an external provider: the cheapest way to many sessions. */
export function byJwt(jwts: readonly string[]): FirstFactor {
  const headers = { authorization: 'Bearer {{jwt}}' };
  return { method: 'ext-jwt', fields: {}, headers, slots: { jwt: inTurn(jwts) } };
}

function inTurn(values: readonly string[]): Slot {
  return { kind: 'list', values, every: 1, repeats: true };
}

/** All requests of a login, up to its tokens, which are captured as `access` and `refresh`. */
export function loginSteps({ method, fields, headers, slots }: FirstFactor): readonly FlowStep[] {
  const asked = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    state: 'state-of-a-client',
    nonce: 'nonce-of-a-client',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    method,
  };
  const exchange = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: '{{code}}',
    code_verifier: verifier,
    redirect_uri: redirectUri,
  };
  return [
    {
      request: getting(`/oidc/authorize?${formText(asked)}`),
      status: 302,
      captures: [{ name: 'request', after: 'authRequestID=', until: '\r\n' }],
    },
    {
      request: posting(`/oidc/login/${method}`, { id: '{{request}}', ...fields }, headers, slots),
      status: 302,
      captures: [{ name: 'callback', after: '/oidc/authorize/callback?', until: '\r\n' }],
    },
    {
      request: getting('/oidc/authorize/callback?{{callback}}'),
      status: 302,
      captures: [{ name: 'code', after: '?code=', until: '&' }],
    },
    { request: posting(tokenPath, exchange), status: 200, captures: tokens },
  ];
}

/** One refresh by the newest refresh token of the connection. */
export function refreshStep(): FlowStep {
  return { request: refreshRequest({}), status: 200, captures: tokens };
}

/** A refresh by `{{refresh}}`. */
export function refreshRequest(slots: RequestTemplate['slots']): RequestTemplate {
  const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: '{{refresh}}' };
  return posting(tokenPath, fields, {}, slots);
}

function getting(path: string): RequestTemplate {
  return { method: 'GET', path, headers: {}, body: '', slots: {} };
}

function posting(
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
  slots: RequestTemplate['slots'] = {},
): RequestTemplate {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', path, headers: { ...type, ...headers }, body: formText(fields), slots };
}

/** The marks of slots are kept: what fills them needs no encoding. */
function formText(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value.startsWith('{{') ? value : encodeURIComponent(value)}`)
    .join('&');
}
