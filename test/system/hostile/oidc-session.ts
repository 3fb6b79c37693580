// A client that logs in by OIDC over real TLS, one request after the other.

import { createHash } from 'node:crypto';
import type { Pool } from 'undici';
import { callback, verifier } from '../../oidc/oidc-client.ts';
import type { Json } from '../client.ts';

/** An answer as these clients read it. */
interface Answered {
  readonly status: number;
  readonly location: string;
  /** Empty for an answer that is no JSON. */
  readonly json: Json;
}

/** What a request may bring. */
interface Given {
  readonly form?: Readonly<Record<string, string>>;
  readonly bearer?: string;
}

/** The parameters of a good authorization request. */
export const authorization: Readonly<Record<string, string>> = {
  client_id: 'native',
  response_type: 'code',
  redirect_uri: callback,
  scope: 'openid offline_access',
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
};

/** The content type of a form. */
export const formType = 'application/x-www-form-urlencoded';

/** Logs in by a password. @returns the access token. @throws where a step goes another way */
export async function logInByOidc(pool: Pool, username: string, password: string): Promise<string> {
  const begun = await send(pool, 'GET', `/oidc/authorize?${new URLSearchParams(authorization)}`);
  const id = /authRequestID=(.+)$/.exec(begun.location)?.[1] ?? '';
  const form = { id, username, password };
  const { location } = await send(pool, 'POST', '/oidc/login/password', { form });
  const back = await send(pool, 'GET', pathOf(location));
  const code = new URL(back.location).searchParams.get('code') ?? '';
  const { json } = await send(pool, 'POST', '/oidc/oauth/token', {
    form: {
      grant_type: 'authorization_code',
      client_id: 'native',
      redirect_uri: callback,
      code_verifier: verifier,
      code,
    },
  });
  return String(json['access_token']);
}

/** Asks with an access token. @throws for any answer but 2xx */
export async function askByBearer(
  pool: Pool,
  method: 'GET' | 'DELETE',
  path: string,
  bearer: string,
): Promise<Json> {
  return (await send(pool, method, path, { bearer })).json;
}

/** @throws for any answer but 2xx and 302 */
async function send(
  pool: Pool,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { form, bearer }: Given = {},
): Promise<Answered> {
  const { statusCode, headers, body } = await pool.request({
    method,
    path,
    body: form === undefined ? null : new URLSearchParams(form).toString(),
    headers: {
      ...(form === undefined ? {} : { 'content-type': formType }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
  });
  const text = await body.text();
  if (statusCode >= 400) throw new Error(`${method} ${path.slice(0, 40)}: ${statusCode} ${text}`);
  const isJson = String(headers['content-type']).includes('json');
  const json = isJson ? (JSON.parse(text) as Json) : {};
  return { status: statusCode, location: String(headers['location'] ?? ''), json };
}

const pathOf = (url: string) => url.replace(/^https:\/\/[^/]+/, '');
