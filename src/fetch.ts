// The real implementation of Fetch: one bounded GET to an address that an administrator configured.

import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { Clock, Fetch, FetchAnswer, FetchBounds } from './ports.ts';

/** The options of the real fetch. */
export interface FetchOptions {
  readonly clock: Pick<Clock, 'after'>;
  /**
   * PEM certificates of trusted CAs besides those that Node trusts: its bundled roots and the file
   * in `NODE_EXTRA_CA_CERTS`.
   */
  readonly trusted?: readonly string[];
}

/**
 * The reason for a missing answer, as a sentence for the operator's log; it never holds the
 * address.
 */
class FetchProblem extends Error {
  override readonly name = 'FetchProblem';
}

/**
 * A GET over HTTPS or HTTP. It rejects with a FetchProblem, and leaves no connection behind.
 *
 * Administrators choose the addresses, and identity providers are often in private networks, so the
 * target of an address is not checked. These rules are enforced: no scheme but `https` and `http`,
 * no user name or password, no cookie or other header of ours, no redirect from `https` to `http`,
 * and everything, redirects included, stays within the bounds. Names are resolved in the libuv
 * pool, queued after password hashes; the time-out covers that too.
 */
export function createFetch({ clock, trusted = [] }: FetchOptions): Fetch {
  const context = trusted.length === 0 ? undefined : trusting(trusted);
  return async (url, bounds) => {
    const abort = new AbortController();
    const timer = clock.after(bounds.timeoutMs, () => {
      abort.abort(new FetchProblem(`There was no whole answer within ${bounds.timeoutMs} ms.`));
    });
    try {
      return await follow(checkedUrl(url), bounds, { signal: abort.signal, context });
    } catch (error) {
      throw asProblem(abort.signal.aborted ? abort.signal.reason : error);
    } finally {
      timer.cancel();
      abort.abort();
    }
  };
}

/** The state that all requests of one exchange share. */
interface Exchange {
  readonly signal: AbortSignal;
  readonly context: SecureContext | undefined;
}

/** A given list replaces Node's roots, so the list includes them. */
function trusting(trusted: readonly string[]): SecureContext {
  return createSecureContext({ ca: [...getCACertificates('default'), ...trusted] });
}

async function follow(start: URL, bounds: FetchBounds, exchange: Exchange): Promise<FetchAnswer> {
  let url = start;
  for (let redirects = 0; ; redirects += 1) {
    const response = await get(url, exchange);
    const location = redirectOf(response);
    if (location === undefined) return read(response, bounds.bodyBytesMax);
    response.destroy();
    if (redirects >= bounds.redirectsMax) {
      throw new FetchProblem(`There were more than ${bounds.redirectsMax} redirects.`);
    }
    const next = checkedUrl(location, url);
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new FetchProblem('A redirect leads from https to http.');
    }
    url = next;
  }
}

function checkedUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw new FetchProblem('The address is no URL.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new FetchProblem('The address is neither https nor http.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchProblem('The address holds a user name or password.');
  }
  return url;
}

function get(url: URL, { signal, context }: Exchange): Promise<IncomingMessage> {
  const isHttps = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const options = {
      signal,
      // No connection pool: key sets are fetched rarely, and a kept connection would outlive its
      // use.
      agent: false as const,
      headers: {
        accept: 'application/json, application/jwk-set+json;q=0.9, */*;q=0.1',
        'accept-encoding': 'identity',
        'user-agent': 'edge-control',
      },
    };
    const request = isHttps
      ? requestHttps(url, { ...options, ...(context && { secureContext: context }) })
      : requestHttp(url, options);
    request.on('response', resolve);
    request.on('error', reject);
    request.end();
  });
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return redirectStatuses.has(statusCode) ? headers.location : undefined;
}

async function read(response: IncomingMessage, bodyBytesMax: number): Promise<FetchAnswer> {
  const { headers } = response;
  // Compressed answers are refused, so that a small answer cannot become a large one.
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new FetchProblem('The answer is compressed, which was not asked for.');
  }
  const chunks: Buffer[] = [];
  let length = 0;
  const tooLong = new FetchProblem(`The answer is longer than ${bodyBytesMax} bytes.`);
  if (Number(headers['content-length'] ?? 0) > bodyBytesMax) throw tooLong;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyBytesMax) throw tooLong;
    chunks.push(chunk);
  }
  const pairs = Object.entries(headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')] as const,
  );
  const body = Buffer.concat(chunks);
  return { status: response.statusCode ?? 0, headers: new Map(pairs), body };
}

function asProblem(error: unknown): FetchProblem {
  if (error instanceof FetchProblem) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason';
  return new FetchProblem(`The server could not be asked: ${code}.`, { cause: error });
}
