// A server with its TLS front for tests: real threads, sockets and certificates, small time-outs.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { Test } from 'tap';
import { framingRules } from '../../src/http/front/framing-faults.ts';
import { Connections } from '../../src/http/front/peers.ts';
import { startTlsFront, type TlsFront, type TlsThreads } from '../../src/http/front/tls-front.ts';
import type { ClusterFront, ControlFront, FrontLimits } from '../../src/http/front/tls-messages.ts';
import {
  type AcceptControl,
  type ControlListener,
  startControlListener,
} from '../../src/http/server/control-listener.ts';
import { directOrigin, frontOrigin } from '../../src/http/server/origin.ts';
import { RequestTurns } from '../../src/http/server/request-turns.ts';
import {
  type Server,
  type ServerLimits,
  type ServerOptions,
  startServer,
} from '../../src/http/server/server.ts';
import type { SocketHandler, SocketLimits } from '../../src/http/server/sockets.ts';
import { unixSocketPlace } from '../../src/http/server/unix-socket.ts';
import type { HttpHandler } from '../../src/platform/http-exchange.ts';
import type { Clock } from '../../src/platform/ports.ts';
import { roomOf } from '../system/process.ts';
import { type Issued, issue } from './certificates.ts';

export const frontLimits: FrontLimits = {
  connectionsMax: 256,
  connectionsPerAddressMax: 20_000,
  descriptorsMax: 60_000,
  controlPortDescriptorsMax: 60_000,
  controlPendingMax: 16_384,
  controlPendingPerAddressMax: 16_384,
  controlAcceptedPerTurnMax: 2,
  controlPatienceMs: 5_000,
  controlWaitMs: 4_000,
  controlHandshakesMax: 256,
  clientHelloBytesMax: 16_384,
  clientHelloTimeoutMs: 3_000,
  handshakesUnfinishedMax: 1024,
  handshakesPerTurnMax: 8,
  handshakeGraceMs: 2_000,
  handshakeTimeoutMs: 10_000,
  headerBytesMax: 32 * 1024,
  silentTimeoutMs: 10_000,
  idleTimeoutMs: 60_000,
  parkAfterMs: 5_000,
  readsBehindMax: 64,
  lingerTimeoutMs: 5_000,
  certificatesMax: 8,
  certificatesBytesMax: 32 * 1024,
};

export const serverLimits: ServerLimits = {
  headerBytesMax: 32 * 1024,
  bodyBytesMax: 64 * 1024,
  bodiesBytesMax: 1024 * 1024,
  unsentBytesMax: 64 * 1024 * 1024,
  bodyTimeoutMs: 5_000,
};

export const socketLimits: SocketLimits = {
  socketMessageBytesMax: 1024,
  socketBufferBytesMax: 1024 * 1024,
  socketIdleTimeoutMs: 30_000,
};

/** Turns as a controller has them. */
export function requestTurns(clock: Clock): RequestTurns {
  return new RequestTurns(clock, { requestTurnMs: 2, bodiesBytesMax: serverLimits.bodiesBytesMax });
}

/** Real time. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (delayMs, task) => {
    const timer = setTimeout(task, delayMs).unref();
    return { cancel: () => clearTimeout(timer) };
  },
  soon: (task) => void setImmediate(task),
};

export interface Running {
  readonly server: Server;
  readonly front: TlsFront;
  readonly connections: Connections;
  readonly controlSocketPath: string | undefined;
  readonly certificate: Issued;
  readonly failures: unknown[];
  /** A client's connection whose handshake is done. */
  open(options?: ConnectionOptions): Promise<TLSSocket>;
  stop(): Promise<void>;
}

/** Answers `hello`, or what the body was. */
export const echo: HttpHandler = (request, reply) => {
  reply.send(200, [['Content-Type', 'text/plain']], request.body.length ? request.body : 'hello');
};

/** Answers 413. */
export const tooLarge: HttpHandler = (_request, reply) => {
  reply.send(413, [['Content-Type', 'text/plain']], 'too large');
};

/** Answers 400, and what is wrong. */
export const malformed: ServerOptions['malformed'] = (fault, reply) => {
  const { status, field, reason } = framingRules[fault];
  reply.send(status, [['Content-Type', 'text/plain']], `${field} ${reason}`);
};

export async function run(options: {
  directory: string;
  handler?: HttpHandler;
  front?: Partial<FrontLimits>;
  server?: Partial<ServerLimits>;
  workers?: number;
  controlWorkers?: number;
  clock?: Clock;
  sockets?: SocketHandler;
  turns?: RequestTurns;
  threads?: TlsThreads;
  /** Takes control connections, at a port of their own, too. */
  acceptControl?: AcceptControl;
  /** This node is one of several. */
  cluster?: ClusterFront;
}): Promise<Running> {
  const { clock = realClock } = options;
  const certificate = await issue('server');
  const limits = { ...frontLimits, ...options.front };
  const connections = new Connections(limits.connectionsMax);
  const place = unixSocketPlace(join(options.directory, 'run'), 'http.sock');
  const failures: unknown[] = [];
  const control = await listenForControl(options, clock, failures);
  let front: TlsFront | undefined;
  const server = await startServer({
    origin: frontOrigin(place.path, connections, (slot) => front?.finish(slot)),
    handler: options.handler ?? echo,
    tooLarge,
    malformed,
    failed: (error) => failures.push(error),
    clock,
    limits: { ...serverLimits, ...options.server },
    turns: options.turns ?? requestTurns(clock),
    ...(options.sockets && { sockets: { handlers: [options.sockets], limits: socketLimits } }),
  });
  front = await startTlsFront({
    host: '127.0.0.1',
    port: 0,
    workers: options.workers ?? 1,
    server: { certificate: certificate.certificate, key: certificate.key },
    socketPath: place.path,
    connections,
    control: control && controlFront(control, options.controlWorkers),
    limits,
    cluster: options.cluster,
    threads: options.threads,
    failed: (error) => failures.push(error),
  });
  const started = front;
  return {
    server,
    front: started,
    connections,
    controlSocketPath: control?.socketPath,
    certificate,
    failures,
    open: opener(started.port, certificate),
    stop: async () => {
      started.stopListening(2_000);
      control?.endConnections();
      await server.stop(2_000);
      await started.stopped();
      await control?.stop();
      place.release();
    },
  };
}

function controlFront({ socketPath }: ControlListener, workers = 1): ControlFront {
  return { socketPath, listen: { host: '127.0.0.1', port: 0 }, workers };
}

async function listenForControl(
  { directory, acceptControl: accept }: Parameters<typeof run>[0],
  clock: Clock,
  failures: unknown[],
): Promise<ControlListener | undefined> {
  if (accept === undefined) return undefined;
  const log = { error: (...line: unknown[]) => void failures.push(line) };
  return await startControlListener({ directory: join(directory, 'run'), clock, log, accept });
}

/** A direct listener: TLS in the server's own process. It ends with `t`. */
export async function direct(t: Test, handler: HttpHandler, port = 0, given?: Issued) {
  const directory = roomOf(t);
  const certificate = given ?? (await issue('server'));
  const certificateFile = join(directory, 'server.pem');
  const keyFile = join(directory, 'server.key');
  writeFileSync(certificateFile, certificate.certificate);
  writeFileSync(keyFile, certificate.key);
  const server = await startServer({
    origin: directOrigin({ host: '127.0.0.1', port, certificateFile, keyFile }),
    handler,
    tooLarge,
    malformed,
    failed: (error) => t.fail(String(error)),
    clock: realClock,
    limits: serverLimits,
    turns: requestTurns(realClock),
  });
  t.teardown(() => server.stop(1_000));
  return { server, certificate, open: opener(server.port, certificate) };
}

/** Opens connections to a port, each with its handshake done. */
export function opener(port: number, server: Issued): Running['open'] {
  return async (more = {}) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      servername: 'localhost',
      ca: server.certificate,
      ...more,
    });
    await once(socket, 'secureConnect');
    return socket;
  };
}

/** Resolves with all that a peer sends until it closes, whatever the way it does. */
export function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

/** Resolves with what came as soon as `enough` holds of it; rejects when the peer closes before. */
export function until(socket: TLSSocket, enough: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const take = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (!enough(text)) return;
      socket.off('data', take);
      socket.off('close', fail);
      resolve(text);
    };
    const fail = (): void => reject(new Error(`closed after ${JSON.stringify(text)}`));
    socket.on('data', take);
    socket.on('close', fail);
  });
}

/** A request without body. */
export function get(path: string, ...headers: string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');
}

/** How many whole answers stand in a text of answers that end in `body`. */
export function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
