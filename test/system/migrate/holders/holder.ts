// Somebody who logs in at a network before it is migrated, and must be able to do so afterwards.

import { Api, type Client, client, type Json } from '../../client.ts';
import { sendPlain } from '../plain-request.ts';

/** What a connection shows: a certificate, or nothing. */
export interface Shown {
  readonly cert?: string;
  readonly key?: string;
}

/** A controller as its clients see it: its address, and the root that they trust. */
export interface Reached {
  readonly url: string;
  readonly ca: string;
  connect(shown?: Shown): Client;
}

/** Somebody with credentials. */
export interface Holder {
  readonly name: string;
  readonly identityId: string;
  /** Logs in as far as these credentials lead. @throws when that is refused */
  logIn(at: Reached): Promise<Api>;
}

/** Logs in by a method with this body. @throws with the answer when that is refused */
export async function authenticate(http: Client, method: string, body: Json = {}): Promise<Api> {
  const path = `${client}/authenticate?method=${method}`;
  const { status, data, error } = await http.call('POST', path, { body });
  if (status !== 200) throw new Error(`${method}: ${status} ${JSON.stringify(error)}`);
  return new Api(http, String(data['token']), String(data['id']));
}

/** Logs in by a JWT of an external signer. @throws with the answer when that is refused */
export async function authenticateByJwt(at: Reached, jwt: string): Promise<Api> {
  const { url, ca } = at;
  const path = `${client}/authenticate?method=ext-jwt`;
  const text = await sendPlain({ url, ca, method: 'POST', path, jwt, body: {} });
  const { data } = JSON.parse(text) as { readonly data: Json };
  return new Api(at.connect(), String(data['token']), String(data['id']));
}

/** @throws unless the session is one of this identity, of which nothing more is asked */
export async function isLetIn(api: Api, identityId: string): Promise<void> {
  const session = await api.ask('GET', `${client}/current-api-session`);
  const queries = session['authQueries'];
  if (session['identityId'] !== identityId) throw new Error(`it is ${session['identityId']}`);
  if (!Array.isArray(queries) || queries.length > 0) throw new Error(JSON.stringify(queries));
}
