// The listeners of a controller: the TLS front with its server on a Unix socket, and the direct
// one.

import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../observe/logs.ts';
import type { Clock } from '../ports.ts';
import { Connections } from './connections.ts';
import type { HttpHandler } from './exchange.ts';
import { directOrigin, frontOrigin } from './origin.ts';
import { type Server, startServer } from './server.ts';
import { startTlsFront, type TlsFront } from './tls-front.ts';
import type { ServerCertificate } from './tls-messages.ts';
import { unixSocketPlace } from './unix-socket.ts';

/** What the listeners are started with. */
export interface ListenersOptions {
  readonly config: Config;
  /** The port that was claimed for the TLS front. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly handler: HttpHandler;
  readonly tooLarge: HttpHandler;
  readonly server: ServerCertificate;
}

/** The running listeners. */
export interface Listeners {
  /** `https://host:port` of the direct listener, when it is on. */
  readonly directUrl: string | undefined;
  /** Calls `listener` when a worker died; another takes its place. */
  onFailure(listener: (error: Error) => void): void;
  /** Takes no new connections, lets answers end, then closes. */
  stop(): Promise<void>;
}

/**
 * Starts all listeners or none. @throws an error with a clear sentence when a port can't be had.
 */
export async function startListeners(options: ListenersOptions): Promise<Listeners> {
  const { config, clock, log, handler } = options;
  const { limits } = config;
  const failures: ((error: Error) => void)[] = [];
  const shared = {
    handler,
    tooLarge: options.tooLarge,
    failed: (err: unknown) => log.error({ err }, 'a request failed outside of its operation'),
    clock,
    limits,
  };
  const place = unixSocketPlace(join(config.home, 'run'), 'http.sock');
  const connections = new Connections(limits.connectionsMax);
  let front: TlsFront | undefined;
  const servers: Server[] = [];
  try {
    servers.push(
      await startServer({
        ...shared,
        origin: frontOrigin(place.path, connections, (slot) => front?.finish(slot)),
      }),
    );
    front = await startTlsFront({
      host: config.listen.host,
      port: options.port,
      workers: config.tlsWorkers,
      server: options.server,
      socketPath: place.path,
      connections,
      limits,
      failed(error) {
        for (const listener of failures) listener(error);
      },
    });
    const direct = config.directListen;
    let directUrl: string | undefined;
    if (direct !== undefined) {
      const server = await startServer({
        ...shared,
        origin: directOrigin({
          host: direct.host,
          port: direct.port,
          certificateFile: config.pki.serverCert ?? join(config.home, 'pki', 'server.pem'),
          keyFile: config.pki.serverKey ?? join(config.home, 'pki', 'server.key'),
        }),
      });
      servers.push(server);
      directUrl = `https://${direct.host}:${server.port}`;
    }
    return {
      directUrl,
      onFailure: (listener) => void failures.push(listener),
      stop: () => stopAll(front, servers, limits.lingerTimeoutMs, place.release),
    };
  } catch (error) {
    await stopAll(front, servers, 0, place.release);
    throw error;
  }
}

async function stopAll(
  front: TlsFront | undefined,
  servers: readonly Server[],
  timeoutMs: number,
  release: () => void,
): Promise<void> {
  front?.stopListening(timeoutMs);
  await Promise.all(servers.map((server) => server.stop(timeoutMs)));
  await front?.stopped();
  release();
}
