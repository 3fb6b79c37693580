// The clients of the provider, and where each of them may be sent back to (behaviour/oidc#clients).

import { oidcClients } from '../auth/oidc/access-tokens.ts';
import { ApiError } from '../errors/errors.ts';
import type { Context } from './context.ts';
import { invalidRequest, type Parameters } from './parameters.ts';

const callbackPath = '/auth/callback';
const logoutPath = '/auth/logout';

/**
 * The client of a request, by `client_id` or the header `Authorization`. Clients are public, so any
 * secret will do.
 * @throws ApiError INVALID_REQUEST, INVALID_CLIENT.
 */
export function clientOf(context: Context, parameters: Parameters): string {
  const named = parameters.one('client_id');
  const basic = basicName(context.request.header('authorization'));
  if (named !== '' && basic !== undefined && named !== basic) throw new ApiError('INVALID_CLIENT');
  const client = named || basic;
  if (client === undefined || client === '') throw invalidRequest('client_id', 'is required');
  if (!oidcClients.has(client)) throw new ApiError('INVALID_CLIENT');
  return client;
}

/** The user name of HTTP Basic (RFC 6749 §2.3.1); undefined for another header or none. */
function basicName(header: string): string | undefined {
  for (const value of header.split(',')) {
    const [, encoded] = /^\s*basic +([\w+/=]+)\s*$/i.exec(value) ?? [];
    if (encoded === undefined) continue;
    const [name = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 1);
    return name;
  }
  return undefined;
}

/** Whether a login may send a browser there: the text as it is, but for a port. */
export function isRedirectUri(context: Pick<Context, 'env'>, uri: string): boolean {
  const { redirectUris } = context.env.config.oidc;
  return redirectUris.some((pattern) => matches(pattern, uri)) || isOwn(context, uri, callbackPath);
}

/** Whether a log-out may send a browser there: the same places, with another path. */
export function isLogoutUri(context: Pick<Context, 'env'>, uri: string): boolean {
  const { redirectUris } = context.env.config.oidc;
  const places = redirectUris
    .filter((pattern) => pattern.endsWith(callbackPath))
    .map((pattern) => pattern.slice(0, -callbackPath.length) + logoutPath);
  return places.some((pattern) => matches(pattern, uri)) || isOwn(context, uri, logoutPath);
}

/** The console that we serve is at each of our own names. */
function isOwn({ env }: Pick<Context, 'env'>, uri: string, path: string): boolean {
  const start = 'https://';
  if (!uri.startsWith(start) || !uri.endsWith(path)) return false;
  const host = uri.slice(start.length, -path.length);
  return env.issuers.originOf(host) === start + host;
}

const anyPort = ':*';

function matches(pattern: string, uri: string): boolean {
  const at = pattern.indexOf(anyPort);
  if (at < 0) return pattern === uri;
  const start = pattern.slice(0, at + 1);
  const end = pattern.slice(at + anyPort.length);
  if (uri.length <= start.length + end.length) return false;
  const port = uri.slice(start.length, uri.length - end.length);
  const isPort = /^\d{1,5}$/.test(port) && Number(port) <= 65_535;
  return isPort && uri.startsWith(start) && uri.endsWith(end);
}
