// Takes TCP connections and lets them into TLS handshakes: a bounded number of them, shared fairly
// between the addresses they come from.

import { constants } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import { addressBlock } from '../../address-block.ts';
import type { Clock } from '../../ports.ts';
import { ClientHello } from './client-hello.ts';
import type { ConnectionTable, FrontCounterName } from './connection-table.ts';
import { FairShares } from './fair-shares.ts';
import type { FrontLimits, ServerCertificate } from './tls-messages.ts';
import { tls12Suites, tls13Suites } from './tls-suites.ts';

/** The options of an admission. */
export interface TlsAdmissionOptions {
  readonly server: ServerCertificate;
  readonly limits: FrontLimits;
  readonly table: ConnectionTable;
  readonly clock: Clock;
  /** Receives a connection whose handshake is done. */
  readonly secure: (socket: TLSSocket) => void;
}

/**
 * A TCP listener that hands a connection to TLS once its whole ClientHello has arrived. Until then
 * a connection costs its descriptor and the bytes it sent. It requests a client certificate and
 * accepts any, because other code judges it.
 *
 * Each stage before the end of the handshake has room for a bounded number of connections. If a
 * stage is full, the oldest connection of the address with most connections in it is dropped, so
 * that an address can crowd out only itself.
 */
export class TlsAdmission {
  readonly #options: TlsAdmissionOptions;
  readonly #listener: Server;
  readonly #tls: TlsServer;
  /** All connections whose handshake is not done. */
  readonly #unsecured = new FairShares<Entrant>();
  /** Connections whose ClientHello has begun to arrive. */
  readonly #greeting = new FairShares<Entrant>();
  /** Connections whose ClientHello is complete but whose handshake has not begun. */
  readonly #ready = new FairShares<Entrant>();
  /** Connections whose handshake is in progress. */
  readonly #handshakes = new FairShares<Entrant>();
  /**
   * The same connections by address and port of the peer, which also identify the TLS engine's
   * socket.
   */
  readonly #byEndpoints = new Map<string, Entrant>();
  /** Open connections by address. */
  readonly #openBy = new Map<string, number>();
  #open = 0;
  /** Handshakes begun in this turn of the event loop. */
  #begunInTurn = 0;
  #isWaitingForGrace = false;

  constructor(options: TlsAdmissionOptions) {
    this.#options = options;
    this.#listener = createServer({ pauseOnConnect: true, noDelay: true }, (socket) =>
      this.#arrive(socket),
    );
    // The time limit of a handshake is checked here, from the connection on; Node's own default is
    // longer.
    this.#tls = createTlsServer({
      ...contextOptions(options.server),
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    });
    this.#tls.on('secureConnection', (socket) => this.#secured(socket));
    this.#tls.on('tlsClientError', (_error, socket) => socket.destroy());
  }

  /** Listens beside the other workers. `refused` is called with the reason if it can't. */
  listen(host: string, port: number, listening: () => void, refused: (error: Error) => void): void {
    this.#listener.once('error', refused);
    this.#listener.listen({ host, port, reusePort: true, backlog: 4096 }, () => {
      this.#listener.off('error', refused);
      // No descriptors are left; accepting continues when some are free again.
      this.#listener.on('error', () => {});
      listening();
    });
  }

  /** Shows this certificate from the next handshake on. */
  renew(server: ServerCertificate): void {
    this.#tls.setSecureContext(contextOptions(server));
  }

  /** Accepts no more connections, and drops those whose handshake has not begun. */
  stop(): void {
    this.#listener.close();
    for (const entrant of this.#unsecured.oldestWhile(() => true)) {
      if (entrant.stage === 'handshake') continue;
      this.#leave(entrant);
      entrant.socket.destroy();
    }
  }

  /** Drops connections that have taken too long. */
  sweep(): void {
    const { clock, limits } = this.#options;
    const nowMs = clock.monotonic();
    const arrivedUntilMs = nowMs - limits.handshakeTimeoutMs;
    const greetedUntilMs = nowMs - limits.clientHelloTimeoutMs;
    const isLate = ({ arrivedMs }: Entrant) => arrivedMs <= arrivedUntilMs;
    const greetsTooLong = ({ sinceMs }: Entrant) => sinceMs <= greetedUntilMs;
    for (const entrant of this.#unsecured.oldestWhile(isLate)) {
      this.#drop(entrant, 'handshakesTimedOut');
    }
    for (const entrant of this.#greeting.oldestWhile(greetsTooLong)) {
      this.#drop(entrant, 'handshakesTimedOut');
    }
    this.#begin();
  }

  #arrive(socket: Socket): void {
    const { table, limits, clock } = this.#options;
    table.add('connectionsAccepted', 1);
    const { remoteAddress = '', remotePort = 0, localAddress = '' } = socket;
    const address = addressBlock(remoteAddress);
    const openBefore = this.#openBy.get(address) ?? 0;
    const refusal =
      openBefore >= limits.connectionsPerAddressMax
        ? 'connectionsRefusedOfAddress'
        : this.#open >= limits.connectionsMax && !this.#makeRoom()
          ? 'connectionsRefused'
          : undefined;
    if (refusal !== undefined) {
      table.add(refusal, 1);
      socket.destroy();
      return;
    }
    const nowMs = clock.monotonic();
    const entrant: Entrant = {
      socket,
      address,
      arrivedMs: nowMs,
      sinceMs: nowMs,
      stage: 'silent',
      isOpen: true,
      endpoints: endpointsOf({ remoteAddress, remotePort, localAddress }),
      hello: new ClientHello(limits.clientHelloBytesMax),
      read: () => this.#read(entrant),
    };
    this.#open += 1;
    this.#openBy.set(address, openBefore + 1);
    table.add('connectionsOpen', 1);
    this.#unsecured.add(address, entrant);
    socket.once('close', () => this.#closed(entrant));
    // A reset while waiting, or before TLS takes over the socket, is not an error.
    socket.on('error', () => {});
    socket.on('readable', entrant.read);
  }

  /** Takes bytes that a connection sent before its handshake has begun. */
  #read(entrant: Entrant): void {
    const { socket, hello } = entrant;
    if (entrant.stage === 'over' || entrant.stage === 'handshake') return;
    const chunk: Buffer | null = socket.read();
    if (chunk === null) {
      // The client ended it. A client that sent nothing has not begun a handshake.
      if (entrant.stage === 'silent') socket.destroy();
      else this.#drop(entrant, 'handshakesFailed');
      return;
    }
    const state = hello.take(chunk);
    const { clientHelloBytesMax } = this.#options.limits;
    // After a complete ClientHello a client waits for the server's answer.
    const isTooLong = entrant.stage === 'ready' && hello.bytes.length > clientHelloBytesMax;
    if (state === 'refused' || isTooLong) this.#drop(entrant, 'handshakesFailed');
    else if (state === 'whole' && entrant.stage !== 'ready') {
      this.#enter(entrant, 'ready', this.#ready);
      this.#options.table.add('handshakesWaiting', 1);
      this.#begin();
    } else if (entrant.stage === 'silent') this.#enter(entrant, 'greeting', this.#greeting);
  }

  /**
   * Moves a connection to its next stage. If there is no room, the oldest of the largest share is
   * dropped.
   */
  #enter(entrant: Entrant, stage: 'greeting' | 'ready', room: FairShares<Entrant>): void {
    const { limits, clock } = this.#options;
    if (room.size >= limits.handshakesUnfinishedMax) {
      const oldest = room.oldestOfMost();
      if (oldest !== undefined) this.#drop(oldest, 'handshakesDropped');
    }
    this.#greeting.delete(entrant.address, entrant);
    entrant.stage = stage;
    entrant.sinceMs = clock.monotonic();
    room.add(entrant.address, entrant);
  }

  /**
   * Begins handshakes, one address after the other. Only some begin in one turn of the event loop,
   * because each takes time of the thread that open connections also need.
   */
  #begin(): void {
    const { limits, clock, table } = this.#options;
    while (this.#ready.size > 0 && this.#begunInTurn < limits.handshakesPerTurnMax) {
      if (!this.#hasHandshakeRoom()) return;
      const entrant = this.#ready.next();
      if (entrant === undefined) return;
      if (this.#begunInTurn === 0) clock.soon(() => this.#turn());
      this.#begunInTurn += 1;
      const { socket, hello, address, endpoints } = entrant;
      table.add('handshakesWaiting', -1);
      entrant.stage = 'handshake';
      entrant.sinceMs = clock.monotonic();
      this.#handshakes.add(address, entrant);
      this.#byEndpoints.set(endpoints, entrant);
      table.add('handshakesUnfinished', 1);
      socket.off('readable', entrant.read);
      // TLS reads the bytes in a socket's buffer before it takes over the socket.
      socket.unshift(hello.bytes);
      this.#tls.emit('connection', socket);
    }
  }

  #turn(): void {
    this.#begunInTurn = 0;
    this.#begin();
  }

  /** Whether one more handshake may begin, if necessary in place of another. */
  #hasHandshakeRoom(): boolean {
    const { limits, clock } = this.#options;
    if (this.#handshakes.size < limits.handshakesUnfinishedMax) return true;
    const oldest = this.#handshakes.oldestOfMost();
    if (oldest === undefined) return false;
    const graceMs = oldest.sinceMs + limits.handshakeGraceMs - clock.monotonic();
    if (graceMs <= 0) {
      this.#drop(oldest, 'handshakesDropped');
      return true;
    }
    if (!this.#isWaitingForGrace) {
      this.#isWaitingForGrace = true;
      clock.after(graceMs, () => {
        this.#isWaitingForGrace = false;
        this.#begin();
      });
    }
    return false;
  }

  /**
   * Closes one connection with an unfinished handshake to make room; false if none may be closed
   * yet.
   */
  #makeRoom(): boolean {
    const { limits, clock } = this.#options;
    const oldest = this.#unsecured.oldestOfMost();
    if (oldest === undefined) return false;
    if (oldest.arrivedMs + limits.handshakeGraceMs > clock.monotonic()) return false;
    this.#drop(oldest, 'handshakesDropped');
    return true;
  }

  #secured(socket: TLSSocket): void {
    const entrant = this.#byEndpoints.get(endpointsOf(socket));
    if (entrant === undefined) {
      // Its peer has reset it in the meantime.
      socket.destroy();
      return;
    }
    this.#leave(entrant);
    this.#options.secure(socket);
    this.#begin();
  }

  #drop(entrant: Entrant, reason: FrontCounterName): void {
    this.#options.table.add(reason, 1);
    this.#leave(entrant);
    this.#uncount(entrant);
    entrant.socket.destroy();
  }

  #closed(entrant: Entrant): void {
    this.#uncount(entrant);
    const { stage } = entrant;
    if (stage === 'over') return;
    if (stage !== 'silent') this.#options.table.add('handshakesFailed', 1);
    this.#leave(entrant);
    this.#begin();
  }

  /** Its descriptor is released, or is about to be. */
  #uncount(entrant: Entrant): void {
    if (!entrant.isOpen) return;
    entrant.isOpen = false;
    this.#open -= 1;
    this.#options.table.add('connectionsOpen', -1);
    const left = (this.#openBy.get(entrant.address) ?? 1) - 1;
    if (left > 0) this.#openBy.set(entrant.address, left);
    else this.#openBy.delete(entrant.address);
  }

  /** Removes a connection from its stage and from the unfinished ones. */
  #leave(entrant: Entrant): void {
    const { address, endpoints, stage } = entrant;
    entrant.stage = 'over';
    this.#unsecured.delete(address, entrant);
    this.#greeting.delete(address, entrant);
    this.#ready.delete(address, entrant);
    if (stage === 'ready') this.#options.table.add('handshakesWaiting', -1);
    if (stage !== 'handshake') return;
    this.#handshakes.delete(address, entrant);
    this.#options.table.add('handshakesUnfinished', -1);
    if (this.#byEndpoints.get(endpoints) === entrant) this.#byEndpoints.delete(endpoints);
  }
}

/** A connection whose handshake is not done. */
interface Entrant {
  readonly socket: Socket;
  /** The block of addresses that it counts for. */
  readonly address: string;
  readonly endpoints: string;
  readonly hello: ClientHello;
  readonly read: () => void;
  readonly arrivedMs: number;
  /** Monotonic ms at which it entered its stage. */
  sinceMs: number;
  /** `over` once its handshake is done, or it was dropped. */
  stage: 'silent' | 'greeting' | 'ready' | 'handshake' | 'over';
  /** Whether it counts as open. */
  isOpen: boolean;
}

/** Unique among the open connections to one port. */
function endpointsOf({
  remoteAddress = '',
  remotePort = 0,
  localAddress = '',
}: Partial<Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress'>>): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/**
 * Resumption is off: a resumed session no longer shows the intermediates, so a certificate login
 * would fail after a reconnect. `ca` is empty, because nothing is verified here; without it the
 * roots of the web would be loaded.
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
