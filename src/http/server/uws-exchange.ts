// One request and its answer on a uWebSockets.js connection.

import type { HttpRequest as UwsRequest, HttpResponse as UwsResponse } from 'uWebSockets.js';
import { Buffer } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import type {
  Header,
  HttpReply,
  HttpRequest,
  Peer,
  ReplyStream,
} from '../../platform/http-exchange.ts';
import type { Server } from './server.ts';
import { UwsStream } from './uws-stream.ts';

/** Request and answer in one object, because one is created for every request. */
export class UwsExchange implements HttpRequest, HttpReply {
  readonly method: string;
  path: string;
  readonly query: string;
  readonly peer: Peer;
  body: Buffer = noBody;
  arrivedMs: number | undefined;
  done = false;
  /** Whether the peer disconnected before the answer was sent. */
  aborted = false;
  /** Closes the connection after the answer, because the rest of the body is dropped. */
  closing: (() => void) | undefined;
  /** Whether the body comes in chunks, its length unknown. */
  isChunked = false;
  /** Whether the library itself closes the connection after the answer. */
  endsConnection = false;
  /** Whether the server's call lasts: then what is written goes out together. */
  corked = true;
  #server: Server;
  #response: UwsResponse;
  #request: UwsRequest | undefined;
  #headers: Map<string, string> | undefined;
  #stream: UwsStream | undefined;

  constructor(server: Server, response: UwsResponse, request: UwsRequest, peer: Peer) {
    this.#server = server;
    this.#response = response;
    this.#request = request;
    this.peer = peer;
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    // Its type leaves out that there is undefined for a URL without `?`.
    this.query = request.getQuery() ?? '';
  }

  header(name: string): string {
    if (this.#headers !== undefined) return this.#headers.get(name) ?? '';
    const request = this.#request;
    if (request === undefined) throw new Error(`header ${name} asked for after the first await`);
    const first = request.getHeader(name);
    return first !== '' && listHeaders.has(name) ? joined(request, name) : first;
  }

  /** Copies the headers, for a request that is handed on later than now. */
  keepHeaders(): void {
    const request = this.#request;
    if (request === undefined) return;
    const headers = new Map<string, string>();
    request.forEach((name, value) => {
      const earlier = headers.get(name);
      if (earlier === undefined) headers.set(name, value);
      // Like in `header`: after an empty first line no other counts.
      else if (earlier !== '' && listHeaders.has(name)) headers.set(name, `${earlier}, ${value}`);
    });
    this.#headers = headers;
    this.#request = undefined;
  }

  /**
   * Maximum bytes that this holds while it waits: headers, and a body in a buffer of twice its
   * size.
   */
  get keptBytes(): number {
    let bytes = 2 * this.body.length;
    for (const [name, value] of this.#headers ?? []) bytes += name.length + value.length;
    return bytes;
  }

  /** The server's call ends: its request is gone. */
  leaveCall(): void {
    this.corked = false;
    this.#request = undefined;
  }

  /** It became a WebSocket: there is nothing to answer any more. */
  upgraded(): void {
    this.done = true;
    this.end();
  }

  /** The peer has disconnected. */
  abort(): void {
    this.done = true;
    this.aborted = !this.#ended;
    this.#stream?.abort();
    this.end();
  }

  send(status: number, headers: readonly Header[], body: Uint8Array | string): void {
    if (this.done) return;
    this.done = true;
    if (this.corked) this.#write(status, headers, body);
    else this.#response.cork(() => this.#write(status, headers, body));
  }

  open(status: number, headers: readonly Header[]): ReplyStream {
    if (this.done || this.method === 'HEAD') {
      this.send(status, headers, '');
      return overAlready;
    }
    this.done = true;
    const response = this.#response;
    const finish = this.#server.finisher(response, this.peer);
    const begin = (): void => this.#writeHead(status, headers);
    if (this.corked) begin();
    else response.cork(begin);
    const stream = new UwsStream(this.#server, this, response, finish);
    this.#stream = stream;
    this.#server.opened(this, () => stream.close());
    return stream;
  }

  #writeHead(status: number, headers: readonly Header[]): void {
    const response = this.#response;
    if (status !== 200) response.writeStatus(statusLine(status));
    for (const [name, value] of headers) response.writeHeader(name, value);
    response.writeHeader('Strict-Transport-Security', transportSecurity);
    // Only announced: closing here would reset the connection while a body still arrives, and would
    // lose bytes that the connection hasn't taken yet. The client closes, or the server does it
    // later. With `endsConnection` the library says it.
    const isLast = this.closing !== undefined || this.#server.dismisses(this.peer);
    if (isLast && !this.endsConnection) response.writeHeader('Connection', 'close');
    // The tunnel of another node ends without a word: its client keeps the connection there.
    else if (this.#server.draining) this.closing = this.#server.finisher(response, this.peer);
  }

  #write(status: number, headers: readonly Header[], body: Uint8Array | string): void {
    const response = this.#response;
    this.#writeHead(status, headers);
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const isBodiless = status === 204 || status === 304 || this.method === 'HEAD';
    if (this.endsConnection && this.corked) response.end(padded(body), true);
    else if (this.endsConnection) response.end(isBodiless ? '' : body, true);
    else if (status === 204 || status === 304) response.endWithoutBody();
    else if (this.method === 'HEAD') {
      // With the length as its argument the library would wait for a body that never arrives.
      response.writeHeader('Content-Length', String(length));
      response.endWithoutBody();
    } else if (!response.tryEnd(body, length)[1]) {
      this.#writeRest(body, length);
      return;
    }
    this.end();
  }

  /**
   * The connection took a part of the body. The rest is kept, once, until it is taken: a further
   * request meanwhile closes the connection, so a client that reads nothing can't pile up answers.
   */
  #writeRest(body: Uint8Array | string, length: number): void {
    const response = this.#response;
    const from = response.getWriteOffset();
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const rest = Buffer.from(bytes.subarray(from));
    this.#cutOff = this.#server.finisher(response, this.peer);
    this.#server.unsent(this, rest.length);
    response.onWritable((offset) => {
      const [taken, over] = response.tryEnd(rest.subarray(offset - from), length);
      if (over) this.end();
      return taken;
    });
  }

  /** Whether a part of the answer was kept until its peer takes it. */
  get isKept(): boolean {
    return this.#cutOff !== undefined;
  }

  /** Drops an answer that its peer does not read, and closes the connection. */
  cutOff(): void {
    if (this.#ended) return;
    // Obtained before, because the TLS front would take the close for a pause between two requests.
    this.#cutOff?.();
    this.#response.close();
  }

  #cutOff: (() => void) | undefined;
  #ended = false;

  /** The answer has ended, or its peer has disconnected. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.closing?.();
    this.#server.over(this);
  }
}

/**
 * Headers whose several lines make one list (RFC 9110, section 5.3), among those that the
 * controller reads. Of any other the first line counts. Asking for the rest costs a walk over all
 * lines.
 */
const listHeaders: ReadonlySet<string> = new Set([
  'accept',
  'access-control-request-headers',
  'authorization',
  'if-match',
  'if-none-match',
  'www-authenticate',
]);

function joined(request: UwsRequest, name: string): string {
  let all = '';
  request.forEach((key, value) => {
    if (key === name) all = all === '' ? value : `${all}, ${value}`;
  });
  return all;
}

/**
 * A body padded with spaces, so that its answer is sent before the library's call ends. The library
 * keeps up to 16 KiB until then, and in the meantime reads the following bytes as further requests,
 * even if the answer is to close the connection.
 */
function padded(body: Uint8Array | string): Buffer {
  const bytes = Buffer.alloc(Math.max(keptBytes + 1, body.length * 3), ' ');
  const length = typeof body === 'string' ? bytes.write(body) : body.length;
  if (typeof body !== 'string') bytes.set(body);
  return bytes.subarray(0, Math.max(keptBytes + 1, length));
}

function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Status'}`;
    statusLines.set(status, line);
  }
  return line;
}

/** The stream of an answer without a body or without a peer. */
const overAlready: ReplyStream = {
  isOver: true,
  write: () => false,
  onDrain: () => {},
  onGone: () => {},
  end: () => {},
};

/**
 * A year (RFC 6797 §6.1.1): every answer of this server goes over TLS. Without `includeSubDomains`,
 * because the controller cannot decide about other names of the domain.
 */
const transportSecurity = 'max-age=31536000';
/** Bytes that the library gathers before it writes. */
const keptBytes = 16 * 1024;
const statusLines = new Map<number, string>();
const noBody: Buffer = Buffer.alloc(0);
