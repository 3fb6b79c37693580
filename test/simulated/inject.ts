// A simulated front: hands requests to an application without a socket.

import { STATUS_CODES } from 'node:http';
import type { HttpHandler } from '../../src/http/exchange.ts';

/** A request as a test writes it. */
export interface InjectedRequest {
  /** `GET` when left out. */
  readonly method?: string;
  /** Path and query, as sent: `/version?x=1`. */
  readonly url: string;
  /** Names in any case; a list of values stands for several lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * Bytes and text go as they are; anything else as JSON, with its content type unless one is
   * given.
   */
  readonly body?: unknown;
  /** The client's chain in DER, the leaf first. */
  readonly certificates?: readonly Buffer[];
  readonly address?: string;
}

/** An answer as a test reads it. */
export interface InjectedAnswer {
  readonly status: number;
  /** By lower-case name; the values of a repeated one joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The body's JSON. Throws SyntaxError when it isn't JSON. */
  json(): unknown;
}

/** An answer that may not come, and a peer that may leave before it does. */
export interface Injection {
  readonly answer: Promise<InjectedAnswer>;
  /** The peer leaves; the answer never comes. */
  abort(): void;
}

/** Hands a request to `handler` and resolves with its answer; rejects when the handler throws. */
export async function inject(
  handler: HttpHandler,
  request: InjectedRequest,
): Promise<InjectedAnswer> {
  return await injectAbortable(handler, request).answer;
}

/** As `inject`, with a peer that can leave. */
export function injectAbortable(handler: HttpHandler, request: InjectedRequest): Injection {
  const [path = '', ...query] = request.url.split('?');
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    headers.set(name.toLowerCase(), typeof value === 'string' ? value : value.join(', '));
  }
  const body = bytes(request.body, headers);
  const method = request.method ?? 'GET';
  let resolve: (answer: InjectedAnswer) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const settled = new Promise<InjectedAnswer>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  const reply = {
    done: false,
    send(
      status: number,
      pairs: readonly (readonly [string, string])[],
      content: Uint8Array | string,
    ): void {
      if (this.done) return;
      this.done = true;
      // A copy, as the real server makes one: the application may reuse its buffer at once.
      const sent = method === 'HEAD' ? Buffer.alloc(0) : Buffer.from(content as Uint8Array);
      resolve(answer(status, pairs, sent));
    },
  };
  // Headers can be had only until the application first awaits, or if it had them kept.
  let live = true;
  let isKept = false;
  try {
    handler(
      {
        method,
        path,
        query: query.join('?'),
        body,
        peer: {
          address: request.address ?? '127.0.0.1',
          certificates: request.certificates ?? [],
        },
        header: (name) => {
          if (!live && !isKept) throw new Error(`header ${name} asked for after the first await`);
          return headers.get(name) ?? '';
        },
        keepHeaders: () => {
          isKept = true;
        },
      },
      reply,
    );
  } catch (error) {
    reject(error);
  }
  live = false;
  return { answer: settled, abort: () => void (reply.done = true) };
}

function answer(
  status: number,
  pairs: readonly (readonly [string, string])[],
  body: Buffer,
): InjectedAnswer {
  if (STATUS_CODES[status] === undefined) throw new Error(`no status code: ${status}`);
  const headers: Record<string, string> = {};
  for (const [name, value] of pairs) {
    if (/[\r\n]/.test(value)) throw new Error(`header ${name} has a line break`);
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
  }
  return { status, headers, body, json: () => JSON.parse(body.toString()) as unknown };
}

function bytes(body: unknown, headers: Map<string, string>): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  if (!headers.has('content-type')) headers.set('content-type', 'application/json');
  return Buffer.from(JSON.stringify(body));
}
