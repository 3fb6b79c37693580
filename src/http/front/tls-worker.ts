// A worker thread of the TLS front: takes connections on one port, which it may share with other
// workers, and relays them to the server.

import { Buffer } from 'node:buffer';
import { randomFillSync, type X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { systemClock, systemRandom } from '../../platform/clock-and-random.ts';
import type { HostPort } from '../../settings/setting-type.ts';
import type { ClusterWorker } from './cluster/cluster-worker.ts';
import type { TunnelProtocol } from './cluster/tunnel-preface.ts';
import { TlsAdmission } from './connection-admission.ts';
import type { Seat } from './connection-capacity.ts';
import { ConnectionTable, randomBytes, type SlotFacts, shortAddress } from './connection-table.ts';
import { ControlRelay } from './control-relay.ts';
import type { RelayedClient, SweptClient } from './relayed-client.ts';
import type {
  ClusterFront,
  FromTlsWorker,
  FrontLimits,
  Introduction,
  TlsWorkerData,
  ToTlsWorker,
} from './tls-messages.ts';
import { Relay } from './tls-relay.ts';

/** The parts that its relays share. */
export class TlsWorker {
  readonly table: ConnectionTable;
  readonly socketPath: string;
  /**
   * Every relay reads the server's answers into this one buffer: it is empty again before the next
   * read.
   */
  readonly buffer: Buffer = Buffer.allocUnsafeSlow(readBytes);
  readonly #port: MessagePort;
  readonly #data: TlsWorkerData;
  readonly #admission: TlsAdmission;
  readonly #relays = new Set<SweptClient>();
  readonly #controls: ControlRelay | undefined;
  /** Absent where there is only one node. */
  #cluster: ClusterWorker | undefined;
  /** Messages that came while the code of a cluster was loaded. */
  readonly #unheard: ToTlsWorker[] = [];
  /** By slot, counted from the worker's first. */
  readonly #bySlot: (Relay | undefined)[];
  /** Free slots as a ring: the slot that was released first is used next. */
  readonly #free: Int32Array;
  #freeHead = 0;
  #freeCount: number;
  readonly #random: Buffer = Buffer.alloc(randomBytes * randomBatch);
  #randomUsed: number = randomBatch;
  /** Relays that the server had no room for, the oldest first. */
  readonly #waiting = new Set<Relay>();
  #retrier: NodeJS.Timeout | undefined;
  #introductions: Introduction[] = [];
  /**
   * Slots whose certificates the main thread does not have yet. They have no new owner until then:
   * it reads the id in the slot with their message, and would take the new owner for the old one.
   */
  readonly #introduced = new Set<number>();
  #leftSlots: number[] = [];
  #flushing = false;
  /**
   * Sweeps without a byte after which a close by the server is its keep-alive time-out. A server
   * that stops closes all connections, so none is long enough then.
   */
  parkSweeps: number;
  /** Request line and headers of one request. */
  readonly headerBytesMax: number;
  readonly #sweepMs: number;
  /** Armed while there is something to sweep. */
  #sweeper: NodeJS.Timeout | undefined;
  #draining = false;

  constructor(port: MessagePort, data: TlsWorkerData) {
    this.#port = port;
    this.#data = data;
    this.socketPath = data.socketPath;
    const { limits } = data;
    this.table = new ConnectionTable(data.slotBase, limits.connectionsMax, data.shared);
    this.#bySlot = new Array(limits.connectionsMax).fill(undefined);
    this.#free = Int32Array.from({ length: limits.connectionsMax }, (_, slot) => slot);
    this.#freeCount = limits.connectionsMax;
    this.#admission = new TlsAdmission({
      server: data.server,
      limits,
      table: this.table,
      clock: systemClock,
      secure: (socket, seat) => this.#secured(socket, seat),
      secureControl: (socket, admitted) => this.#securedControl(socket, admitted),
      arrived: () => this.#sweepLater(),
    });
    if (data.controlSocketPath !== undefined) {
      this.#controls = new ControlRelay({
        socketPath: data.controlSocketPath,
        table: this.table,
        clock: systemClock,
        emptied: () => this.#endWhenEmpty(),
      });
    }
    const shortest = Math.min(
      limits.silentTimeoutMs,
      limits.idleTimeoutMs,
      limits.lingerTimeoutMs,
      limits.handshakeTimeoutMs,
      limits.clientHelloTimeoutMs,
      limits.parkAfterMs,
    );
    this.#sweepMs = Math.max(10, Math.min(1000, shortest / 4));
    this.parkSweeps = Math.max(1, Math.floor(limits.parkAfterMs / this.#sweepMs));
    this.headerBytesMax = limits.headerBytesMax;
    port.on('message', (message: ToTlsWorker) => this.#hear(message));
  }

  async start(): Promise<void> {
    const { listen: at, protocols, cluster } = this.#data;
    if (cluster !== undefined) await this.#joinCluster(cluster);
    const listening = () => this.#say({ kind: 'listening' });
    this.#admission.listen(at, protocols, listening, (error) => this.#refused(at, error));
  }

  /** Listens for other nodes. Its code is loaded only here, because most controllers are alone. */
  async #joinCluster(cluster: ClusterFront): Promise<void> {
    const { ClusterWorker } = await import('./cluster/cluster-worker.ts');
    const { limits } = this.#data;
    const joined = new ClusterWorker({
      cluster,
      limits,
      table: this.table,
      clock: systemClock,
      random: systemRandom,
      serve: (client, protocol, admitted) => this.#serve(client, protocol, admitted),
      // A control connection takes neither a slot nor a descriptor here.
      hasCapacity: ({ protocol, address }) =>
        protocol === 'control' || (this.#admission.admitTunnel(address) && this.#freeCount > 0),
      serveHere: (part) => this.#relay(part),
      lost: (ticket, request) => this.#say({ kind: 'lost', ticket, request }),
      entered: (client, seat) => {
        this.#relays.add(client);
        if (seat !== undefined) this.#admission.capacity.settle(seat, client);
      },
      left: (client) => this.#left(client),
    });
    // The worker of the control port has no room for the clients of other nodes.
    if (this.#data.protocols === 'both') {
      await new Promise<void>((resolve) =>
        joined.listen(resolve, (error) => this.#refused(cluster.listen, error)),
      );
    }
    this.#cluster = joined;
    this.#sweepLater();
    // What has changed while the code was loaded.
    for (const message of this.#unheard.splice(0)) this.#hear(message);
  }

  /** Serves a client of this front, or one that another node took. */
  #serve(client: RelayedClient, protocol: TunnelProtocol, admitted: () => void): void {
    if (this.#draining || (protocol === 'control' && this.#controls === undefined)) {
      client.stream.on('error', () => {});
      client.stream.destroy();
      return;
    }
    if (protocol === 'control') this.#controls?.add(client, admitted);
    else this.#relay(client);
    client.stream.resume();
  }

  #relay(client: RelayedClient): Relay {
    const relay = new Relay(this, client);
    this.#relays.add(relay);
    const { address, stream, isPart } = client;
    if (isPart === true) return relay;
    const seat = client.seat ?? this.#admission.takeTunnel(address, stream);
    this.#admission.capacity.settle(seat, relay);
    return relay;
  }

  #refused(at: HostPort, error: NodeJS.ErrnoException): void {
    this.#say({ kind: 'refused', at, message: error.message, code: error.code ?? '' });
  }

  /** Takes a free slot and writes the id of a connection to it; undefined when none is free. */
  enter(
    relay: Relay,
    facts: SlotFacts,
  ): { readonly slot: number; readonly id: Buffer } | undefined {
    if (this.#freeCount === 0) return undefined;
    const index = this.#free[this.#freeHead] ?? 0;
    this.#freeHead = (this.#freeHead + 1) % this.#free.length;
    this.#freeCount -= 1;
    this.#bySlot[index] = relay;
    const slot = this.#data.slotBase + index;
    return { slot, id: this.table.write(slot, this.#fresh(), facts) };
  }

  /** Sends the certificates to the main thread; `welcome` is called when it has them. */
  introduce(slot: number, certificates: readonly Buffer[]): void {
    this.#introduced.add(slot);
    this.#introductions.push({ slot, certificates });
    this.#flushSoon();
  }

  /**
   * Schedules a later call of `connect`, because the server accepts no more connections until it
   * has read those that wait.
   */
  connectLater(relay: Relay): void {
    this.#waiting.add(relay);
    this.#retrier ??= setTimeout(() => this.#retry(), retryMs);
  }

  /** The relay is over. `slot` is -1 if the client sent nothing. */
  leave(relay: Relay, slot: number, certified: boolean): void {
    this.#waiting.delete(relay);
    // It leaves with the welcome, and counts until then, because its slot is not free.
    if (this.#introduced.has(slot)) return;
    if (slot >= 0) {
      const index = slot - this.#data.slotBase;
      this.#bySlot[index] = undefined;
      this.#free[(this.#freeHead + this.#freeCount) % this.#free.length] = index;
      this.#freeCount += 1;
      if (certified) {
        this.#leftSlots.push(slot);
        this.#flushSoon();
      }
    }
    this.#left(relay);
  }

  #welcome(slot: number): void {
    this.#introduced.delete(slot);
    const relay = this.#bySlot[slot - this.#data.slotBase];
    if (relay?.state === 'closed') this.leave(relay, slot, true);
    else relay?.welcome();
  }

  #left(client: SweptClient): void {
    this.#relays.delete(client);
    this.#endWhenEmpty();
  }

  /** A few at a time, because a failed try costs as much as a successful one. */
  #retry(): void {
    this.#retrier = undefined;
    let count = 0;
    for (const relay of this.#waiting) {
      if (++count > retriesMax) {
        this.#retrier = setTimeout(() => this.#retry(), retryMs);
        return;
      }
      this.#waiting.delete(relay);
      relay.connect();
    }
  }

  #secured(socket: TLSSocket, seat: Seat): void {
    const chain = certificateChain(socket, this.#data.limits);
    if (chain === undefined || this.#draining) {
      if (chain === undefined) this.table.add('closedCertificatesTooLarge', 1);
      socket.on('error', () => {});
      socket.destroy();
      return;
    }
    if (chain.length > 0) this.table.add('certificatesShown', 1);
    const client = { ...clientOf(socket, chain), seat };
    if (this.#cluster === undefined) this.#relay(client);
    else this.#cluster.take(client, 'requests', () => {});
  }

  #securedControl(socket: TLSSocket, admitted: () => void): void {
    const chain = certificateChain(socket, this.#data.limits);
    // Every router has a certificate, and the controller evaluates it.
    const isFit = chain !== undefined && chain.length > 0;
    if (!isFit || this.#controls === undefined || this.#draining) {
      if (!isFit) this.table.add('controlUnfit', 1);
      socket.destroy();
      return;
    }
    const client = clientOf(socket, chain);
    if (this.#cluster === undefined) this.#controls.add(client, admitted);
    else this.#cluster.take(client, 'control', admitted);
  }

  #hear(message: ToTlsWorker): void {
    if (this.#data.cluster !== undefined && this.#cluster === undefined) {
      this.#unheard.push(message);
      return;
    }
    switch (message.kind) {
      case 'welcome':
        for (const slot of message.slots) this.#welcome(slot);
        return;
      case 'finish':
        this.#bySlot[message.slot - this.#data.slotBase]?.finish();
        return;
      case 'renew':
        this.#admission.renew(message.server);
        return;
      case 'drain':
        this.#drain(message.timeoutMs);
        return;
      case 'leave':
        this.#cluster?.leave();
        return;
      case 'leading':
        this.#cluster?.lead(message.leading);
        return;
      case 'members':
        this.#cluster?.replaceMembers(message.members);
        return;
      case 'fate':
        this.#cluster?.settle(message.ticket, message.fate);
        return;
      case 'renewNode':
        this.#cluster?.renew(message.certificates);
    }
  }

  /**
   * The server closes connections that it has answered, and the main thread ends control
   * connections; only connections that neither knows are closed here.
   */
  #drain(timeoutMs: number): void {
    this.#draining = true;
    this.parkSweeps = Number.POSITIVE_INFINITY;
    this.#admission.stop();
    this.#cluster?.drain();
    for (const relay of this.#relays) {
      if (relay.state === 'silent' || relay.state === 'parked') relay.finish();
    }
    setTimeout(() => {
      this.#admission.end();
      for (const relay of this.#relays) relay.closeFor('closedByServer');
      this.#controls?.stop();
    }, timeoutMs).unref();
    this.#endWhenEmpty();
  }

  #endWhenEmpty(): void {
    if (!this.#draining || this.#relays.size + (this.#controls?.size ?? 0) > 0) return;
    this.#controls?.stop();
    this.#cluster?.stop();
    clearTimeout(this.#sweeper);
    this.#sweeper = undefined;
    this.#flush();
    this.#port.close();
  }

  /** A worker without connections sleeps. */
  #sweepLater(): void {
    // Nothing comes after the last connection of a worker that ends.
    if (this.#draining && this.#isEmpty) return;
    this.#sweeper ??= setTimeout(() => {
      this.#sweeper = undefined;
      this.#sweep();
      if (!this.#isEmpty) this.#sweepLater();
    }, this.#sweepMs);
  }

  get #isEmpty(): boolean {
    if (this.#relays.size + (this.#controls?.size ?? 0) > 0) return false;
    return this.#draining || (this.#admission.isEmpty && this.#cluster === undefined);
  }

  #sweep(): void {
    const { silentTimeoutMs, idleTimeoutMs, lingerTimeoutMs } = this.#data.limits;
    this.#admission.sweep();
    this.#controls?.sweep(this.#sweepMs, lingerTimeoutMs);
    this.#cluster?.sweep(this.#sweepMs);
    for (const relay of this.#relays) {
      const { state } = relay;
      if (relay.isInHead) relay.headSweeps += 1;
      if (relay.headSweeps * this.#sweepMs >= silentTimeoutMs) {
        relay.closeFor('closedSilent');
        continue;
      }
      if (relay.active && state !== 'finishing') {
        relay.active = false;
        relay.quietSweeps = 0;
        continue;
      }
      relay.quietSweeps += 1;
      const quietMs = relay.quietSweeps * this.#sweepMs;
      if (state === 'silent' && quietMs >= silentTimeoutMs) relay.closeFor('closedSilent');
      else if ((state === 'busy' || state === 'parked') && quietMs >= idleTimeoutMs)
        relay.closeFor('closedIdle');
      else if (state === 'finishing' && quietMs >= lingerTimeoutMs) relay.closeFor('closedIdle');
    }
  }

  /** Bytes for one id. */
  #fresh(): Buffer {
    if (this.#randomUsed === randomBatch) {
      randomFillSync(this.#random);
      this.#randomUsed = 0;
    }
    const start = this.#randomUsed * randomBytes;
    this.#randomUsed += 1;
    return this.#random.subarray(start, start + randomBytes);
  }

  /** One message per turn for all its events. */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    const connections = this.#introductions;
    const slots = this.#leftSlots;
    this.#introductions = [];
    this.#leftSlots = [];
    // Closed connections first, because a new connection may have their slot by now.
    if (slots.length > 0) this.#say({ kind: 'left', slots });
    if (connections.length > 0) this.#say({ kind: 'introduce', connections });
  }

  #say(message: FromTlsWorker): void {
    this.#port.postMessage(message);
  }
}

function clientOf(stream: TLSSocket, certificates: readonly Buffer[]): RelayedClient {
  const address = shortAddress(stream.remoteAddress ?? '');
  return { stream, address, certificates, isTunnel: false };
}

/**
 * All certificates in DER as the client sent them, the leaf first, each once; empty when there was
 * none, undefined when a bound is exceeded.
 */
function certificateChain(socket: TLSSocket, limits: FrontLimits): Buffer[] | undefined {
  const chain: Buffer[] = [];
  let bytes = 0;
  // `issuerCertificate` of a peer's certificate is the next certificate sent, even if it is not the
  // issuer.
  let certificate: X509Certificate | undefined = socket.getPeerX509Certificate();
  for (let sent = 1; certificate !== undefined; sent += 1) {
    const der = certificate.raw;
    bytes += der.length;
    if (sent > limits.certificatesMax || bytes > limits.certificatesBytesMax) return undefined;
    if (!chain.some((earlier) => earlier.equals(der))) chain.push(der);
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

/** Read at once from the server; the cheapest of the sizes that were measured. */
const readBytes = 64 * 1024;
/** Time between two tries to reach a server that has no room because its thread is busy. */
const retryMs = 10;
/** Connections to a busy server that a worker tries again at once. @bound per worker */
const retriesMax = 64;
/** Ids whose random bytes are fetched at once. */
const randomBatch = 64;

const port = parentPort;
port?.once('message', (data: TlsWorkerData) => {
  const worker = new TlsWorker(port, data);
  void worker.start();
});
