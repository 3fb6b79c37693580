// Takes TCP connections and lets them into TLS handshakes, a bounded number at a time.

import { constants } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import type { ConnectionTable } from './connection-table.ts';
import type { FrontLimits, ServerCertificate } from './tls-messages.ts';
import { tls12Suites, tls13Suites } from './tls-suites.ts';

/** Takes a connection whose handshake is done. */
export type SecureHandler = (socket: TLSSocket) => void;

/**
 * A TCP listener whose connections stay unread until there is room for one more handshake. Asks for
 * a client certificate and takes any, as others judge it.
 */
export class TlsAdmission {
  readonly #listener: Server;
  readonly #tls: TlsServer;
  readonly #limits: FrontLimits;
  readonly #table: ConnectionTable;
  /** Connections that wait for their handshake, the oldest first, with the time until they may. */
  readonly #waiting = new Map<Socket, number>();
  /** Those of them that have spoken and wait for room. */
  readonly #spoken = new Set<Socket>();
  #unfinished = 0;
  #open = 0;

  constructor(
    server: ServerCertificate,
    limits: FrontLimits,
    table: ConnectionTable,
    secure: SecureHandler,
  ) {
    this.#limits = limits;
    this.#table = table;
    this.#listener = createServer({ pauseOnConnect: true, noDelay: true }, (socket) =>
      this.#arrive(socket),
    );
    this.#tls = createTlsServer({
      ...contextOptions(server),
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: limits.handshakeTimeoutMs,
    });
    this.#tls.on('secureConnection', (socket) => {
      this.#finished();
      secure(socket);
    });
    this.#tls.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      const late = error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT';
      table.add(late ? 'handshakesTimedOut' : 'handshakesFailed', 1);
      socket.destroy();
      this.#finished();
    });
  }

  /** Listens beside the other workers. `refused` is told why it can't. */
  listen(host: string, port: number, listening: () => void, refused: (error: Error) => void): void {
    this.#listener.once('error', refused);
    this.#listener.listen({ host, port, reusePort: true, backlog: 4096 }, () => {
      this.#listener.off('error', refused);
      // Out of descriptors: accepting goes on when there are some again.
      this.#listener.on('error', () => {});
      listening();
    });
  }

  /** Shows this certificate from the next handshake on. */
  renew(server: ServerCertificate): void {
    this.#tls.setSecureContext(contextOptions(server));
  }

  /** Takes no more connections, and drops those that still wait. */
  stop(): void {
    this.#listener.close();
    for (const socket of this.#waiting.keys()) socket.destroy();
  }

  /** Drops connections that have waited too long. */
  sweep(nowMs: number): void {
    for (const [socket, untilMs] of this.#waiting) {
      if (untilMs > nowMs) return;
      this.#table.add('handshakesTimedOut', 1);
      socket.destroy();
      this.#forget(socket);
    }
  }

  #arrive(socket: Socket): void {
    this.#table.add('connectionsAccepted', 1);
    if (this.#open >= this.#limits.connectionsMax) {
      this.#table.add('connectionsRefused', 1);
      socket.destroy();
      return;
    }
    this.#open += 1;
    this.#table.add('connectionsOpen', 1);
    socket.once('close', () => {
      this.#open -= 1;
      this.#table.add('connectionsOpen', -1);
      this.#forget(socket);
    });
    // A reset while waiting, or before TLS takes the socket over, is nobody's error.
    socket.on('error', () => {});
    this.#waiting.set(socket, performance.now() + this.#limits.handshakeTimeoutMs);
    // Who says nothing takes nobody's room: 32 silent connections would keep all others out.
    socket.once('readable', () => this.#spoke(socket));
  }

  #spoke(socket: Socket): void {
    if (!this.#waiting.has(socket)) return;
    if (socket.readableLength === 0) socket.destroy();
    else if (this.#unfinished < this.#limits.handshakesUnfinishedMax) this.#begin(socket);
    else this.#spoken.add(socket);
  }

  #forget(socket: Socket): void {
    this.#waiting.delete(socket);
    this.#spoken.delete(socket);
  }

  #begin(socket: Socket): void {
    this.#forget(socket);
    this.#unfinished += 1;
    this.#table.add('handshakesUnfinished', 1);
    this.#tls.emit('connection', socket);
  }

  #finished(): void {
    this.#unfinished -= 1;
    this.#table.add('handshakesUnfinished', -1);
    for (const socket of this.#spoken) {
      if (socket.destroyed) continue;
      this.#begin(socket);
      return;
    }
  }
}

/**
 * No resumption: a resumed session no longer shows the intermediates, and a certificate login would
 * fail after a reconnect. `ca` is empty, as nothing is verified here; without it the roots of the
 * web are loaded.
 */
function contextOptions(server: ServerCertificate): SecureContextOptions {
  return {
    cert: server.certificate,
    key: server.key,
    ca: [],
    minVersion: 'TLSv1.2',
    ciphers: `${tls13Suites}:${tls12Suites}`,
    ecdhCurve: 'X25519:prime256v1',
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  };
}
