// A client of a controller's APIs, typed by their OpenAPI documents (docs/client.md).

import { setTimeout as pause } from 'node:timers/promises';
import createClient, { type Client } from 'openapi-fetch';
import { type FeedEvent, feedEvents } from './event-stream.ts';
import type { paths as ClientPaths } from './generated/client.d.ts';
import type { paths as FabricPaths } from './generated/fabric.d.ts';
import type { paths as ManagementPaths } from './generated/management.d.ts';
import { bytesOf, HttpsFetch, reasonOf, unreachable } from './https-fetch.ts';
import { answered, ControllerUnreachable, RequestRefused } from './request-refused.ts';
import { type ListPath, type ListQuery, type RowOf, rowsOf } from './rows.ts';

/** Which controller to ask, and how. */
export interface ControllerOptions {
  /** `https://HOST:PORT`. */
  readonly url: string;
  /** PEM of the CAs to trust, and no others: `<home>/pki/ca.pem`. */
  readonly ca: string;
  /** Host that the controller's certificate must name, if it differs from that of `url`. */
  readonly host?: string | undefined;
  /** A client certificate with those above it, and its private key; both PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  /** Connections at once; 8 by default. */
  readonly connectionsMax?: number | undefined;
  /** Time limit for one request; 60 s by default. */
  readonly timeoutMs?: number | undefined;
  /** How often a request is sent that the controller has no time for now; 10 by default. */
  readonly attemptsMax?: number | undefined;
  /** Waits between such requests; for tests. */
  readonly wait?: ((delayMs: number) => Promise<unknown>) | undefined;
}

/** Primary credentials. The certificate is that of the options. */
export type Login =
  | { readonly by: 'password'; readonly username: string; readonly password: string }
  | { readonly by: 'certificate' }
  | { readonly by: 'jwt'; readonly jwt: string };

/** The API session that a login created. */
export type ApiSession =
  ManagementPaths['/authenticate']['post']['responses'][200]['content']['application/json']['data'];

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Opaque tokens are UUIDs; access tokens of OIDC are JWTs, in parts with dots between them. */
function headerOf(token: string): Record<string, string> {
  return token.includes('.') ? { authorization: `Bearer ${token}` } : { 'zt-session': token };
}

/** Paths of the APIs. */
const roots = {
  management: '/edge/management/v1',
  client: '/edge/client/v1',
  fabric: '/fabric/v1',
} as const;

const defaults = { connectionsMax: 8, timeoutMs: 60_000, attemptsMax: 10 } as const;

/** All APIs of one controller. */
export class ControllerClient {
  /** The management API: `client.management.GET('/services/{id}', …)`. Refusals are values. */
  readonly management: Client<ManagementPaths>;
  /** The client API. */
  readonly client: Client<ClientPaths>;
  /** The fabric API: what carries traffic. */
  readonly fabric: Client<FabricPaths>;
  readonly #https: HttpsFetch;
  readonly #options: ControllerOptions;
  #token: string | undefined;

  constructor(options: ControllerOptions) {
    const { connectionsMax, timeoutMs, ...rest } = options;
    this.#options = options;
    this.#https = new HttpsFetch({
      ...rest,
      connectionsMax: connectionsMax ?? defaults.connectionsMax,
      timeoutMs: timeoutMs ?? defaults.timeoutMs,
    });
    const origin = new URL(options.url).origin;
    const fetch = (request: Request) => this.#fetch(request);
    this.management = createClient<ManagementPaths>({
      baseUrl: `${origin}${roots.management}`,
      fetch,
    });
    this.client = createClient<ClientPaths>({ baseUrl: `${origin}${roots.client}`, fetch });
    this.fabric = createClient<FabricPaths>({ baseUrl: `${origin}${roots.fabric}`, fetch });
  }

  /**
   * Creates an API session, whose token goes with each later request. If its `authQueries` is not
   * empty, it needs a second factor before it may do anything else.
   * @throws RequestRefused, ControllerUnreachable
   */
  async logIn(login: Login): Promise<ApiSession> {
    this.#token = undefined;
    const { data } = await answered(
      this.management.POST('/authenticate', {
        params: { query: { method: methods[login.by] } },
        body: login.by === 'password' ? { username: login.username, password: login.password } : {},
        headers: login.by === 'jwt' ? { authorization: `Bearer ${login.jwt}` } : {},
      }),
    );
    this.#token = data.token;
    return data;
  }

  /** Ends the API session, if there is one. @throws RequestRefused, ControllerUnreachable */
  async logOut(): Promise<void> {
    if (this.#token === undefined) return;
    await answered(this.management.DELETE('/current-api-session'));
    this.#token = undefined;
  }

  /** Goes on with an API session that exists already, by its token or by an access token. */
  useToken(token: string): void {
    this.#token = token;
  }

  /** The rows of a list of the management API, page by page. @throws RequestRefused */
  rows<P extends ListPath>(path: P, query?: ListQuery): AsyncGenerator<RowOf<P>> {
    const ask = (target: string) => this.ask('GET', target);
    return rowsOf(ask, path, query) as AsyncGenerator<RowOf<P>>;
  }

  /**
   * A request for programs that know its path only when they run.
   * @param api the management API when absent
   * @returns the body of the answer
   * @throws RequestRefused, ControllerUnreachable
   */
  async ask(
    method: Method,
    path: string,
    body?: unknown,
    api: keyof typeof roots = 'management',
  ): Promise<unknown> {
    const { origin } = new URL(this.#options.url);
    const response = await this.#fetch(
      new Request(`${origin}${roots[api]}${path}`, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
    );
    const text = await response.text();
    const parsed = parsedOf(text);
    if (!response.ok) {
      throw new RequestRefused(`${method} ${path}`, response.status, parsed, response.headers);
    }
    return parsed;
  }

  /**
   * The events of a stream of the management API, such as `/audit?fromLsn=1`. They end with the
   * stream, which the controller ends when it stops, and with `signal`.
   * @throws RequestRefused, ControllerUnreachable
   */
  async *events(path: string, signal?: AbortSignal): AsyncGenerator<FeedEvent> {
    const { origin } = new URL(this.#options.url);
    const headers = this.#token === undefined ? {} : headerOf(this.#token);
    const options = { headers, ...(signal !== undefined && { signal }) };
    try {
      const answer = await this.#https.stream(`${origin}${roots.management}${path}`, options);
      const { statusCode = 0 } = answer;
      if (statusCode !== 200) {
        const body = parsedOf((await bytesOf(answer)).toString('utf8'));
        throw new RequestRefused(`GET ${path}`, statusCode, body);
      }
      yield* feedEvents(answer);
    } catch (error) {
      if (signal?.aborted === true) return;
      if (error instanceof RequestRefused || error instanceof ControllerUnreachable) throw error;
      throw unreachable(origin, reasonOf(error), error);
    }
  }

  /** Ends the connections. An API session goes on until it expires. */
  close(): void {
    this.#https.close();
  }

  async #fetch(request: Request): Promise<Response> {
    const headers = Object.fromEntries(request.headers);
    if (this.#token !== undefined) Object.assign(headers, headerOf(this.#token));
    const body = await request.text();
    // With a length, because request bodies in chunks would need one more write.
    if (body !== '') headers['content-length'] = String(Buffer.byteLength(body));
    const { attemptsMax = defaults.attemptsMax, wait = pause } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const { method, url } = request;
      const response = await this.#sendTwice(url, { method, headers }, body);
      const delayMs = await retryDelayMs(response, attempt);
      if (delayMs === undefined || attempt >= attemptsMax) return response;
      await wait(delayMs);
    }
  }

  /**
   * A kept connection may end just when it is used. The request is sent once more then, unless it
   * could create something twice.
   */
  async #sendTwice(
    url: string,
    options: { readonly method: string; readonly headers: Record<string, string> },
    body: string,
  ): Promise<Response> {
    try {
      return await this.#https.send(url, options, body);
    } catch (error) {
      const isReset = /ECONNRESET|EPIPE|socket hang up/.test(String(causeOf(error)));
      if (!isReset || options.method === 'POST') throw error;
      return await this.#https.send(url, options, body);
    }
  }
}

const methods = { password: 'password', certificate: 'cert', jwt: 'ext-jwt' } as const;

function causeOf(error: unknown): unknown {
  return error instanceof ControllerUnreachable ? error.cause : error;
}

function parsedOf(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Waits between attempts without Retry-After: doubled from the first one. */
const firstDelayMs = 100;
/** The longest wait that a client takes from Retry-After. @bound per request */
const retryAfterMsMax = 60_000;

/**
 * How long to wait before a request is sent again; undefined if it is not. Retry-After promises
 * that nothing was done (RFC 9110 §10.2.3). Without it, only a full queue is worth another attempt
 * soon: other bounds stay as they are.
 */
async function retryDelayMs(response: Response, attempt: number): Promise<number | undefined> {
  const { status, headers } = response;
  if (status !== 429 && status !== 503) return undefined;
  const seconds = headers.get('retry-after');
  if (seconds !== null && /^\d{1,9}$/.test(seconds)) {
    return Math.min(Number(seconds) * 1000, retryAfterMsMax);
  }
  const { code } = new RequestRefused('', status, parsedOf(await response.clone().text()));
  if (code !== 'SERVER_TOO_MANY_REQUESTS') return undefined;
  return Math.min(firstDelayMs * 2 ** (attempt - 1), retryAfterMsMax);
}
