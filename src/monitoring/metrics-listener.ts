// The listener of metrics and health: plain HTTP, only for the operator's own network.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Log } from '../observe/logs.ts';
import { boundsOf } from '../settings/bounds.ts';
import { formatHostPort, type HostPort } from '../settings/setting-type.ts';
import { healthAnswer } from './health-checks.ts';
import type { Metrics } from './metrics.ts';
import type { Sources } from './sources.ts';

/** Options of the listener. */
export interface MetricsListenerOptions {
  readonly listen: HostPort;
  readonly sources: Sources;
  readonly metrics: Metrics;
  /** What routers report; undefined where that is not offered. */
  readonly routers?: Metrics | undefined;
  readonly log: Log;
  readonly bounds?: Partial<typeof metricsBounds>;
}

/** The running listener. */
export interface MetricsListener {
  /** `http://host:port` */
  readonly url: string;
  /** `host:port` as bound. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Headers of a request for metrics; Node's own default is 16 KiB. @bound per request */
const metricsHeaderBytesMax = 8192;

/** When descriptors run out, each refused connection is an error of the server. */
const errorLineEveryMs = 10_000;

/** Starts to serve. @throws an error with a clear sentence when the port cannot be opened. */
export async function startMetricsListener(
  options: MetricsListenerOptions,
): Promise<MetricsListener> {
  const { listen } = options;
  const bounds = boundsOf(metricsBounds, options.bounds);
  const { metricsTimeoutMs: timeoutMs } = bounds;
  const scraping = new WeakSet<Socket>();
  const server = createServer(
    {
      maxHeaderSize: metricsHeaderBytesMax,
      headersTimeout: timeoutMs,
      requestTimeout: timeoutMs,
      keepAliveTimeout: timeoutMs,
      connectionsCheckingInterval: Math.max(50, Math.min(1000, timeoutMs)),
    },
    (request, response) => {
      // The connection ends after one scrape, so pipelined requests cost nothing.
      if (!scraping.has(request.socket)) void answer(options, scraping, request, response);
    },
  );
  server.maxConnections = bounds.metricsConnectionsMax;
  // A connection that reads nothing, or sends nothing at all.
  server.setTimeout(timeoutMs, (socket) => socket.destroy());
  await listening(server, options);
  const { port } = server.address() as AddressInfo;
  const address = formatHostPort({ host: listen.host, port });
  return { url: `http://${address}`, address, stop: () => stop(server) };
}

function listening(server: Server, options: MetricsListenerOptions): Promise<void> {
  const { host, port } = options.listen;
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => {
      const text = `cannot listen on ${formatHostPort({ host, port })} for metrics: ${error.message}`;
      reject(Object.assign(new Error(text), { code: error.code ?? '' }));
    };
    server.once('error', refused);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', refused);
      logErrors(server, options);
      resolve();
    });
  });
}

/** An error event without a listener would end the process. */
function logErrors(server: Server, { log, sources: { clock } }: MetricsListenerOptions): void {
  let nextLineMs = Number.NEGATIVE_INFINITY;
  server.on('error', (err) => {
    const nowMs = clock.monotonic();
    if (nowMs < nextLineMs) return;
    nextLineMs = nowMs + errorLineEveryMs;
    log.error({ err }, 'the metrics listener had an error and continues');
  });
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeAllConnections();
  await closed;
}

/** Node closes the connection after such an answer. */
const isLast = { connection: 'close' };

async function answer(
  { sources, metrics, routers, log }: MetricsListenerOptions,
  scraping: WeakSet<Socket>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path] = (request.url ?? '').split('?', 1);
  const scraped = path === '/metrics' ? metrics : path === '/metrics/routers' ? routers : undefined;
  const isKnown = scraped !== undefined || path === '/health-checks';
  // No request has a body here, so further bytes are not read.
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    send(response, isKnown ? 405 : 404, 'text/plain', '', {
      allow: 'GET, HEAD',
      ...isLast,
    });
  } else if (scraped !== undefined) {
    scraping.add(request.socket);
    try {
      send(response, 200, scraped.contentType, await scraped.text(), isLast);
    } catch (err) {
      log.error({ err }, 'the metrics could not be read: this is a bug worth reporting');
      send(response, 500, 'text/plain', '', isLast);
    }
  } else if (path === '/health-checks') {
    const { status, body } = healthAnswer(sources);
    send(response, status, 'application/json', body);
  } else send(response, 404, 'text/plain', '');
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(body);
}

const metricsBounds = {
  /** Connections of the metrics listener, which few share. @bound per controller */
  metricsConnectionsMax: 32,
  /** A request for metrics: what Prometheus gives a scrape. @bound per connection */
  metricsTimeoutMs: 10_000,
};
