// Takes TCP connections and lets them into TLS handshakes: a bounded number of them, shared fairly
// between the addresses they come from.

import { Buffer } from 'node:buffer';
import { constants } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import { addressBlock } from '../../platform/address-block.ts';
import type { Clock } from '../../platform/ports.ts';
import {
  controlDescriptors,
  requestDescriptors,
  tunnelDescriptors,
} from '../../settings/open-files.ts';
import type { HostPort } from '../../settings/setting-type.ts';
import { FairShares } from '../../turns/fair-shares.ts';
import { ClientHello } from './client-hello.ts';
import { ConnectionCapacity, type Seat } from './connection-capacity.ts';
import type { ConnectionTable, FrontCounterName } from './connection-table.ts';
import { ControlPace, type WaitingRouter } from './control-pace.ts';
import type { FrontLimits, ServerCertificate } from './tls-messages.ts';
import { keyExchangeGroups, tls12Suites, tls13Suites } from './tls-suites.ts';

/** The options of an admission. */
export interface TlsAdmissionOptions {
  readonly server: ServerCertificate;
  readonly limits: FrontLimits;
  readonly table: ConnectionTable;
  readonly clock: Clock;
  /**
   * Receives a connection for requests whose handshake is done, and its seat in `capacity`, which
   * is to be told of its client.
   */
  readonly secure: (socket: TLSSocket, seat: Seat) => void;
  /**
   * Receives a control connection whose handshake is done. `admitted` is to be called when its
   * hello has been accepted.
   */
  readonly secureControl: (socket: TLSSocket, admitted: () => void) => void;
  /** Called for each connection that is admitted: `sweep` must be called until `isEmpty`. */
  readonly arrived: () => void;
}

/**
 * TCP listeners that hand a connection to TLS once its whole ClientHello has arrived. Until then a
 * connection costs its descriptor and the bytes it sent. They request a client certificate and
 * accept any, because other code evaluates it.
 *
 * Each stage before the end of the handshake has room for a bounded number of connections. If a
 * stage is full, the oldest connection of the address with most connections in it is dropped, so
 * that an address can crowd out only itself. `ConnectionCapacity` says the same of all connections.
 *
 * Control connections have stages and bounds of their own, until their hello has been accepted
 * (behaviour/control-channel#transport). They are known by their listener, or by the ALPN name in
 * their ClientHello, and in the end by the protocol that TLS negotiated.
 */
export class TlsAdmission {
  /** All connections for requests, and on a leader the clients of other nodes. */
  readonly capacity: ConnectionCapacity;
  readonly #options: TlsAdmissionOptions;
  readonly #listeners: Server[] = [];
  readonly #tls: TlsServer;
  readonly #requests: Lane = newLane();
  readonly #control: Lane = newLane();
  readonly #pace: ControlPace;
  /** The lane whose turn it is to begin a handshake. */
  #isTurnOfControl = false;
  /**
   * The same connections by address and port of the peer, which also identify the TLS engine's
   * socket.
   */
  readonly #byEndpoints = new Map<string, Entrant>();
  /** Descriptors that all open connections may take. */
  #descriptors = 0;
  /** Handshakes begun in this turn of the event loop. */
  #begunInTurn = 0;

  constructor(options: TlsAdmissionOptions) {
    this.#options = options;
    this.capacity = new ConnectionCapacity(options);
    this.#pace = new ControlPace(options.limits);
    // The time limit of a handshake is checked here, from the connection on; Node's own default is
    // longer.
    this.#tls = createTlsServer({
      ...contextOptions(options.server),
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1', controlProtocol],
    });
    this.#tls.on('secureConnection', (socket) => this.#secured(socket));
    this.#tls.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      const entrant = this.#byEndpoints.get(endpointsOf(socket));
      const hasPeerGone = error.code === 'ECONNRESET';
      if (entrant !== undefined && !hasPeerGone) this.#drop(entrant, 'handshakesFailed');
      socket.destroy();
      this.#begin();
    });
  }

  /**
   * Listens beside the other workers, for both protocols or only for control connections. `refused`
   * is called with the reason if it can't.
   */
  listen(
    { host, port }: HostPort,
    protocols: 'both' | 'control',
    listening: () => void,
    refused: (error: Error) => void,
  ): void {
    const isControl = protocols === 'control';
    let missing = isControl ? this.#options.limits.controlAcceptedPerTurnMax : 1;
    for (let left = missing; left > 0; left -= 1) {
      const listener = createServer({ pauseOnConnect: true, noDelay: true }, (socket) =>
        this.#arrive(socket, isControl),
      );
      this.#listeners.push(listener);
      listener.once('error', refused);
      listener.listen({ host, port, reusePort: true, backlog: 4096 }, () => {
        listener.off('error', refused);
        // No descriptors are left; accepting continues when some are free again.
        listener.on('error', () => {});
        missing -= 1;
        if (missing === 0) listening();
      });
    }
  }

  /** Shows this certificate from the next handshake on. */
  renew(server: ServerCertificate): void {
    this.#tls.setSecureContext(contextOptions(server));
  }

  /**
   * Makes room for one more client of another node, by the address that this node has seen; false
   * if there is none.
   */
  admitTunnel(address: string): boolean {
    return this.#makeRoom(this.#requests, addressBlock(address), tunnelDescriptors) === undefined;
  }

  /** Takes a client of another node, for which there must be room, until its stream closes. */
  takeTunnel(address: string, stream: Duplex): Seat {
    const leave = () => {
      if (!seat.isTaken) return;
      this.#descriptors -= tunnelDescriptors;
      this.capacity.leave(seat);
    };
    const seat = this.capacity.take(addressBlock(address), () => {
      leave();
      seat.client?.closeFor('connectionsDisplaced');
    });
    this.#descriptors += tunnelDescriptors;
    stream.once('close', leave);
    return seat;
  }

  /** Accepts no more connections, and drops those whose handshake has not begun. */
  stop(): void {
    for (const listener of this.#listeners) listener.close();
    for (const { unfinished } of [this.#requests, this.#control]) {
      for (const entrant of unfinished.oldestWhile(() => true)) {
        if (entrant.stage === 'handshake' || entrant.stage === 'secured') continue;
        this.#leave(entrant);
        entrant.socket.destroy();
      }
    }
  }

  /** Drops all connections whose handshake is not over. */
  end(): void {
    for (const { unfinished } of [this.#requests, this.#control]) {
      for (const { socket } of unfinished.oldestWhile(() => true)) socket.destroy();
    }
  }

  /** Whether no connection is open. */
  get isEmpty(): boolean {
    return this.#descriptors === 0;
  }

  /** Called once per second or more often: drops connections that have taken too long. */
  sweep(): void {
    this.capacity.sweep();
    const { clock, limits } = this.#options;
    const nowMs = clock.monotonic();
    const arrivedUntilMs = nowMs - limits.handshakeTimeoutMs;
    const greetedUntilMs = nowMs - limits.clientHelloTimeoutMs;
    const isLate = ({ arrivedMs }: Entrant) => arrivedMs <= arrivedUntilMs;
    const greetsTooLong = ({ sinceMs }: Entrant) => sinceMs <= greetedUntilMs;
    for (const { unfinished, greeting } of [this.#requests, this.#control]) {
      for (const entrant of unfinished.oldestWhile(isLate)) {
        this.#drop(entrant, 'handshakesTimedOut');
      }
      for (const entrant of greeting.oldestWhile(greetsTooLong)) {
        this.#drop(entrant, 'handshakesTimedOut');
      }
    }
    for (const entrant of this.#pace.closing(nowMs, this.#control.ready.inTurn())) {
      this.#drop(entrant, 'controlTooLate');
    }
    this.#begin();
  }

  #arrive(socket: Socket, isControl: boolean): void {
    const { table, limits, clock } = this.#options;
    table.add('connectionsAccepted', 1);
    const { remoteAddress = '' } = socket;
    const nowMs = clock.monotonic();
    const entrant: Entrant = {
      socket,
      address: addressBlock(remoteAddress),
      arrivedMs: nowMs,
      closesMs: undefined,
      sinceMs: nowMs,
      stage: 'silent',
      isOpen: true,
      seat: undefined,
      lane: isControl ? this.#control : this.#requests,
      endpoints: undefined,
      isAtControlPort: isControl,
      hello: new ClientHello(limits.clientHelloBytesMax),
      read: () => this.#read(entrant),
    };
    const refusal = this.#makeRoom(entrant.lane, entrant.address);
    if (refusal !== undefined) {
      table.add(refusal, 1);
      socket.destroy();
      return;
    }
    this.#count(entrant, 1);
    this.#options.arrived();
    entrant.lane.unfinished.add(entrant.address, entrant);
    socket.on('close', () => this.#closed(entrant));
    // A reset while waiting, or before TLS takes over the socket, is not an error.
    socket.on('error', ignore);
    socket.on('readable', entrant.read);
  }

  /** Makes room for one more connection in a lane; the reason if there is none. */
  #makeRoom(
    lane: Lane,
    address: string,
    descriptors: number = this.#descriptorsOf(lane),
  ): FrontCounterName | undefined {
    const refusal =
      lane === this.#control ? this.#admitControl(address) : this.capacity.admit(address);
    if (refusal !== undefined) return refusal;
    while (this.#descriptors + descriptors > this.#options.limits.descriptorsMax) {
      const hasCapacity =
        lane === this.#control
          ? this.#dropPending() ||
            this.capacity.displaceFor(address, lane.unfinished.sizeOf(address))
          : this.capacity.displaceFor(address) || this.#dropPending();
      if (!hasCapacity) return 'connectionsRefused';
    }
    return undefined;
  }

  #admitControl(address: string): FrontCounterName | undefined {
    const { limits } = this.#options;
    const { unfinished } = this.#control;
    const isFull =
      unfinished.sizeOf(address) >= limits.controlPendingPerAddressMax ||
      (unfinished.size >= limits.controlPendingMax && !this.#dropPending());
    return isFull ? 'controlRefused' : undefined;
  }

  #descriptorsOf(lane: Lane): number {
    return lane === this.#control ? controlDescriptors : requestDescriptors;
  }

  /** Takes bytes that a connection sent before its handshake has begun. */
  #read(entrant: Entrant): void {
    const { socket, hello, stage } = entrant;
    if (hello === undefined || stage === 'over' || stage === 'handshake') return;
    const chunk: Buffer | null = socket.read();
    if (chunk === null) {
      // The client ended it. A client that sent nothing has not begun a handshake.
      if (stage === 'silent') socket.destroy();
      else this.#drop(entrant, 'handshakesFailed');
      return;
    }
    const state = hello.take(chunk);
    const { clientHelloBytesMax } = this.#options.limits;
    // After a complete ClientHello a client waits for the server's answer.
    const isTooLong = stage === 'ready' && hello.bytes.length > clientHelloBytesMax;
    if (state === 'refused' || isTooLong) this.#drop(entrant, 'handshakesFailed');
    else if (state === 'whole' && stage !== 'ready') {
      if (!this.#classify(entrant, hello.bytes)) return;
      this.#enter(entrant, 'ready');
      this.#options.table.add('handshakesWaiting', 1);
      this.#begin();
    } else if (stage === 'silent') this.#enter(entrant, 'greeting');
  }

  /** Finds out by its ClientHello what a connection is for; false if it was dropped. */
  #classify(entrant: Entrant, hello: Buffer): boolean {
    if (entrant.isAtControlPort) {
      // Nothing else is served there, so no handshake is spent on it.
      if (hello.includes(controlName)) return true;
      this.#drop(entrant, 'controlUnfit');
      return false;
    }
    return !hello.includes(controlNameAlone) || this.#becomeControl(entrant);
  }

  /** Counts a connection as a control connection from now on; false if it was dropped. */
  #becomeControl(entrant: Entrant): boolean {
    const { address } = entrant;
    this.#count(entrant, -1);
    this.#finishHandshake(entrant);
    entrant.lane.greeting.delete(address, entrant);
    entrant.lane.unfinished.delete(address, entrant);
    entrant.lane = this.#control;
    const refusal = this.#makeRoom(entrant.lane, address);
    this.#count(entrant, 1);
    entrant.lane.unfinished.add(address, entrant);
    if (refusal === undefined) return true;
    this.#drop(entrant, refusal);
    return false;
  }

  /**
   * Moves a connection to its next stage. If there is no room, the oldest of the largest share is
   * dropped.
   */
  #enter(entrant: Entrant, stage: 'greeting' | 'ready'): void {
    const { limits, clock } = this.#options;
    const { lane, address } = entrant;
    const shares = lane[stage];
    // Control connections are bounded over all their stages: a fleet waits rather than tries again.
    const most = lane === this.#control ? limits.controlPendingMax : limits.handshakesUnfinishedMax;
    if (shares.size >= most) {
      const oldest = shares.oldestOfMost();
      if (oldest !== undefined) this.#drop(oldest, 'handshakesDropped');
    }
    lane.greeting.delete(address, entrant);
    entrant.stage = stage;
    entrant.sinceMs = clock.monotonic();
    shares.add(address, entrant);
  }

  /**
   * Begins handshakes, one address after the other. Only some begin in one turn of the event loop,
   * because each takes time of the thread that open connections also need.
   */
  #begin(): void {
    const { limits, clock, table } = this.#options;
    while (this.#begunInTurn < limits.handshakesPerTurnMax) {
      const entrant = this.#nextReady();
      const hello = entrant?.hello;
      if (entrant === undefined || hello === undefined) return;
      if (this.#begunInTurn === 0) clock.soon(() => this.#turn());
      this.#begunInTurn += 1;
      const { socket, address } = entrant;
      table.add('handshakesWaiting', -1);
      entrant.stage = 'handshake';
      entrant.sinceMs = clock.monotonic();
      if (entrant.lane === this.#control) {
        this.#pace.began(entrant.sinceMs, this.#control.ready.size > 0);
      }
      entrant.lane.handshakes.add(address, entrant);
      entrant.endpoints = endpointsOf(socket);
      this.#byEndpoints.set(entrant.endpoints, entrant);
      table.add('handshakesUnfinished', 1);
      socket.off('readable', entrant.read);
      // TLS reads the bytes in a socket's buffer before it takes over the socket.
      socket.unshift(hello.bytes);
      entrant.hello = undefined;
      this.#tls.emit('connection', socket);
    }
  }

  /**
   * The connection that waits longest, of each lane in turn. Control connections that have waited
   * too long are dropped: a handshake would be spent on a router that gives up meanwhile.
   */
  #nextReady(): Entrant | undefined {
    const { clock } = this.#options;
    const untilMs = clock.monotonic() - this.#pace.waitMs;
    const lanes = [this.#requests, this.#control];
    if (this.#isTurnOfControl) lanes.reverse();
    for (const lane of lanes) {
      while (lane.ready.size > 0 && this.#hasHandshakeCapacity(lane)) {
        const entrant = lane.ready.next();
        if (entrant === undefined) break;
        if (lane === this.#control && entrant.arrivedMs <= untilMs) {
          this.#drop(entrant, 'controlTooLate');
          continue;
        }
        this.#isTurnOfControl = lane === this.#requests;
        return entrant;
      }
    }
    return undefined;
  }

  #turn(): void {
    this.#begunInTurn = 0;
    this.#begin();
  }

  /** Whether one more handshake may begin in a lane, if necessary in place of another. */
  #hasHandshakeCapacity(lane: Lane): boolean {
    const { limits, clock } = this.#options;
    const { handshakesUnfinishedMax: most, controlHandshakesMax } = limits;
    const { size } = lane.handshakes;
    if (size < (lane === this.#control ? Math.min(most, controlHandshakesMax) : most)) return true;
    const oldest = lane.handshakes.oldestOfMost();
    if (oldest === undefined) return false;
    const graceMs = oldest.sinceMs + limits.handshakeGraceMs - clock.monotonic();
    if (graceMs <= 0) {
      this.#drop(oldest, 'handshakesDropped');
      return true;
    }
    if (!lane.isWaitingForGrace) {
      lane.isWaitingForGrace = true;
      clock.after(graceMs, () => {
        lane.isWaitingForGrace = false;
        this.#begin();
      });
    }
    return false;
  }

  /**
   * Closes one control connection whose hello was not accepted yet; false if none may be closed
   * yet.
   */
  #dropPending(): boolean {
    const { limits, clock } = this.#options;
    const oldest = this.#control.unfinished.oldestOfMost();
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
    if (socket.alpnProtocol === controlProtocol) this.#securedControl(socket, entrant);
    else if (entrant.lane === this.#control) {
      socket.on('error', () => {});
      this.#drop(entrant, 'controlUnfit');
    } else {
      this.#leave(entrant);
      if (entrant.seat === undefined) socket.destroy();
      else this.#options.secure(socket, entrant.seat);
    }
    this.#begin();
  }

  #securedControl(socket: TLSSocket, entrant: Entrant): void {
    socket.on('error', () => {});
    if (entrant.lane !== this.#control) {
      if (!this.#becomeControl(entrant)) return;
      entrant.lane.handshakes.add(entrant.address, entrant);
    }
    this.#finishHandshake(entrant);
    entrant.socket = socket;
    this.#options.secureControl(socket, () => {
      this.#pace.served();
      this.#leave(entrant);
      this.#begin();
    });
  }

  #drop(entrant: Entrant, reason: FrontCounterName): void {
    this.#options.table.add(reason, 1);
    this.#leave(entrant);
    this.#uncount(entrant);
    entrant.socket.destroy();
  }

  #closed(entrant: Entrant): void {
    this.#uncount(entrant);
    const { stage, lane } = entrant;
    if (stage === 'over') return;
    if (lane === this.#control && stage === 'handshake') {
      this.#options.table.add('controlAbandoned', 1);
      this.#pace.abandoned();
    } else if (stage !== 'silent' && stage !== 'secured') {
      this.#options.table.add('handshakesFailed', 1);
    }
    this.#leave(entrant);
    this.#begin();
  }

  /** Its descriptor is released, or is about to be. */
  #uncount(entrant: Entrant): void {
    if (!entrant.isOpen) return;
    entrant.isOpen = false;
    this.#count(entrant, -1);
  }

  /** Counts an open connection, or one that was open. */
  #count(entrant: Entrant, change: 1 | -1): void {
    const { address, lane, seat } = entrant;
    this.#options.table.add('connectionsOpen', change);
    this.#descriptors += change * this.#descriptorsOf(lane);
    if (seat !== undefined) {
      entrant.seat = undefined;
      this.capacity.leave(seat);
    } else if (change > 0 && lane === this.#requests) {
      entrant.seat = this.capacity.take(address, () => this.#displace(entrant));
    }
  }

  #displace(entrant: Entrant): void {
    if (entrant.stage !== 'over') {
      this.#drop(entrant, 'handshakesDropped');
      return;
    }
    const client = entrant.seat?.client;
    this.#uncount(entrant);
    client?.closeFor('connectionsDisplaced');
  }

  /** Removes a connection from its stage and from the unfinished ones. */
  #leave(entrant: Entrant): void {
    const { address, stage, lane } = entrant;
    lane.unfinished.delete(address, entrant);
    lane.greeting.delete(address, entrant);
    lane.ready.delete(address, entrant);
    lane.handshakes.delete(address, entrant);
    if (stage === 'ready') this.#options.table.add('handshakesWaiting', -1);
    this.#finishHandshake(entrant);
    entrant.stage = 'over';
  }

  #finishHandshake(entrant: Entrant): void {
    const { address, stage, endpoints, lane } = entrant;
    if (stage !== 'handshake') return;
    entrant.stage = 'secured';
    // The hello has a time of its own, in which it makes no room for others.
    entrant.sinceMs = this.#options.clock.monotonic();
    if (lane !== this.#control) lane.handshakes.delete(address, entrant);
    this.#options.table.add('handshakesUnfinished', -1);
    if (endpoints !== undefined && this.#byEndpoints.get(endpoints) === entrant) {
      this.#byEndpoints.delete(endpoints);
    }
  }
}

/** Connections for one purpose: stages and bounds of one lane do not concern the other. */
interface Lane {
  /**
   * All connections whose handshake is not done, and the control connections whose hello was not
   * accepted yet.
   */
  readonly unfinished: FairShares<Entrant>;
  /** Connections whose ClientHello has begun to arrive. */
  readonly greeting: FairShares<Entrant>;
  /** Connections whose ClientHello is complete but whose handshake has not begun. */
  readonly ready: FairShares<Entrant>;
  /**
   * Connections whose handshake is in progress, and control connections until their hello is
   * accepted: those that the main thread has no time for would give up there.
   */
  readonly handshakes: FairShares<Entrant>;
  isWaitingForGrace: boolean;
}

function newLane(): Lane {
  return {
    unfinished: new FairShares(),
    greeting: new FairShares(),
    ready: new FairShares(),
    handshakes: new FairShares(),
    isWaitingForGrace: false,
  };
}

/** A connection whose handshake is not done, or a control connection. */
interface Entrant extends WaitingRouter {
  /** Of TLS, once the handshake of a control connection is done. */
  socket: Socket;
  /** The block of addresses that it counts for. */
  readonly address: string;
  /** Set when its handshake begins: of a fleet that dials at once, most are dropped before. */
  endpoints: string | undefined;
  readonly isAtControlPort: boolean;
  lane: Lane;
  /** Undefined once its bytes were handed to TLS. */
  hello: ClientHello | undefined;
  readonly read: () => void;
  /** Monotonic ms at which it entered its stage. */
  sinceMs: number;
  /**
   * `secured` for a control connection that waits for its hello to be accepted; `over` once nothing
   * is awaited, or it was dropped.
   */
  stage: 'silent' | 'greeting' | 'ready' | 'handshake' | 'secured' | 'over';
  /** Whether it counts as open. */
  isOpen: boolean;
  /** While it is a connection for requests that counts as open. */
  seat: Seat | undefined;
}

function ignore(): void {}

/** Unique among the open connections. */
function endpointsOf({
  remoteAddress = '',
  remotePort = 0,
  localAddress = '',
  localPort = 0,
}: Partial<Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>>): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

/** The ALPN name of the control channel (behaviour/control-channel#transport). */
const controlProtocol = 'ziti-ctrl';
/** The name as it stands in a list of ALPN names (RFC 7301 §3.1), after its length. */
const controlName: Buffer = Buffer.from(`\x09${controlProtocol}`);
/** The ALPN extension of a client that offers nothing else, as all routers do. */
const controlNameAlone: Buffer = Buffer.concat([
  Buffer.from([0, 16, 0, controlName.length + 2, 0, controlName.length]),
  controlName,
]);

/**
 * Resumption is off: a resumed session no longer shows the intermediates, so a certificate login
 * would fail after a reconnect. In TLS 1.3 this option only makes tickets smaller; that none are
 * sent is set in `bin/openssl.cnf`. A client that prefers ChaCha20 has no AES instructions, so it
 * is given ChaCha20. `ca` is empty, because nothing is verified here; without it the roots of the
 * web would be loaded.
 */
function contextOptions(server: ServerCertificate): SecureContextOptions {
  return {
    cert: server.certificate,
    key: server.key,
    ca: [],
    minVersion: 'TLSv1.2',
    ciphers: `${tls13Suites}:${tls12Suites}`,
    ecdhCurve: keyExchangeGroups,
    secureOptions:
      constants.SSL_OP_NO_TICKET |
      constants.SSL_OP_NO_RENEGOTIATION |
      constants.SSL_OP_PRIORITIZE_CHACHA,
  };
}
