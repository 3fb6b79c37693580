// The listeners of a controller: the TLS front with its server on a Unix socket, and the direct
// one.

import { join } from 'node:path';
import { pkiName } from '../../../snapshots/home/layout.ts';
import { chainBounds } from '../../auth/certificates/client-chain.ts';
import type { Log } from '../../observe/logs.ts';
import type { HttpHandler } from '../../platform/http-exchange.ts';
import type { Clock } from '../../platform/ports.ts';
import type { Config } from '../../settings/config.ts';
import type { WorkerCapacity } from '../../settings/open-files.ts';
import { formatHostPort, type HostPort } from '../../settings/setting-type.ts';
import type { ClaimedPorts } from '../front/claimed-ports.ts';
import { Connections, type FrontCounters } from '../front/peers.ts';
import { startTlsFront, type TlsFront, type TlsThreads } from '../front/tls-front.ts';
import {
  type ClusterFront,
  type ControlFront,
  frontBounds,
  type ServerCertificate,
} from '../front/tls-messages.ts';
import {
  type AcceptControl,
  type ControlListener,
  startControlListener,
} from './control-listener.ts';
import { type DirectOptions, directOrigin, frontOrigin } from './origin.ts';
import { RequestTurns } from './request-turns.ts';
import { type Server, type ServerCounters, type ServerOptions, startServer } from './server.ts';
import type { SocketHandler } from './sockets.ts';
import { unixSocketPlace } from './unix-socket.ts';
import { socketBounds } from './uws-sockets.ts';

/** The options of the listeners. */
export interface ListenersOptions {
  readonly config: Config;
  readonly capacity: WorkerCapacity;
  /** The port that was claimed for the TLS front. */
  readonly port: number;
  /** The address that was claimed for control connections alone, if there is one. */
  readonly controlListen: HostPort | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly handler: HttpHandler;
  readonly tooLarge: HttpHandler;
  readonly malformed: ServerOptions['malformed'];
  /** Accept WebSockets, each on its path. */
  readonly sockets: readonly SocketHandler[];
  /** Takes the control connections of routers. */
  readonly acceptControl: AcceptControl;
  readonly server: ServerCertificate;
  /** A TLS worker died; another takes its place. */
  readonly workerFailed: (error: Error) => void;
  /** How other nodes are reached; absent where this is the only node. */
  readonly cluster?: ClusterFront | undefined;
  /** The threads for the TLS front. */
  readonly threads?: TlsThreads | undefined;
  /** Holds the claimed ports until they are open. */
  readonly ports?: ClaimedPorts | undefined;
}

/** One listener as it is observed. */
export interface WatchedListener {
  /** `tls` is the front, `direct` the one without it. */
  readonly name: 'tls' | 'direct';
  /** `127.0.0.1:1280` */
  readonly address: string;
  readonly counters: Readonly<ServerCounters>;
}

/** The running listeners. */
export interface Listeners {
  readonly watched: readonly WatchedListener[];
  /** TLS worker threads, that of the control port included. */
  readonly workers: number;
  /** Requests that waited for a later turn of the event loop than the one they arrived in. */
  readonly requestsDeferred: number;
  /** Counts of the TLS front. */
  frontCounters(): FrontCounters;
  /** `https://host:port` of the direct listener, when it is on. */
  readonly directUrl: string | undefined;
  /**
   * Shows another certificate to new connections; open connections stay. The direct listener reads
   * it from its files. Rejects when it and the key don't fit.
   */
  renew(server: ServerCertificate): Promise<void>;
  /** Answers ask the clients of this node to close their connections from now on. */
  leave(): void;
  /** What the TLS front is told of the cluster; without a cluster it has no effect. */
  readonly cluster: ClusterListener;
  /**
   * Accepts no new connections, lets answers end, then closes.
   * @param lingerMsMax for answers; `limits.lingerTimeoutMs` when absent
   */
  stop(lingerMsMax?: number): Promise<void>;
}

/** The part of the TLS front that knows other nodes. */
export type ClusterListener = Pick<
  TlsFront,
  'clusterPort' | 'lead' | 'replaceMembers' | 'renewNode' | 'onLost'
>;

/**
 * Starts all listeners or none. @throws an error with a clear sentence when a port can't be bound.
 */
export async function startListeners(options: ListenersOptions): Promise<Listeners> {
  const { config, capacity } = options;
  const { directListen } = config;
  const limits = { ...config.limits, ...frontBounds, ...chainBounds, ...capacity };
  const shared = serverOptions(options);
  const directory = join(config.home, 'run');
  const place = unixSocketPlace(directory, 'http.sock');
  const connections = new Connections(capacity.connectionsMax);
  const started: Started = { servers: [], release: place.release };
  const { servers } = started;
  try {
    servers.push(
      await startServer({
        ...shared,
        origin: frontOrigin(place.path, connections, (slot) => started.front?.finish(slot)),
      }),
    );
    started.control = await startControlOf(options, directory);
    const front = await startTlsFront({
      host: config.listen.host,
      port: options.port,
      workers: config.tlsWorkers,
      server: options.server,
      threads: options.threads,
      ports: options.ports,
      socketPath: place.path,
      control: controlFront(options, started.control),
      cluster: options.cluster,
      connections,
      limits,
      failed: options.workerFailed,
    });
    started.front = front;
    const startDirect = (place: DirectPlace): Promise<Server> =>
      startServer({ ...shared, origin: directOrigin({ ...serverFiles(config), ...place }) });
    let direct: Server | undefined;
    if (directListen !== undefined) {
      direct = await startDirect(directListen);
      servers.push(direct);
    }
    return {
      get watched() {
        return watchedOf(config, { tls: servers[0], port: options.port, direct });
      },
      workers: front.workers,
      get requestsDeferred() {
        return shared.turns.deferred;
      },
      cluster: front,
      frontCounters: () => front.counters(),
      directUrl: directListen && `https://${directListen.host}:${direct?.port}`,
      async renew(server) {
        front.renew(server);
        if (directListen === undefined || direct === undefined) return;
        // The library reads its files once, so a new server replaces this one.
        const next = await startDirect({ ...directListen, port: direct.port, isShared: true });
        direct.stopListening();
        servers.push(next);
        direct = next;
      },
      leave: () => leaveAll(started),
      stop: (lingerMsMax = limits.lingerTimeoutMs) => stopAll(started, lingerMsMax),
    };
  } catch (error) {
    await stopAll(started, 0);
    throw error;
  }
}

type DirectPlace = Pick<DirectOptions, 'host' | 'port' | 'isShared'>;

/** The parts that were started so far. */
interface Started {
  readonly servers: Server[];
  readonly release: () => void;
  front?: TlsFront;
  control?: ControlListener;
}

function startControlOf(
  { clock, log, acceptControl: accept }: ListenersOptions,
  directory: string,
): Promise<ControlListener> {
  return startControlListener({ directory, clock, log, accept });
}

function controlFront(
  { config, controlListen }: ListenersOptions,
  { socketPath }: ControlListener,
): ControlFront {
  return { socketPath, listen: controlListen, workers: config.controlWorkers };
}

/** The options that all servers have in common. */
function serverOptions(options: ListenersOptions): Omit<ServerOptions, 'origin'> {
  const { config, clock, log, handler, tooLarge, malformed } = options;
  const { limits } = config;
  return {
    handler,
    tooLarge,
    malformed,
    clock,
    limits,
    sockets: { handlers: options.sockets, limits: socketBounds },
    failed: (err: unknown) => log.error({ err }, 'a request failed outside of its operation'),
    turns: new RequestTurns(clock, limits),
  };
}

function watchedOf(
  { listen, directListen }: Config,
  { tls, port, direct }: { tls: Server | undefined; port: number; direct: Server | undefined },
): WatchedListener[] {
  const watched: WatchedListener[] = [];
  const add = (name: WatchedListener['name'], host: string, server: Server, at: number) => {
    watched.push({ name, address: formatHostPort({ host, port: at }), counters: server.counters });
  };
  if (tls !== undefined) add('tls', listen.host, tls, port);
  // Restarts from zero with its server when the certificate is renewed, which counters may do.
  if (directListen !== undefined && direct !== undefined) {
    add('direct', directListen.host, direct, direct.port);
  }
  return watched;
}

/**
 * The files of the key pair that the listener serves with, from the home or from the configuration.
 */
function serverFiles({ home, pki }: Config): { certificateFile: string; keyFile: string } {
  return {
    certificateFile: pki.serverCert ?? join(home, pkiName, 'server.pem'),
    keyFile: pki.serverKey ?? join(home, pkiName, 'server.key'),
  };
}

function leaveAll({ servers, front }: Started): void {
  for (const server of servers) server.isLeaving = true;
  front?.leave();
}

async function stopAll(
  { front, servers, control, release }: Started,
  timeoutMs: number,
): Promise<void> {
  front?.stopListening(timeoutMs);
  control?.endConnections();
  await Promise.all(servers.map((server) => server.stop(timeoutMs)));
  await front?.stopped();
  await control?.stop();
  release();
}
