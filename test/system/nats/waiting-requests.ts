// Requests for a leader that is stopped. Each shows by its answer whether it was answered from the
// state before another node led, or from the state that this node has made.

import { strict as assert } from 'node:assert';
import { type Api, Client, client, type Json, logIn, management } from '../client.ts';
import type { Serving } from '../process.ts';

/** An answer as it came over a connection. */
export interface RawAnswer {
  readonly status: number;
  /** `data` of its envelope. */
  readonly data: unknown;
}

/** A request that waits in a socket. */
export interface WaitingRequest {
  readonly name: string;
  /** Head and body. */
  readonly text: string;
  /** Whether an answer is from the new state. */
  readonly isNew: (answer: RawAnswer) => boolean;
  /** Whether it can be asked of the old state without changing it. */
  readonly isRead?: true;
}

/** Records before the takeover. */
export interface OldState {
  /** Part of all names. */
  readonly prefix: string;
  readonly admin: Api;
  /** Identities, by what will become of them. */
  readonly renamed: string;
  readonly removed: string;
  readonly invited: string;
  /** The single-use token of the last one's enrollment. */
  readonly enrollment: string;
  /** Of a user whose password will be changed. */
  readonly authenticator: string;
  readonly disabled: string;
  /** An API session that will end. */
  readonly ended: Api;
  /** For the stream of an inspector. */
  readonly ticket: string;
}

/** What only the next leader knows. */
export interface NewState {
  readonly created: string;
  /** Token of an API session. */
  readonly token: string;
}

const oldPassword = 'password-before';
const newPassword = 'password-after';

/** Creates the records of one try at the leader. */
export async function prepareOldState(
  admin: Api,
  serving: Serving,
  prefix: string,
): Promise<OldState> {
  const identity = async (name: string, more: Json = {}) =>
    await admin.create('identities', body(`${prefix}-${name}`, more));
  const user = async (name: string) => {
    const identityId = await identity(name);
    const credentials = { username: `${prefix}-${name}`, password: oldPassword };
    const authenticator = { method: 'updb', identityId, ...credentials };
    return { identityId, authenticator: await admin.create('authenticators', authenticator) };
  };
  const invited = await identity('invited', { enrollment: { ott: true } });
  const { enrollment } = await admin.ask('GET', `${management}/identities/${invited}`);
  const { authenticator } = await user('user');
  const { identityId: disabled } = await user('disabled');
  await user('ended');
  const http = new Client(serving.url, serving, 1);
  const ended = await logIn(http, `${prefix}-ended`, oldPassword);
  await http.close();
  const { ticket } = await admin.ask('POST', `${management}/inspect/tickets`);
  return {
    prefix,
    admin,
    renamed: await identity('old-name'),
    removed: await identity('removed'),
    invited,
    enrollment: tokenOf(enrollment),
    authenticator,
    disabled,
    ended,
    ticket: String(ticket),
  };
}

/** Changes at the next leader all that the requests would show. */
export async function changeState(old: OldState, admin: Api, serving: Serving): Promise<NewState> {
  const { prefix } = old;
  const at = (path: string) => `${management}/${path}`;
  await admin.ask('PATCH', at(`identities/${old.renamed}`), { name: `${prefix}-new-name` });
  await admin.ask('DELETE', at(`identities/${old.removed}`));
  await admin.ask('DELETE', at(`identities/${old.invited}`));
  await admin.ask('PATCH', at(`authenticators/${old.authenticator}`), { password: newPassword });
  await admin.ask('POST', at(`identities/${old.disabled}/disable`), { durationMinutes: 0 });
  await admin.ask('DELETE', at(`api-sessions/${old.ended.sessionId}`));
  const created = await admin.create('identities', body(`${prefix}-created`));
  const http = new Client(serving.url, serving, 1);
  const { token } = await logIn(http, `${prefix}-user`, newPassword);
  await http.close();
  return { created, token };
}

/** Requests that can be written as soon as the leader is stopped. */
export function requestsBefore(old: OldState, csr: string): WaitingRequest[] {
  return [...readsBefore(old), ...writesBefore(old, csr)];
}

function readsBefore({ prefix, admin, renamed, removed, ended }: OldState): WaitingRequest[] {
  const { token } = admin;
  const identities = `${management}/identities`;
  const filter = encodeURIComponent(`name="${prefix}-created"`);
  return [
    {
      name: 'reads a renamed identity',
      text: request('GET', `${identities}/${renamed}`, { token }),
      isNew: ({ status, data }) => status === 200 && isNamed(data, `${prefix}-new-name`),
      isRead: true,
    },
    {
      name: 'reads a removed identity',
      text: request('GET', `${identities}/${removed}`, { token }),
      isNew: ({ status }) => status === 404,
      isRead: true,
    },
    {
      name: 'lists identities by a name that is taken meanwhile',
      text: request('GET', `${identities}?filter=${filter}`, { token }),
      isNew: ({ status, data }) => status === 200 && Array.isArray(data) && data.length === 1,
      isRead: true,
    },
    {
      name: 'asks with the token of an API session that has ended',
      text: request('GET', `${client}/current-identity`, { token: ended.token }),
      isNew: ({ status }) => status === 401,
      isRead: true,
    },
    {
      name: 'logs in with the former password',
      text: logInRequest(`${prefix}-user`, oldPassword),
      isNew: ({ status }) => status === 401,
      isRead: true,
    },
    {
      name: 'logs in with the new password',
      text: logInRequest(`${prefix}-user`, newPassword),
      isNew: ({ status }) => status === 200,
      isRead: true,
    },
    {
      name: 'logs in as a disabled identity',
      text: logInRequest(`${prefix}-disabled`, oldPassword),
      isNew: ({ status }) => status === 401,
      isRead: true,
    },
  ];
}

function writesBefore(old: OldState, csr: string): WaitingRequest[] {
  const { prefix, admin, removed, enrollment, ticket } = old;
  const { token } = admin;
  const identities = `${management}/identities`;
  return [
    {
      name: 'enrolls with an invitation that was taken back',
      text: request('POST', `${client}/enroll?method=ott&token=${enrollment}`, { text: csr }),
      isNew: ({ status }) => status >= 400,
    },
    {
      name: 'creates what has been created',
      text: request('POST', identities, { token, json: body(`${prefix}-created`) }),
      isNew: ({ status }) => status === 400,
    },
    {
      name: 'creates by a name that was taken before',
      text: request('POST', identities, { token, json: body(`${prefix}-old-name`) }),
      isNew: ({ status }) => status === 201,
    },
    {
      name: 'changes what was removed',
      text: request('PATCH', `${identities}/${removed}`, { token, json: { name: `${prefix}-x` } }),
      isNew: ({ status }) => status === 404,
    },
    {
      name: 'removes what was removed',
      text: request('DELETE', `${identities}/${removed}`, { token }),
      isNew: ({ status }) => status === 404,
    },
    {
      name: 'attaches an inspector',
      text: upgradeRequest(ticket),
      isNew: ({ status }) => status === 401,
    },
  ];
}

/** Requests that name what the next leader has made. */
export function requestsAfter(old: OldState, made: NewState): WaitingRequest[] {
  const { token } = old.admin;
  return [
    {
      name: 'reads what was created',
      text: request('GET', `${management}/identities/${made.created}`, { token }),
      isNew: ({ status }) => status === 200,
    },
    {
      name: 'asks with the token of a new API session',
      text: request('GET', `${client}/current-identity`, { token: made.token }),
      isNew: ({ status }) => status === 200,
    },
  ];
}

/** A request that only the stopped leader is sent: nobody may ever carry it out. */
export function lostWrite({ admin: { token }, prefix }: OldState, number: number): WaitingRequest {
  const name = `${prefix}-${lostName}-${number}`;
  return {
    name: 'creates what no other node is asked to create',
    text: request('POST', `${management}/identities`, { token, json: body(name) }),
    isNew: () => false,
  };
}

/** Part of the names of what must never be there. */
export const lostName = 'lost';

/** A request that a node sends to the next leader when the first one does not answer. */
export function relayedWrite(
  { admin: { token }, prefix }: OldState,
  number: number,
): WaitingRequest {
  const name = `${prefix}-${relayedName}-${number}`;
  return {
    name: 'creates what the next leader is asked to create',
    text: request('POST', `${management}/identities`, { token, json: body(name) }),
    isNew: ({ status }) => status === 201,
  };
}

/** Part of the names of what must be there once. */
export const relayedName = 'relayed';

/** Asks for something that only the leader answers, which opens the way to it. */
export const firstRequest = request('GET', '/health-checks?of=leader', {});

/** The upgrade to the stream of an inspector. */
export function upgradeRequest(ticket: string): string {
  const path = `${management}/inspect/stream?ticket=${encodeURIComponent(ticket)}`;
  const lines = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  return head('GET', path, [...lines, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']);
}

/** The answer at the beginning of what a connection has received; undefined if none is complete. */
export function answerIn(received: string): RawAnswer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1]);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, end))?.[1] ?? 0);
  const text = received.slice(end + 4, end + 4 + length);
  if (text.length < length) return undefined;
  const { data } = text.startsWith('{') ? (JSON.parse(text) as { data?: unknown }) : {};
  return { status, data };
}

function request(
  method: string,
  path: string,
  { token, json, text }: { readonly token?: string; readonly json?: Json; readonly text?: string },
): string {
  const content = json === undefined ? (text ?? '') : JSON.stringify(json);
  const lines = token === undefined ? [] : [`zt-session: ${token}`];
  if (content !== '') {
    const type = json === undefined ? 'application/x-pem-file' : 'application/json';
    lines.push(`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(content)}`);
  }
  return head(method, path, lines) + content;
}

function head(method: string, path: string, lines: readonly string[]): string {
  return `${[`${method} ${path} HTTP/1.1`, 'Host: localhost', ...lines].join('\r\n')}\r\n\r\n`;
}

function logInRequest(username: string, password: string): string {
  const path = `${client}/authenticate?method=password`;
  return request('POST', path, { json: { username, password } });
}

function body(name: string, more: Json = {}): Json {
  return { name, type: 'Default', isAdmin: false, ...more };
}

function isNamed(data: unknown, name: string): boolean {
  return typeof data === 'object' && data !== null && 'name' in data && data.name === name;
}

/** The single-use token in the enrollment of an identity. */
function tokenOf(enrollment: unknown): string {
  const { ott } = enrollment as { readonly ott: { readonly jwt: string } };
  const [, claims = ''] = ott.jwt.split('.');
  const { jti } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { jti: string };
  assert.ok(jti);
  return jti;
}
