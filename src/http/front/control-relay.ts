// Relays the control connections of a TLS worker to the main thread, over one Unix socket.

import { Buffer } from 'node:buffer';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../platform/ports.ts';
import { type ConnectionTable, shortAddress } from './connection-table.ts';
import {
  type ControlFrameHandler,
  ControlFrameReader,
  ControlFrameWriter,
  controlSendWindowBytes,
  controlWindowBytes,
  encodeClientFacts,
} from './control-frames.ts';
import type { RelayedClient } from './relayed-client.ts';

/** The options of a relay. */
export interface ControlRelayOptions {
  /** The listener of the main thread. */
  readonly socketPath: string;
  readonly table: ConnectionTable;
  readonly clock: Pick<Clock, 'soon'>;
  /** Called when the last connection has closed. */
  readonly emptied: () => void;
}

/**
 * The control connections of one worker. Each has a window of bytes in both directions, so that a
 * side that doesn't read holds up nobody else. The Unix socket is opened for the first connection.
 * When it closes, all connections are closed: the main thread no longer knows them.
 */
export class ControlRelay implements ControlFrameHandler {
  readonly #options: ControlRelayOptions;
  readonly #clients = new Map<number, ControlClient>();
  /** Clients that are not read until the Unix socket takes bytes again. */
  readonly #stalled = new Set<ControlClient>();
  #link: Link | undefined;
  #lastId = 0;

  constructor(options: ControlRelayOptions) {
    this.#options = options;
  }

  /** Open connections. */
  get size(): number {
    return this.#clients.size;
  }

  /**
   * Takes a connection whose handshake is done. `admitted` is called when its hello is accepted.
   */
  add({ stream, address, certificates, isTunnel }: RelayedClient, admitted: () => void): void {
    const { table } = this.#options;
    this.#link ??= this.#connect();
    const id = this.#freshId();
    table.add('controlConnectionsOpen', 1);
    const { writer } = this.#link;
    const client = new ControlClient({ id, stream, isTunnel, writer, admitted, relay: this });
    this.#clients.set(id, client);
    const facts = { address: shortAddress(address), certificates };
    writer.bytes('open', id, encodeClientFacts(facts));
  }

  /** Called once per second or more often: drops clients that do not close their side. */
  sweep(passedMs: number, lingerTimeoutMs: number): void {
    for (const client of this.#clients.values()) {
      if (client.lingeredMs === undefined) continue;
      client.lingeredMs += passedMs;
      if (client.lingeredMs >= lingerTimeoutMs) client.close();
    }
  }

  /** Drops all connections. */
  stop(): void {
    this.#link?.socket.destroy();
    this.#lose();
  }

  /** The client will be read again when there is room. */
  stall(client: ControlClient): void {
    this.#stalled.add(client);
  }

  /** Forgets a client that is gone; false if that was done before. */
  leave(client: ControlClient): boolean {
    this.#stalled.delete(client);
    if (!this.#clients.delete(client.id)) return false;
    this.#options.table.add('controlConnectionsOpen', -1);
    if (this.#clients.size === 0) this.#options.emptied();
    return true;
  }

  /** A client has ended its connection before its hello was accepted. */
  abandoned(): void {
    this.#options.table.add('controlAbandoned', 1);
  }

  open(id: number): void {
    this.#link?.socket.destroy(new Error(`the main thread opened the connection ${id}`));
  }

  data(id: number, bytes: Buffer): void {
    this.#clients.get(id)?.write(bytes);
  }

  credit(id: number, bytes: number): void {
    this.#clients.get(id)?.credit(bytes);
  }

  end(id: number): void {
    this.#clients.get(id)?.end();
  }

  close(id: number): void {
    this.#clients.get(id)?.destroy();
  }

  admit(id: number): void {
    this.#clients.get(id)?.admit();
  }

  #connect(): Link {
    const reader = new ControlFrameReader(this);
    // Clients copy the bytes that they cannot write at once.
    const onread = {
      buffer: Buffer.allocUnsafeSlow(readBytes),
      callback: (length: number, buffer: Uint8Array) => {
        try {
          reader.take(Buffer.from(buffer.buffer, buffer.byteOffset, length));
        } catch {
          // A bug, which ends all connections.
          socket.destroy();
        }
        return true;
      },
    };
    const socket = connect({ path: this.#options.socketPath, onread });
    socket.on('drain', () => this.#drained());
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    const link = { socket, writer: new ControlFrameWriter(socket, this.#options.clock) };
    socket.on('close', () => {
      if (this.#link === link) this.#lose();
    });
    return link;
  }

  #lose(): void {
    this.#link = undefined;
    for (const client of this.#clients.values()) client.destroy();
  }

  #drained(): void {
    const stalled = [...this.#stalled];
    this.#stalled.clear();
    for (const client of stalled) client.proceed();
  }

  /** Ids are used again only after four billion others. */
  #freshId(): number {
    do this.#lastId = (this.#lastId + 1) >>> 0;
    while (this.#clients.has(this.#lastId));
    return this.#lastId;
  }
}

interface Link {
  readonly socket: Socket;
  readonly writer: ControlFrameWriter;
}

interface ControlClientOptions {
  readonly id: number;
  readonly stream: Duplex;
  readonly isTunnel: boolean;
  readonly writer: ControlFrameWriter;
  readonly admitted: () => void;
  readonly relay: ControlRelay;
}

/** One control connection. */
class ControlClient {
  readonly id: number;
  /** Set once the connection only waits for its last bytes to leave, and for the router's close. */
  lingeredMs: number | undefined;
  /** Called when the hello is accepted, and undefined from then on. */
  #admitted: (() => void) | undefined;
  readonly #socket: Duplex;
  readonly #isTunnel: boolean;
  readonly #writer: ControlFrameWriter;
  readonly #relay: ControlRelay;
  /** Bytes that the main thread takes at present. */
  #credit: number = controlWindowBytes;
  /** Bytes that were read but exceed the credit. */
  #held: Buffer | undefined;
  /** Bytes that were written to the client since the last credit for the main thread. */
  #written = 0;

  constructor({ id, stream, isTunnel, writer, admitted, relay }: ControlClientOptions) {
    this.id = id;
    this.#admitted = admitted;
    this.#socket = stream;
    this.#isTunnel = isTunnel;
    this.#writer = writer;
    this.#relay = relay;
    stream.on('data', (chunk: Buffer) => this.#read(chunk));
    stream.on('drain', () => this.#returnCredit());
    stream.on('end', () => this.#ended());
    stream.on('close', () => this.close());
  }

  /** Writes bytes, which belong to the caller. */
  write(bytes: Buffer): void {
    const socket = this.#socket;
    if (socket.destroyed || socket.writableEnded) return;
    // With nothing queued the bytes are encrypted before write returns, unless this is a tunnel.
    const isKept = socket.writableLength === 0 && !this.#isTunnel;
    socket.write(isKept ? bytes : Buffer.from(bytes));
    this.#written += bytes.length;
    if (!socket.writableNeedDrain) this.#returnCredit();
  }

  credit(bytes: number): void {
    this.#credit += bytes;
    this.proceed();
  }

  /** Reads on, as far as the main thread takes the bytes. */
  proceed(): void {
    if (this.lingeredMs !== undefined) return;
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#forward(held);
    if (this.#held === undefined && this.#credit > 0 && this.#hasCapacity()) this.#socket.resume();
  }

  /** Closes after the last bytes; what the router still sends is read and dropped. */
  end(): void {
    if (this.lingeredMs !== undefined) return;
    this.lingeredMs = 0;
    this.#held = undefined;
    this.#socket.end();
    this.#socket.resume();
  }

  /** The hello is accepted. */
  admit(): void {
    this.#admitted?.();
    this.#admitted = undefined;
  }

  /** Closes at once, and tells the main thread. */
  close(): void {
    this.#socket.destroy();
    if (this.#relay.leave(this)) this.#writer.signal('close', this.id);
  }

  /** Closes at once; the main thread knows, or has lost the connection itself. */
  destroy(): void {
    this.#relay.leave(this);
    this.#socket.destroy();
  }

  #ended(): void {
    if (this.#admitted !== undefined && this.lingeredMs === undefined) this.#relay.abandoned();
    this.close();
  }

  #read(chunk: Buffer): void {
    if (this.lingeredMs !== undefined) return;
    this.#forward(chunk);
    if (this.#held !== undefined || this.#credit === 0 || !this.#hasCapacity())
      this.#socket.pause();
  }

  #forward(chunk: Buffer): void {
    const taken = Math.min(chunk.length, this.#credit);
    if (taken > 0) this.#writer.bytes('data', this.id, [chunk.subarray(0, taken)]);
    this.#credit -= taken;
    if (taken < chunk.length) this.#held = chunk.subarray(taken);
  }

  #hasCapacity(): boolean {
    if (!this.#writer.isFull) return true;
    this.#relay.stall(this);
    return false;
  }

  /** A window at a time: each write is as large as it may be. */
  #returnCredit(): void {
    if (this.#written < controlSendWindowBytes) return;
    this.#writer.credit(this.id, this.#written);
    this.#written = 0;
  }
}

/** Read at once from the main thread. */
const readBytes = 64 * 1024;
