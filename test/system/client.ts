// A client of the controller's API: JSON over real TLS, trusting the CA file and nothing else.

import { Pool } from 'undici';
import { adminPassword, type Serving } from './process.ts';

/** Any JSON object of the API. */
export type Json = Readonly<Record<string, unknown>>;

/** An answer: its status, `data`, and the `error` and `meta` beside it. */
export interface Answer {
  readonly status: number;
  readonly data: Json;
  readonly error: Json;
  readonly meta: Json;
}

/** A request that may carry a token and a body. */
export interface Call {
  readonly token?: string | undefined;
  readonly body?: unknown;
  /** The body is text of this type; JSON when absent. */
  readonly contentType?: string;
}

/** The methods of the API. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Paths of the two APIs. */
export const management = '/edge/management/v1';
export const client = '/edge/client/v1';

/** What a client of a controller shows and trusts, all of it PEM. */
export interface TlsIdentity {
  readonly ca: string;
  /** The client certificate, then those above it. */
  readonly cert?: string;
  readonly key?: string;
}

/** Something that sends requests: connections to one controller, or to several. */
export interface Caller {
  /** Sends one request. @throws when no whole answer came. */
  call(method: Method, path: string, call?: Call): Promise<Answer>;
  /** Ends all connections at once, whatever is under way on them. */
  close(): Promise<void>;
}

/** Connections to one controller. */
export class Client implements Caller {
  readonly #pool: Pool;

  constructor(url: string, { ca, cert, key }: TlsIdentity, connections: number) {
    const shown = cert === undefined ? { ca } : { ca, cert, key };
    this.#pool = new Pool(url, { connections, connect: shown, headersTimeout: 30_000 });
  }

  async call(method: Method, path: string, call: Call = {}): Promise<Answer> {
    const { token, body, contentType } = call;
    const text = contentType === undefined ? JSON.stringify(body) : String(body);
    const answer = await this.#pool.request({
      method,
      path,
      body: body === undefined ? null : text,
      headers: {
        ...(token === undefined ? {} : { 'zt-session': token }),
        ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
      },
    });
    const envelope = (await answer.body.json()) as Partial<Answer>;
    const { data = {}, error = {}, meta = {} } = envelope;
    return { status: answer.statusCode, data, error, meta };
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** A client with the token of an API session. */
export class Api {
  readonly client: Caller;
  readonly token: string;
  /** Id of the API session. */
  readonly sessionId: string;

  constructor(http: Caller, token: string, sessionId: string) {
    this.client = http;
    this.token = token;
    this.sessionId = sessionId;
  }

  /**
   * Sends a request that must be answered 2xx. @returns its `data`. @throws with what came instead.
   */
  async ask(method: Method, path: string, body?: unknown): Promise<Json> {
    const { status, data, error } = await this.call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(error)}`);
    return data;
  }

  /** Sends a request, whatever the answer. */
  async call(method: Method, path: string, body?: unknown): Promise<Answer> {
    return await this.client.call(method, path, { token: this.token, body });
  }

  /** Creates an entity of the management API. @returns its id */
  async create(collection: string, body: Json): Promise<string> {
    return String((await this.ask('POST', `${management}/${collection}`, body))['id']);
  }

  /**
   * All rows of a collection that match `filter`. @throws when they are fewer or more than the
   * count beside them.
   */
  async all(collection: string, filter = 'true'): Promise<Json[]> {
    const path = `${management}/${collection}?limit=-1&filter=${encodeURIComponent(filter)}`;
    const answer = await this.call('GET', path);
    if (answer.status !== 200) {
      throw new Error(`GET ${path}: ${answer.status} ${JSON.stringify(answer.error)}`);
    }
    const rows = answer.data as unknown as Json[];
    const { totalCount } = answer.meta['pagination'] as { readonly totalCount: number };
    if (rows.length !== totalCount) throw new Error(`${collection}: ${rows.length}/${totalCount}`);
    return rows;
  }
}

/** Connects to a controller. The connections end with `t`. */
export function connect(
  t: { teardown(done: () => Promise<void>): void },
  at: Pick<Serving, 'url'> & TlsIdentity,
  connections = 1,
): Client {
  const made = new Client(at.url, at, connections);
  t.teardown(() => made.close());
  return made;
}

/** Logs in. @throws when that is refused. */
export async function logIn(
  http: Caller,
  username = 'admin',
  password = adminPassword,
): Promise<Api> {
  const path = `${client}/authenticate?method=password`;
  const { status, data, error } = await http.call('POST', path, { body: { username, password } });
  if (status !== 200) throw new Error(`log-in: ${status} ${JSON.stringify(error)}`);
  return new Api(http, String(data['token']), String(data['id']));
}

/** An identity that can log in with a password. @returns its id */
export async function createUser(admin: Api, name: string, password: string): Promise<string> {
  const id = await admin.create('identities', { name, type: 'Default', isAdmin: false });
  await admin.create('authenticators', {
    method: 'updb',
    identityId: id,
    username: name,
    password,
  });
  return id;
}

/** Services that everybody may dial and bind, over one router. @returns their ids */
export async function createNetwork(admin: Api, services: number): Promise<string[]> {
  const all = ['#all'];
  await admin.create('edge-routers', { name: 'router' });
  await admin.create('edge-router-policies', {
    name: 'routers',
    semantic: 'AnyOf',
    identityRoles: all,
    edgeRouterRoles: all,
  });
  await admin.create('service-edge-router-policies', {
    name: 'service-routers',
    semantic: 'AnyOf',
    serviceRoles: all,
    edgeRouterRoles: all,
  });
  for (const type of ['Dial', 'Bind']) {
    await admin.create('service-policies', {
      name: type,
      type,
      semantic: 'AnyOf',
      identityRoles: all,
      serviceRoles: all,
    });
  }
  const ids: string[] = [];
  for (let number = 0; number < services; number += 1) {
    ids.push(await admin.create('services', { name: `s${number}`, encryptionRequired: true }));
  }
  return ids;
}
