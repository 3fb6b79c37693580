// The forms of the provider's answers, which have no envelope (behaviour/oidc#answers).

import type { Reply } from '../declare/operations/operation.ts';
import { ApiError } from '../errors/errors.ts';
import type { Header } from '../platform/http-exchange.ts';
import type { Context } from './context.ts';

/** What the pages of other origins may read of an answer. */
const exposed: Header = [
  'access-control-expose-headers',
  'auth-request-id, totp-required, location, www-authenticate',
];

/** Answers of logins and with tokens must not be kept. */
const notStored: Header = ['cache-control', 'no-store'];

/** JSON without an envelope. */
export function json(
  value: object,
  { status = 200, headers = [] }: { status?: 200 | 201; headers?: readonly Header[] } = {},
): Reply {
  return {
    form: 'bare',
    status,
    contentType: 'application/json',
    body: JSON.stringify(value),
    headers: [notStored, exposed, ...headers],
  };
}

/** A text, or a page. */
export function text(
  body: string,
  contentType: 'text/plain; charset=utf-8' | 'text/html; charset=utf-8',
  { status = 200, headers = [] }: { status?: 200 | 400 | 401; headers?: readonly Header[] } = {},
): Reply {
  return { form: 'bare', status, contentType, body, headers: [notStored, exposed, ...headers] };
}

/** Sends the client elsewhere. The address holds only what headers may hold. */
export function redirect(location: string): Reply {
  return {
    form: 'bare',
    status: 302,
    contentType: 'text/plain; charset=utf-8',
    body: '',
    headers: [['location', location], notStored, exposed],
  };
}

/**
 * `https://HOST:PORT` under which the client reached the provider.
 * @throws ApiError NOT_FOUND for a foreign `Host` (behaviour/oidc#issuers)
 */
export function originOf({ env, request }: Pick<Context, 'env' | 'request'>): string {
  const origin = env.issuers.originOf(request.header('host'));
  if (origin === undefined) throw new ApiError('NOT_FOUND');
  return origin;
}

/** Whether a browser asks, and not a program. */
export function wantsPage({ request }: Pick<Context, 'request'>): boolean {
  const accept = request.header('accept').toLowerCase();
  return accept.includes('text/html') && !accept.includes('application/json');
}
