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
import { addressBlock } from '../address-block.ts';
import type { Clock } from '../ports.ts';
import { ClientHello } from './client-hello.ts';
import type { ConnectionTable, FrontCounterName } from './connection-table.ts';
import { FairShares } from './fair-shares.ts';
import type { FrontLimits, ServerCertificate } from './tls-messages.ts';
import { tls12Suites, tls13Suites } from './tls-suites.ts';

/** What an admission works with. */
export interface TlsAdmissionOptions {
  readonly server: ServerCertificate;
  readonly limits: FrontLimits;
  readonly table: ConnectionTable;
  readonly clock: Clock;
  /** Takes a connection whose handshake is done. */
  readonly secure: (socket: TLSSocket) => void;
}

/**
 * A TCP listener that hands a connection to TLS once its whole ClientHello has arrived. Until then
 * a connection costs its descriptor and the bytes it sent. Asks for a client certificate and takes
 * any, as others judge it.
 *
 * Each stage before the end of the handshake has room for a bounded number of connections. Where a
 * stage is full, the oldest connection of the address that holds most of it makes room, so that an
 * address can crowd out nobody but itself.
 */
export class TlsAdmission {
  readonly #options: TlsAdmissionOptions;
  readonly #listener: Server;
  readonly #tls: TlsServer;
  /** All whose handshake is not done. */
  readonly #unsecured = new FairShares<Entrant>();
  /** Those whose ClientHello has begun to arrive. */
  readonly #greeting = new FairShares<Entrant>();
  /** Those whose ClientHello is whole, and whose handshake has not begun. */
  readonly #ready = new FairShares<Entrant>();
  /** Those whose handshake is in progress. */
  readonly #handshakes = new FairShares<Entrant>();
  /** The same by the addresses and port of the peer, by which the TLS engine's socket is known. */
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
    // The time of a handshake is watched here, from the connection on: its own default is longer.
    this.#tls = createTlsServer({
      ...contextOptions(options.server),
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    });
    this.#tls.on('secureConnection', (socket) => this.#secured(socket));
    this.#tls.on('tlsClientError', (_error, socket) => socket.destroy());
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

  /** Takes no more connections, and drops those whose handshake has not begun. */
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
    // A reset while waiting, or before TLS takes the socket over, is nobody's error.
    socket.on('error', () => {});
    socket.on('readable', entrant.read);
  }

  /** Takes what a connection sent before its handshake has begun. */
  #read(entrant: Entrant): void {
    const { socket, hello } = entrant;
    if (entrant.stage === 'over' || entrant.stage === 'handshake') return;
    const chunk: Buffer | null = socket.read();
    if (chunk === null) {
      // It ended. Who never said a word began no handshake.
      if (entrant.stage === 'silent') socket.destroy();
      else this.#drop(entrant, 'handshakesFailed');
      return;
    }
    const state = hello.take(chunk);
    const { clientHelloBytesMax } = this.#options.limits;
    // Behind a whole ClientHello a client waits for the server's answer.
    const isTooLong = entrant.stage === 'ready' && hello.bytes.length > clientHelloBytesMax;
    if (state === 'refused' || isTooLong) this.#drop(entrant, 'handshakesFailed');
    else if (state === 'whole' && entrant.stage !== 'ready') {
      this.#enter(entrant, 'ready', this.#ready);
      this.#options.table.add('handshakesWaiting', 1);
      this.#begin();
    } else if (entrant.stage === 'silent') this.#enter(entrant, 'greeting', this.#greeting);
  }

  /** Moves a connection on. Where there is no room, the oldest of the largest share goes. */
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
   * Begins handshakes, each address in its turn. Only some in one turn of the event loop: each
   * takes the thread's time, and open connections have theirs in between.
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
      // TLS reads what lies in a socket's buffer before it takes the socket over.
      socket.unshift(hello.bytes);
      this.#tls.emit('connection', socket);
    }
  }

  #turn(): void {
    this.#begunInTurn = 0;
    this.#begin();
  }

  /** Whether one more handshake may begin, if need be in the place of another. */
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

  /** Closes a connection without a finished handshake for one more; false where none may go yet. */
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
      // Its peer has reset it meanwhile.
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

  /** Its descriptor is, or is about to be, given back. */
  #uncount(entrant: Entrant): void {
    if (!entrant.isOpen) return;
    entrant.isOpen = false;
    this.#open -= 1;
    this.#options.table.add('connectionsOpen', -1);
    const left = (this.#openBy.get(entrant.address) ?? 1) - 1;
    if (left > 0) this.#openBy.set(entrant.address, left);
    else this.#openBy.delete(entrant.address);
  }

  /** Takes a connection out of its stage; it is none of the unfinished ones any more. */
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
  /** The block of addresses it counts for. */
  readonly address: string;
  readonly endpoints: string;
  readonly hello: ClientHello;
  readonly read: () => void;
  readonly arrivedMs: number;
  /** Since when it is in its stage. */
  sinceMs: number;
  /** `over` once its handshake is done, or it was dropped. */
  stage: 'silent' | 'greeting' | 'ready' | 'handshake' | 'over';
  /** Whether it counts as open. */
  isOpen: boolean;
}

/** No two open connections to one port have the same. */
function endpointsOf({
  remoteAddress = '',
  remotePort = 0,
  localAddress = '',
}: Partial<Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress'>>): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
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
