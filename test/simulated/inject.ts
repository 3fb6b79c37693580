// A simulated front: hands requests to an application without a socket.

import { STATUS_CODES } from 'node:http';
import type { HttpHandler, HttpReply, HttpRequest } from '../../src/platform/http-exchange.ts';
import { InjectedStream } from './injected-stream.ts';

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
  /** As `HttpRequest.arrivedMs`: for one that has waited. */
  readonly arrivedMs?: number;
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
  /** Resolves when an answer that goes on begins; never for an answer of one piece. */
  readonly stream: Promise<InjectedStream>;
  /** The peer leaves; the answer never comes. */
  abort(): void;
}

/**
 * Hands a request to `handler` and resolves with its answer; rejects when the handler throws. From
 * an answer that goes on the peer takes the headers and leaves.
 */
export async function inject(
  handler: HttpHandler,
  request: InjectedRequest,
): Promise<InjectedAnswer> {
  const { answer, stream, abort } = injectAbortable(handler, request);
  const begun = stream.then(({ head }) => {
    abort();
    return head;
  });
  return await Promise.race([answer, begun]);
}

/** As `inject`, with a peer that can leave. */
export function injectAbortable(handler: HttpHandler, request: InjectedRequest): Injection {
  const method = request.method ?? 'GET';
  let resolve: (answer: InjectedAnswer) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const settled = new Promise<InjectedAnswer>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  let begin: (stream: InjectedStream) => void = () => {};
  const begun = new Promise<InjectedStream>((fulfil) => {
    begin = fulfil;
  });
  let stream: InjectedStream | undefined;
  let done = false;
  const reply: HttpReply = {
    get done() {
      return done;
    },
    send(status, pairs, content): void {
      if (done) return;
      done = true;
      // A copy, as the real server makes one: the application may reuse its buffer at once.
      const sent = method === 'HEAD' ? Buffer.alloc(0) : Buffer.from(content as Uint8Array);
      resolve(answer(status, pairs, sent));
    },
    open(status, pairs) {
      const isOver = done || method === 'HEAD';
      if (isOver) this.send(status, pairs, '');
      done = true;
      stream = new InjectedStream(answer(status, pairs, Buffer.alloc(0)), isOver);
      if (!isOver) begin(stream);
      return stream;
    },
  };
  const asked = requestOf(request, method);
  try {
    handler(asked.request, reply);
  } catch (error) {
    reject(error);
  }
  asked.leaveCall();
  const abort = (): void => {
    done = true;
    stream?.leave();
  };
  return { answer: settled, stream: begun, abort };
}

/** Headers can be had only until the application first awaits, or if it had them kept. */
function requestOf(
  {
    url,
    headers: given = {},
    body,
    address = '127.0.0.1',
    certificates = [],
    arrivedMs,
  }: InjectedRequest,
  method: string,
): { request: HttpRequest; leaveCall(): void } {
  const [path = '', ...query] = url.split('?');
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    headers.set(name.toLowerCase(), typeof value === 'string' ? value : value.join(', '));
  }
  let live = true;
  let isKept = false;
  const request: HttpRequest = {
    method,
    path,
    query: query.join('?'),
    body: bytes(body, headers),
    arrivedMs,
    peer: { address, certificates },
    header: (name) => {
      if (!live && !isKept) throw new Error(`header ${name} asked for after the first await`);
      return headers.get(name) ?? '';
    },
    keepHeaders: () => {
      isKept = true;
    },
  };
  return {
    request,
    leaveCall: () => {
      live = false;
    },
  };
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
