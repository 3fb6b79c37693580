// The single calls that a bench makes itself: logins and the policies of a home.

import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { Refusal } from './refusal.ts';
import type { Target } from './target.ts';

/** Where an API is. */
export type ApiTarget = Pick<Target, 'host' | 'port' | 'serverName' | 'caFile'>;

/**
 * Calls of one caller, each over a new connection, so that no idle connection can be closed during
 * a call.
 */
export class ApiClient {
  readonly #target: ApiTarget;
  readonly #ca: Buffer | undefined;
  token = '';

  constructor(target: ApiTarget) {
    this.#target = target;
    this.#ca = target.caFile === undefined ? undefined : readFileSync(target.caFile);
  }

  /** Logs in by password. Later calls carry the token, which is also returned. */
  async authenticate(
    api: 'client' | 'management',
    username: string,
    password: string,
  ): Promise<string> {
    const path = `/edge/${api}/v1/authenticate?method=password`;
    const data = await this.call('POST', path, { username, password });
    this.token = String((data as { token: unknown }).token);
    return this.token;
  }

  /** Creates an entity of the management API and returns its id. */
  async create(kind: string, body: object): Promise<string> {
    const data = await this.call('POST', `/edge/management/v1/${kind}`, body);
    return String((data as { id: unknown }).id);
  }

  /** One call; returns `data`. @throws Error for any status except 200 and 201. */
  async call(method: string, path: string, body?: object): Promise<unknown> {
    return (await this.#envelope(method, path, body)).data;
  }

  /** The total number of rows of a list. */
  async count(path: string): Promise<number> {
    return (await this.#envelope('GET', path)).meta.pagination?.totalCount ?? 0;
  }

  async #envelope(method: string, path: string, body?: object): Promise<Envelope> {
    const { status, text } = await this.#send(method, path, body);
    if (status !== 200 && status !== 201) throw new Refusal(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text) as Envelope;
  }

  #send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const content = body === undefined ? '' : JSON.stringify(body);
    const headers: Record<string, string> = {};
    if (this.token !== '') headers['zt-session'] = this.token;
    if (content !== '') {
      headers['content-type'] = 'application/json';
      headers['content-length'] = String(Buffer.byteLength(content));
    }
    const { host, port, serverName } = this.#target;
    const named = isIP(serverName) === 0 ? { servername: serverName } : {};
    const tls = { ca: this.#ca, agent: false as const, ...named };
    return new Promise((resolve, reject) => {
      const sent = request({ host, port, method, path, headers, ...tls }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () => {
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        });
      });
      sent.once('error', reject);
      sent.end(content);
    });
  }
}

interface Envelope {
  readonly data: unknown;
  readonly meta: { readonly pagination?: { readonly totalCount: number } };
}
