// A client of the OIDC provider as tests need one: each step of a login by itself, or all of them.

import { createHash } from 'node:crypto';
import type { Answer, CallOptions, Network } from '../simulated/network.ts';

/** Where the client is sent back to. */
export const callback = 'http://localhost:8080/auth/callback';

/** The host by which it reaches the provider. */
export const host = 'localhost:1280';

/** The secret of a client, in the length that RFC 7636 asks for. */
export const verifier = 'verifier-of-a-client-in-a-test-0123456789abc';

/** The answer to a request for tokens. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly session_cert?: string;
}

/** What a step may say beside its parameters. */
export interface StepOptions extends Pick<CallOptions, 'certificates' | 'address' | 'token'> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Parameters by name; a list stands for a repeated one. */
export type Given = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One client, `native` unless it is said otherwise. */
export class OidcClient {
  readonly network: Network;
  readonly clientId: string;
  /** Where logins led that are complete, by their ids. */
  readonly #callbacks = new Map<string, string>();

  constructor(network: Network, clientId = 'native') {
    this.network = network;
    this.clientId = clientId;
  }

  /** Sends a form, without a session. */
  post(path: string, form: Given, options: StepOptions = {}): Promise<Answer> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...options.headers };
    return this.#send(path, { ...options, headers, body: encoded(form) });
  }

  /** Sends JSON, without a session. */
  postJson(path: string, body: object, options: StepOptions = {}): Promise<Answer> {
    return this.#send(path, { ...options, body });
  }

  async #send(path: string, options: CallOptions): Promise<Answer> {
    const headers = { host, ...options.headers };
    const answer = await this.network.call('POST', path, { token: null, ...options, headers });
    const location = answer.headers['location'] ?? '';
    const [, id] = /\/oidc\/authorize\/callback\?id=([^&]+)/.exec(location) ?? [];
    if (id !== undefined) this.#callbacks.set(id, location.replace(/^https:\/\/[^/]+/, ''));
    return answer;
  }

  /** Asks for something, without a session. */
  get(path: string, options: StepOptions = {}): Promise<Answer> {
    return this.network.call('GET', path, {
      token: null,
      ...options,
      headers: { host, ...options.headers },
    });
  }

  /** The parameters of an authorization request, with others in their place. */
  authorization(more: Given = {}): Given {
    return {
      client_id: this.clientId,
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid offline_access',
      state: 'state-of-the-client',
      nonce: 'nonce-of-the-client',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    };
  }

  /** Begins a login; answers the id of the request. */
  async begin(more: Given = {}, options: StepOptions = {}): Promise<string> {
    const answer = await this.authorize(more, options);
    const [, id] = /authRequestID=(.+)$/.exec(answer.headers['location'] ?? '') ?? [];
    if (id === undefined) throw new Error(`no login began: ${answer.body.toString()}`);
    return id;
  }

  /** Begins a login. */
  authorize(more: Given = {}, options: StepOptions = {}): Promise<Answer> {
    return this.get(`/oidc/authorize?${encoded(this.authorization(more))}`, options);
  }

  /** Logs in by a password. */
  logIn(id: string, username: string, password: string, more: Given = {}, options?: StepOptions) {
    return this.post('/oidc/login/password', { id, username, password, ...more }, options);
  }

  /** The path to which a complete login led. */
  callbackOf(id: string): string {
    return this.#callbacks.get(id) ?? `/oidc/authorize/callback?id=${id}`;
  }

  /** The code of a complete login. */
  async code(id: string): Promise<string> {
    const answer = await this.get(this.callbackOf(id));
    const location = new URL(answer.headers['location'] ?? 'http://nowhere');
    const code = location.searchParams.get('code');
    if (code === null) throw new Error(`no code: ${answer.status} ${location}`);
    return code;
  }

  /** Exchanges a code. */
  exchange(code: string, more: Given = {}, options?: StepOptions): Promise<Answer> {
    return this.token(
      {
        grant_type: 'authorization_code',
        client_id: this.clientId,
        code,
        code_verifier: verifier,
        redirect_uri: callback,
        ...more,
      },
      options,
    );
  }

  /** Asks the token endpoint. */
  token(form: Given, options?: StepOptions): Promise<Answer> {
    return this.post('/oidc/oauth/token', form, options);
  }

  /** Refreshes by the refresh token grant. */
  refresh(refreshToken: string, more: Given = {}, options?: StepOptions): Promise<Answer> {
    const form = { grant_type: 'refresh_token', client_id: this.clientId };
    return this.token({ ...form, refresh_token: refreshToken, ...more }, options);
  }

  /** Exchanges a token as the Go SDK does: with HTTP Basic and an empty secret. */
  exchangeToken(
    subject: 'refresh_token' | 'access_token' | 'id_token',
    token: string,
    requested: string,
    more: Given = {},
    options: StepOptions = {},
  ): Promise<Answer> {
    const type = 'urn:ietf:params:oauth:token-type:';
    const basic = Buffer.from(`${this.clientId}:`).toString('base64');
    return this.token(
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: token,
        subject_token_type: type + subject,
        requested_token_type: requested === '' ? undefined : type + requested,
        ...more,
      },
      { ...options, headers: { authorization: `Basic ${basic}`, ...options.headers } },
    );
  }

  /** A whole login by a password; answers its tokens. */
  async tokens(username: string, password: string, more: Given = {}): Promise<Tokens> {
    const id = await this.begin(more);
    const answer = await this.logIn(id, username, password);
    if (answer.status !== 302) throw new Error(`${username}: ${answer.body.toString()}`);
    return tokensIn(await this.exchange(await this.code(id)));
  }

  /** Calls with an access token. */
  call(method: string, path: string, accessToken: string, options: CallOptions = {}) {
    return this.network.call(method, path, {
      token: null,
      ...options,
      headers: { host, authorization: `Bearer ${accessToken}`, ...options.headers },
    });
  }
}

/** The tokens of an answer. @throws Error for an answer without them. */
export function tokensIn(answer: Answer): Tokens {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.body.toString()}`);
  return answer.json() as Tokens;
}

/** The claims of a token, unverified. */
export function claimsIn(token: string): Readonly<Record<string, unknown>> {
  const [, claims = ''] = token.split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString());
}

function encoded(form: Given): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) {
    for (const one of value === undefined ? [] : [value].flat()) parameters.append(name, one);
  }
  return parameters.toString();
}
