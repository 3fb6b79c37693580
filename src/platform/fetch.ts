// The real implementation of Fetch: one bounded GET to an address that an administrator configured.

import { lookup as lookUp } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import {
  type OutgoingRules,
  type RefusedPlace,
  refusedAddress,
  refusedHost,
} from './outgoing-addresses.ts';
import type { Clock, Fetch, FetchAnswer, FetchBounds } from './ports.ts';

/** The options of the real fetch. */
export interface FetchOptions {
  readonly clock: Pick<Clock, 'after'>;
  /**
   * PEM certificates of trusted CAs besides those that Node trusts: its bundled roots and the file
   * in `NODE_EXTRA_CA_CERTS`.
   */
  readonly trusted?: readonly string[];
  /** The addresses that requests may lead to; loopback and private ones are allowed by default. */
  readonly rules?: OutgoingRules;
  /** Resolves names, as `dns.lookup` does. */
  readonly lookup?: LookupFunction;
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
 * Administrators choose the addresses, and identity providers are often in private networks. These
 * rules are enforced: no place that `rules` refuse, checked by the address that is connected to;
 * no scheme but `https` and `http`, no user name or password, no cookie or other header of ours, no
 * redirect from `https` to `http`, and everything, redirects included, stays within the bounds.
 * Names are resolved in the libuv pool, queued after password hashes; the time-out covers that too.
 */
export function createFetch({
  clock,
  trusted = [],
  rules = { allowsPrivate: true },
  lookup = lookUp,
}: FetchOptions): Fetch {
  const context = trusted.length === 0 ? undefined : trusting(trusted);
  const means = { context, rules, lookup: checkedLookup(lookup, rules) };
  return async (url, bounds) => {
    const abort = new AbortController();
    const timer = clock.after(bounds.timeoutMs, () => {
      abort.abort(new FetchProblem(`There was no whole answer within ${bounds.timeoutMs} ms.`));
    });
    try {
      return await follow(checkedUrl(rules, url), bounds, { ...means, signal: abort.signal });
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
  readonly rules: OutgoingRules;
  readonly lookup: LookupFunction;
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
    const next = checkedUrl(exchange.rules, location, url);
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new FetchProblem('A redirect leads from https to http.');
    }
    url = next;
  }
}

function checkedUrl(rules: OutgoingRules, text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw new FetchProblem('The address is no URL.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new FetchProblem('The address is neither https nor http.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchProblem('The address holds a user name or password.');
  }
  const refused = refusedHost(url.hostname, rules);
  if (refused !== undefined) throw refusal(refused);
  return url;
}

/** Node connects to the addresses that this passes on, so a name cannot resolve to another one. */
function checkedLookup(lookup: LookupFunction, rules: OutgoingRules): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      if (error !== null) {
        callback(error, found, family);
        return;
      }
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
      for (const address of addresses) {
        const refused = refusedAddress(address, rules);
        if (refused === undefined) continue;
        callback(refusal(refused), []);
        return;
      }
      callback(error, found, family);
    });
  };
}

function refusal(place: RefusedPlace): FetchProblem {
  return new FetchProblem(`The address is ${place}.`);
}

function get(url: URL, { signal, context, lookup }: Exchange): Promise<IncomingMessage> {
  const isHttps = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const options = {
      signal,
      lookup,
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
