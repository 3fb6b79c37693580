// Asks a running controller for a snapshot, as an administrator, over its API.

import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { checkServerIdentity } from 'node:tls';

/** How to reach the controller, and as whom. */
export interface Asking {
  /** `https://HOST:PORT`. */
  readonly url: string;
  /** Host that its certificate must name, if it differs from that of `url`. */
  readonly host?: string | undefined;
  /** How that address was found: a sentence for a controller that does not answer there. */
  readonly how: string;
  /** PEM of the CAs to trust. */
  readonly ca: string;
  readonly login: Login;
  /** Time limit for all requests together. */
  readonly timeoutMs: number;
}

/** Primary credentials of an administrator. */
export type Login =
  | { readonly by: 'password'; readonly username: string; readonly password: string }
  | { readonly by: 'certificate'; readonly certificate: string; readonly key: string };

/** The controller did not take the snapshot. The message is a sentence without secrets. */
export class NotDone extends Error {
  override readonly name = 'NotDone';
}

/** Logs in, requests a snapshot, and logs out. @throws NotDone */
export async function askForSnapshot(asking: Asking): Promise<void> {
  const signal = AbortSignal.timeout(asking.timeoutMs);
  const { token, isPartial } = await logIn(asking, signal);
  try {
    if (isPartial) {
      throw new NotDone(
        'This administrator has a second factor, which no command can show: use one without.',
      );
    }
    const path = `${management}/database/snapshot`;
    const answer = await send(asking, { method: 'POST', path, token }, signal);
    if (answer.status === 429) {
      throw new NotDone(
        'Somebody else asked for a snapshot within the last minute: try again in a minute.',
      );
    }
    if (answer.status !== 200) throw refused(asking, 'took no snapshot', answer);
  } finally {
    const path = `${management}/current-api-session`;
    // The session would end by itself, and the reason why the snapshot failed matters more.
    await send(asking, { method: 'DELETE', path, token }, signal).catch(() => undefined);
  }
}

const management = '/edge/management/v1';
/** Answer of a controller to a command; none of them is longer. @bound per request */
const commandAnswerBytesMax = 1024 * 1024;

interface LoggedIn {
  readonly token: string;
  /** Whether a second factor is still needed. */
  readonly isPartial: boolean;
}

async function logIn(asking: Asking, signal: AbortSignal): Promise<LoggedIn> {
  const { login } = asking;
  const isPassword = login.by === 'password';
  const path = `${management}/authenticate?method=${isPassword ? 'password' : 'cert'}`;
  const body = isPassword ? { username: login.username, password: login.password } : {};
  const answer = await send(asking, { method: 'POST', path, body }, signal);
  const { token, authQueries } = (answer.body.data ?? {}) as {
    readonly token?: unknown;
    readonly authQueries?: readonly unknown[];
  };
  if (answer.status !== 200 || typeof token !== 'string') {
    const who = isPassword ? login.username : 'the certificate';
    throw refused(asking, `refused to log ${who} in`, answer);
  }
  return { token, isPartial: authQueries !== undefined && authQueries.length > 0 };
}

interface Question {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly token?: string;
  readonly body?: object;
}

interface Answer {
  readonly status: number;
  readonly body: { readonly data?: unknown; readonly error?: unknown };
}

async function send(asking: Asking, question: Question, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await open(asking, question, signal);
    const text = await textOf(response);
    return { status: response.statusCode ?? 0, body: JSON.parse(text) as Answer['body'] };
  } catch (error) {
    if (error instanceof NotDone) throw error;
    const reason = signal.aborted ? `no answer within ${asking.timeoutMs} ms` : reasonOf(error);
    const { url, how } = asking;
    throw new NotDone(`The controller at ${url} cannot be asked: ${reason}. ${how}`, {
      cause: error,
    });
  }
}

function open(asking: Asking, question: Question, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, host, ca, login } = asking;
  const { method, path, token, body } = question;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const shown =
    login.by === 'certificate' ? { cert: login.certificate, key: login.key } : undefined;
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), {
      method,
      signal,
      ca,
      agent: false as const,
      ...shown,
      // The certificate names the advertised host, not the address on which the controller listens.
      checkServerIdentity: (asked, certificate) => checkServerIdentity(host ?? asked, certificate),
      headers: {
        ...(token === undefined ? {} : { 'zt-session': token }),
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
    });
    sent.on('response', resolve);
    sent.on('error', reject);
    sent.end(text);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > commandAnswerBytesMax) throw new Error('the answer is none of a controller');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refused({ url }: Asking, what: string, { status, body }: Answer): NotDone {
  const { code, message } = (body.error ?? {}) as { readonly code?: string; message?: string };
  const why = code === undefined ? '' : ` ${code}: ${message ?? ''}`;
  return new NotDone(`The controller at ${url} ${what}: ${status}${why}.`);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.message === '' ? String(error.code) : error.message;
}
