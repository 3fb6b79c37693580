// Relays one client's bytes to the server on the Unix socket and back, with back-pressure both
// ways. The client is a TLS connection, or a tunnel from another node.

import { Buffer } from 'node:buffer';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FrontCounterName } from './connection-table.ts';
import { carriageReturn, encodeProxyHeader } from './proxy-protocol.ts';
import type { RelayedClient, SweptClient } from './relayed-client.ts';
import { RequestFraming } from './request-framing.ts';
import type { TlsWorker } from './tls-worker.ts';

/**
 * A client that has not spoken costs the server nothing: the Unix socket is opened at its first
 * byte. If one side doesn't take bytes, the other isn't read: a client that doesn't read its
 * answers is not asked for more requests.
 *
 * The server ends a quiet connection after 10 s, a time that is built into it. A handshake costs
 * thirty times as much as a request, so the client's side stays open, parked, and its next byte
 * opens a new connection to the server.
 */
export class Relay implements SweptClient {
  /** Set at every byte; the sweep clears it. */
  active = true;
  /** Sweeps in a row that found no byte. */
  quietSweeps = 0;
  /** Sweeps that found the head of the same request incomplete. */
  headSweeps = 0;
  #phase: 'silent' | 'introduced' | 'open' | 'parked' | 'finishing' | 'closed' = 'silent';
  readonly #worker: TlsWorker;
  readonly #client: Duplex;
  readonly #address: string;
  readonly #certificates: readonly Buffer[];
  /** Whether a write takes the bytes before it returns, as a TLS connection does. */
  readonly #writesAtOnce: boolean;
  readonly #namesRequests: boolean;
  readonly #framing: RequestFraming;
  /** Requests that were whole when the server sent its last byte. */
  #answeredRequests = 0;
  readonly #reportSessionUse: (() => void) | undefined;
  readonly #isCounted: boolean;
  #server: Socket | undefined;
  #slot = -1;
  /** The PROXY header, once the client has sent a byte. */
  #header: Buffer = nothing;
  /** The first bytes for the server, until they are known to be sent. */
  #first: Buffer = nothing;
  /** Whether the server sent the last byte, so that no request is in progress. */
  #answered = false;

  constructor(worker: TlsWorker, { stream: client, ...facts }: RelayedClient) {
    this.#worker = worker;
    this.#client = client;
    this.#address = facts.address;
    this.#certificates = facts.certificates;
    this.#writesAtOnce = !facts.isTunnel;
    this.#namesRequests = facts.namesRequests === true;
    this.#reportSessionUse = facts.reportSessionUse;
    this.#isCounted = facts.isPart !== true;
    const { headerBytesMax } = worker;
    this.#framing = new RequestFraming(headerBytesMax, { namesRequests: this.#namesRequests });
    client.on('data', (chunk: Buffer) => this.#fromClient(chunk));
    client.on('drain', () => this.#clientDrained());
    client.on('end', () => this.closeFor('closedByClient'));
    client.on('error', () => this.closeFor('closedByClient'));
    client.on('close', () => this.closeFor('closedByClient'));
  }

  /**
   * `silent` until the first byte, then `busy` or `parked`, `finishing` while the last bytes are
   * sent.
   */
  get state(): 'silent' | 'busy' | 'parked' | 'finishing' | 'closed' {
    return this.#phase === 'introduced' || this.#phase === 'open' ? 'busy' : this.#phase;
  }

  /** Whether a request with an incomplete head has begun. */
  get isInHead(): boolean {
    return this.#framing.isInHead;
  }

  get awaitsAnswer(): boolean {
    return this.state === 'busy' && this.#framing.wholeRequests > this.#answeredRequests;
  }

  takeSessionUse(): boolean {
    const isUsed = this.#slot >= 0 && this.#worker.table.takeSessionUse(this.#slot);
    if (!isUsed && !this.#framing.isUpgraded) return false;
    this.#reportSessionUse?.();
    return true;
  }

  /** Called when the main thread knows the certificates. */
  welcome(): void {
    if (this.#phase === 'introduced') this.#open(this.#first);
  }

  /**
   * Ends the connection after the bytes that the server has sent; the client's further bytes are
   * dropped.
   */
  finish(): void {
    if (this.#phase === 'closed' || this.#phase === 'finishing') return;
    this.#phase = 'finishing';
    this.quietSweeps = 0;
    // The server sends no more answers: it closes, and its earlier bytes are read before the close
    // is seen.
    if (this.#server === undefined) this.#client.end();
    else this.#server.end();
    this.#client.resume();
  }

  /** Drops the connection at once and counts it under `reason`. */
  closeFor(reason: FrontCounterName): void {
    if (this.#phase === 'closed') return;
    if (this.#phase !== 'finishing') this.#count(reason);
    this.#phase = 'closed';
    this.#client.destroy();
    this.#server?.destroy();
    this.#worker.leave(this, this.#slot, this.#certificates.length > 0);
  }

  #count(reason: FrontCounterName): void {
    if (this.#isCounted) this.#worker.table.add(reason, 1);
  }

  #fromClient(chunk: Buffer): void {
    this.active = true;
    if (this.#phase === 'finishing' || this.#phase === 'closed') return;
    // No request starts with this byte, and the server would wait for more after two PROXY headers.
    if (chunk[0] === carriageReturn && this.#framing.isBetweenRequests) {
      this.closeFor('closedProxyHeader');
      return;
    }
    const bytes = this.#framing.take(chunk);
    if (bytes.length === 0) return;
    this.headSweeps = 0;
    this.#answered = false;
    if (this.#phase === 'silent') this.#speak(bytes);
    else if (this.#phase === 'parked') this.#open(bytes);
    else if (this.#phase === 'open') this.#forward(bytes);
  }

  #forward(chunk: Buffer): void {
    const server = this.#server;
    if (server === undefined || server.connecting) {
      this.#first = Buffer.concat([this.#first, chunk]);
    }
    if (server?.write(chunk) === false) this.#client.pause();
  }

  #speak(chunk: Buffer): void {
    const certified = this.#certificates.length > 0;
    const facts = { address: this.#address, certified, namesRequests: this.#namesRequests };
    const entered = this.#worker.enter(this, facts);
    if (entered === undefined) {
      this.closeFor('connectionsRefused');
      return;
    }
    this.#slot = entered.slot;
    this.#header = encodeProxyHeader(entered.id);
    if (!certified) {
      this.#open(chunk);
      return;
    }
    this.#first = chunk;
    this.#phase = 'introduced';
    this.#client.pause();
    this.#worker.introduce(entered.slot, this.#certificates);
  }

  /** Opens the connection to the server. */
  #open(first: Buffer): void {
    this.#phase = 'open';
    this.#first = Buffer.concat([this.#header, first]);
    this.connect();
  }

  /** Connects to the server and sends the first bytes, if that is still wanted. */
  connect(): void {
    if (this.#phase !== 'open' || this.#server !== undefined) return;
    const onread = {
      buffer: this.#worker.buffer,
      callback: (length: number, buffer: Uint8Array) => this.#fromServer(length, buffer),
    };
    const server = connect({ path: this.#worker.socketPath, onread });
    this.#server = server;
    server.on('drain', () => this.#serverDrained());
    server.on('end', () => this.#serverEnded(server));
    server.on('error', (error: NodeJS.ErrnoException) => this.#serverFailed(server, error));
    server.on('close', () => this.#serverEnded(server));
    // In one write, because the server must not see half a PROXY header.
    if (server.write(this.#first)) this.#client.resume();
    else this.#client.pause();
  }

  /** Returns whether to continue reading the server's socket. */
  #fromServer(length: number, buffer: Uint8Array): boolean {
    this.active = true;
    this.#answered = true;
    this.#answeredRequests = this.#framing.wholeRequests;
    this.#first = nothing;
    const client = this.#client;
    if (client.destroyed || client.writableEnded) return true;
    const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, length);
    if (this.#framing.awaitsUpgrade) this.#framing.answered(bytes);
    // With nothing queued the bytes are encrypted before write returns; else they wait, and the
    // buffer belongs to the next read.
    const isKept = this.#writesAtOnce && client.writableLength === 0;
    const taken = client.write(isKept ? bytes : Buffer.from(bytes));
    if (!taken) client.pause();
    return taken;
  }

  #clientDrained(): void {
    const server = this.#server;
    if (server === undefined) return;
    server.resume();
    if (!server.writableNeedDrain) this.#client.resume();
  }

  #serverDrained(): void {
    if (!this.#client.writableNeedDrain) this.#client.resume();
  }

  #serverFailed(server: Socket, error: NodeJS.ErrnoException): void {
    const isTriedAgain = retriedCodes.has(error.code) && this.#phase === 'open';
    if (!isTriedAgain || this.#server !== server) {
      this.#serverEnded(server);
      return;
    }
    this.#server = undefined;
    this.#client.pause();
    this.#worker.connectLater(this);
  }

  /**
   * The server closed its side: for its keep-alive time-out, or because it wants the connection
   * gone.
   */
  #serverEnded(server: Socket): void {
    server.destroy();
    if (this.#server !== server) return;
    this.#server = undefined;
    if (this.#phase === 'closed') return;
    if (this.#phase === 'open') {
      if (this.#answered && !this.active && this.quietSweeps >= this.#worker.parkSweeps) {
        this.#phase = 'parked';
        this.#client.resume();
        return;
      }
      this.#count('closedByServer');
      this.#phase = 'finishing';
      this.quietSweeps = 0;
    }
    // Read and dropped, because closing with unread bytes would reset the connection and lose the
    // answer.
    this.#client.end();
    this.#client.resume();
  }
}

const nothing: Buffer = Buffer.alloc(0);

/**
 * Nothing was sent. EAGAIN: the server's queue of connections is full. EMFILE, ENFILE: the process
 * or the machine has no descriptor left.
 */
const retriedCodes: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EMFILE', 'ENFILE']);
