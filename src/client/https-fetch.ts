// `fetch` over node:https: with a CA of its own, a client certificate and kept connections, which
// the fetch of Node offers only with a further package.

import { createHash, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { checkServerIdentity } from 'node:tls';
import { ControllerUnreachable } from './request-refused.ts';

/** How a connection is made. */
export interface Connecting {
  /** PEM of the CAs to trust; no other is trusted. */
  readonly ca: string;
  /** Host that the controller's certificate must name, if it differs from that of the URL. */
  readonly host?: string | undefined;
  /** SHA-256 of the public key that the controller must show, in hex; any if it is absent. */
  readonly key?: string | undefined;
  /** A client certificate with those above it, and its private key; both PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  /** Connections at once. */
  readonly connectionsMax: number;
  /** Time limit for one request. */
  readonly timeoutMs: number;
}

/** A list of all rows is some 100 MB for 100,000 rows. @bound per request */
const answerBytesMax = 512 * 1024 * 1024;

/** A stream without a byte for this long is lost: feeds send a comment every 15 s. @bound */
const silentMsMax = 60_000;

function otherKey(certificate: Buffer, wanted: string | undefined): Error | undefined {
  if (wanted === undefined) return undefined;
  const { publicKey } = new X509Certificate(certificate);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const shown = createHash('sha256').update(der).digest('hex');
  return shown === wanted ? undefined : new Error('it shows another key than that of the API');
}

/** The connections to one controller. */
export class HttpsFetch {
  readonly #agent: Agent;
  readonly #timeoutMs: number;

  constructor({ ca, host, key, certificate, connectionsMax, timeoutMs }: Connecting) {
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({
      ca,
      // A bundle of a network need not hold a root: what is named is trusted.
      allowPartialTrustChain: true,
      ...certificate,
      keepAlive: true,
      maxSockets: connectionsMax,
      checkServerIdentity: (asked, shown) =>
        checkServerIdentity(host ?? asked, shown) ?? otherKey(shown.raw, key),
    });
  }

  /** Sends a request once. @throws ControllerUnreachable when no whole answer came. */
  async send(url: string, options: RequestOptions, body: string): Promise<Response> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const answer = await this.#open(url, { ...options, signal }, body);
      const bytes = await bytesOf(answer);
      const { statusCode = 0 } = answer;
      const headers = new Headers();
      for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
        for (const value of values) headers.append(name, value);
      }
      const isEmpty = bytes.length === 0;
      const response = new Response(isEmpty ? null : bytes, { status: statusCode, headers });
      Object.defineProperty(response, 'url', { value: url });
      return response;
    } catch (cause) {
      const reason = signal.aborted ? `no answer within ${this.#timeoutMs} ms` : reasonOf(cause);
      throw unreachable(new URL(url).origin, reason, cause);
    }
  }

  /**
   * Sends a request whose answer does not end, and hands it out as it comes. The time limit is for
   * its beginning; later it counts as lost after `silentMsMax` without a byte.
   * @throws ControllerUnreachable before its beginning
   */
  async stream(url: string, options: RequestOptions): Promise<IncomingMessage> {
    const { origin } = new URL(url);
    const timeLimit = AbortSignal.timeout(this.#timeoutMs);
    const limited = new AbortController();
    const stop = () => limited.abort();
    timeLimit.addEventListener('abort', stop);
    const signals = [limited.signal, ...(options.signal ? [options.signal] : [])];
    try {
      const answer = await this.#open(url, { ...options, signal: AbortSignal.any(signals) }, '');
      answer.setTimeout(silentMsMax, () => answer.destroy(new Error('the stream went silent')));
      return answer;
    } catch (cause) {
      const late = `no answer within ${this.#timeoutMs} ms`;
      throw unreachable(origin, timeLimit.aborted ? late : reasonOf(cause), cause);
    } finally {
      timeLimit.removeEventListener('abort', stop);
    }
  }

  /** Ends the connections that wait for a next request. */
  close(): void {
    this.#agent.destroy();
  }

  #open(url: string, options: RequestOptions, body: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = request(url, { ...options, agent: this.#agent });
      sent.on('response', resolve);
      sent.on('error', reject);
      sent.end(body === '' ? undefined : body);
    });
  }
}

/** The error for an answer that did not come, or ended too early. */
export function unreachable(origin: string, reason: string, cause: unknown): ControllerUnreachable {
  return new ControllerUnreachable(`The controller at ${origin} cannot be asked: ${reason}.`, {
    cause,
  });
}

/** The whole answer. @throws Error for one that is too long */
export async function bytesOf(answer: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The reason that an error gives, for a message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.message === '' ? String(error.code) : error.message;
}
