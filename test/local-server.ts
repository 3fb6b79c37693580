// A real HTTP or HTTPS server on a free port of this machine, for tests of outgoing requests.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Issued } from './http/certificates.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface LocalServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** Paths with queries, in the order they were asked for. */
  readonly asked: readonly string[];
  /** What answers from now on. */
  handler: Handler;
  /** Resolves with the next request, once `handler` has seen it. */
  next(): Promise<IncomingMessage>;
}

/** Starts a server, HTTPS when it is given a certificate; it ends with the test. */
export async function startLocalServer(
  t: { teardown(task: () => void): void },
  handler: Handler,
  certificate?: Issued,
): Promise<LocalServer> {
  const asked: string[] = [];
  const waiting: ((request: IncomingMessage) => void)[] = [];
  const take: Handler = (request, response) => {
    asked.push(request.url ?? '');
    local.handler(request, response);
    for (const resolve of waiting.splice(0)) resolve(request);
  };
  const server =
    certificate === undefined
      ? createServer(take)
      : createSecureServer({ key: certificate.key, cert: certificate.certificate }, take);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const scheme = certificate === undefined ? 'http' : 'https';
  const local: LocalServer = {
    url: `${scheme}://localhost:${port}`,
    asked,
    handler,
    next: () => new Promise((resolve) => void waiting.push(resolve)),
  };
  return local;
}
