// The main thread's end of the control connections: takes them from the Unix sockets of the TLS
// workers.

import { Buffer } from 'node:buffer';
import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { ControlConnection, ControlConnectionListener } from '../../channel/channel-api.ts';
import type { Log } from '../../observe/logs.ts';
import type { Clock } from '../../platform/ports.ts';
import {
  type ControlClientFacts,
  type ControlFrameHandler,
  ControlFrameReader,
  ControlFrameWriter,
  controlSendWindowBytes,
  controlWindowBytes,
  decodeClientFacts,
  MalformedControlFrame,
} from '../front/control-frames.ts';
import { unixSocketPlace } from './unix-socket.ts';

/** Takes a control connection; it must call `listen` in the same turn, or destroy it. */
export type AcceptControl = (connection: ControlConnection) => void;

/** The options of the listener. */
export interface ControlListenerOptions {
  /** The directory of the Unix socket. */
  readonly directory: string;
  readonly clock: Pick<Clock, 'soon'>;
  readonly log: Pick<Log, 'error'>;
  readonly accept: AcceptControl;
}

/** The open listener. */
export interface ControlListener {
  /** As a worker connects to it: at most 107 bytes. */
  readonly socketPath: string;
  /** Closes each connection after what was written to it, and accepts no more. */
  endConnections(): void;
  /** Drops connections, and removes the socket. */
  stop(): Promise<void>;
}

const socketName = 'control.sock';

/** Opens the listener for the TLS workers. Rejects with a system error. */
export async function startControlListener(
  options: ControlListenerOptions,
): Promise<ControlListener> {
  const place = unixSocketPlace(options.directory, socketName);
  const links = new Set<WorkerLink>();
  let isEnding = false;
  const accept: AcceptControl = (connection) => {
    // Its worker did not know yet that the controller stops.
    if (isEnding) connection.destroy();
    else options.accept(connection);
  };
  const server = createServer((socket) => {
    const link = new WorkerLink(socket, { ...options, accept });
    links.add(link);
    socket.on('close', () => void links.delete(link));
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(place.path, resolve);
    });
    chmodSync(join(options.directory, socketName), 0o600);
  } catch (error) {
    server.close();
    place.release();
    throw error;
  }
  return {
    socketPath: place.path,
    endConnections() {
      isEnding = true;
      for (const link of links) link.endConnections();
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const link of links) link.drop();
      await closed;
      place.release();
    },
  };
}

/** The Unix socket of one worker, with all connections of it. */
class WorkerLink implements ControlFrameHandler {
  readonly writer: ControlFrameWriter;
  readonly clock: Pick<Clock, 'soon'>;
  readonly #socket: Socket;
  readonly #options: ControlListenerOptions;
  readonly #connections = new Map<number, RelayedConnection>();
  /** Connections whose bytes wait until the socket takes more, the longest waiting first. */
  readonly #waiting = new Set<RelayedConnection>();

  constructor(socket: Socket, options: ControlListenerOptions) {
    this.#socket = socket;
    this.#options = options;
    this.clock = options.clock;
    this.writer = new ControlFrameWriter(socket, options.clock);
    const reader = new ControlFrameReader(this);
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.take(chunk);
      } catch (thrown) {
        if (!(thrown instanceof MalformedControlFrame)) throw thrown;
        this.#fail(thrown);
      }
    });
    socket.on('drain', () => this.#drained());
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const connection of [...this.#connections.values()]) connection.closedByPeer();
    });
  }

  open(id: number, bytes: Buffer): void {
    if (this.#connections.has(id)) {
      throw new MalformedControlFrame(`the connection ${id} is open already`);
    }
    const connection = new RelayedConnection(this, id, decodeClientFacts(bytes));
    this.#connections.set(id, connection);
    this.guard(connection, () => this.#options.accept(connection));
  }

  data(id: number, bytes: Buffer): void {
    // One that was destroyed here is unknown, and its worker may not know that yet.
    this.#connections.get(id)?.take(bytes);
  }

  credit(id: number, bytes: number): void {
    this.#connections.get(id)?.credit(bytes);
  }

  close(id: number): void {
    this.#connections.get(id)?.closedByPeer();
  }

  end(id: number): void {
    throw new MalformedControlFrame(`a worker ended the connection ${id}`);
  }

  admit(id: number): void {
    throw new MalformedControlFrame(`a worker admitted the connection ${id}`);
  }

  /** Closes each connection after what was written to it. */
  endConnections(): void {
    for (const connection of [...this.#connections.values()]) connection.end();
  }

  /** Closes all connections at once. */
  drop(): void {
    this.#socket.destroy();
  }

  /** The connection is told when the socket takes bytes again. */
  wait(connection: RelayedConnection): void {
    this.#waiting.add(connection);
  }

  leave(connection: RelayedConnection): void {
    this.#waiting.delete(connection);
    this.#connections.delete(connection.id);
  }

  /** Runs a function of the connection's owner. If it throws, only this connection is lost. */
  guard(connection: RelayedConnection, call: () => void): void {
    try {
      call();
    } catch (err) {
      this.#options.log.error({ err }, 'a control connection failed outside of its messages');
      connection.destroy();
    }
  }

  /** Each connection gets a window of bytes before the next one does. */
  #drained(): void {
    for (const connection of [...this.#waiting]) {
      if (this.writer.isFull) return;
      this.#waiting.delete(connection);
      if (connection.unsentBytes > 0) connection.send();
    }
  }

  #fail(err: MalformedControlFrame): void {
    const { log } = this.#options;
    log.error({ err }, 'a TLS worker sent a malformed frame; its control connections are closed');
    this.#socket.destroy();
  }
}

/** A connection that a worker relays. */
class RelayedConnection implements ControlConnection {
  readonly id: number;
  readonly address: string;
  readonly certificates: readonly Buffer[];
  readonly #link: WorkerLink;
  #listener: ControlConnectionListener | undefined;
  /** Bytes that arrived before there was a listener: a window of them at most. */
  #early: Buffer[] = [];
  #state: 'open' | 'ending' | 'closed' = 'open';
  /** Chunks that wait to be sent, from `#next` on. */
  #unsent: Buffer[] = [];
  #next = 0;
  #unsentBytes = 0;
  /** Whether `drained` is to be called. */
  #isHeldUp = false;
  /** Bytes that the worker takes at present. */
  #credit: number = controlSendWindowBytes;
  /** Bytes that the worker may send at present. */
  #granted: number = controlWindowBytes;
  #isPaused = false;
  #isAdmitted = false;

  constructor(link: WorkerLink, id: number, { address, certificates }: ControlClientFacts) {
    this.id = id;
    this.address = address;
    this.certificates = certificates;
    this.#link = link;
  }

  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  listen(listener: ControlConnectionListener): void {
    this.#listener = listener;
    const early = this.#early;
    this.#early = [];
    for (const bytes of early) this.#deliver(bytes);
    this.#grant();
    if (this.#state === 'closed') this.#tell((owner) => owner.closed());
  }

  write(chunks: readonly Buffer[]): void {
    if (this.#state !== 'open') return;
    for (const chunk of chunks) {
      if (chunk.length === 0) continue;
      this.#unsent.push(chunk);
      this.#unsentBytes += chunk.length;
    }
    this.#admit();
    // Bytes behind others wait for the same credit, or the same turn.
    if (this.#isHeldUp) return;
    this.send();
    this.#isHeldUp = this.#unsentBytes > 0;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#grant();
  }

  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    this.send();
  }

  destroy(): void {
    if (this.#state === 'closed') return;
    this.#link.writer.signal('close', this.id);
    this.closedByPeer();
  }

  /** Sends what the worker and the socket take. */
  send(): void {
    const { writer } = this.#link;
    while (this.#unsentBytes > 0 && this.#credit > 0) {
      if (writer.isFull) {
        this.#link.wait(this);
        return;
      }
      const bytes = Math.min(this.#unsentBytes, this.#credit);
      this.#credit -= bytes;
      writer.bytes('data', this.id, this.#shift(bytes));
    }
    if (this.#unsentBytes > 0) return;
    if (this.#state === 'ending') writer.signal('end', this.id);
    else if (this.#isHeldUp) {
      this.#isHeldUp = false;
      this.#tell((owner) => owner.drained());
    }
  }

  credit(bytes: number): void {
    this.#credit += bytes;
    if (this.#unsentBytes > 0) this.send();
  }

  /** @throws MalformedControlFrame when the worker sends more than it may. */
  take(bytes: Buffer): void {
    this.#granted -= bytes.length;
    if (this.#granted < 0) {
      throw new MalformedControlFrame(`too many bytes on the connection ${this.id}`);
    }
    if (this.#state !== 'open') return;
    // The socket's chunk is shared by many connections; a small part must not keep all of it.
    const own = bytes.length <= ownUpToBytes ? Buffer.from(bytes) : bytes;
    if (this.#listener === undefined) this.#early.push(own);
    else this.#deliver(own);
    this.#grant();
  }

  closedByPeer(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#unsent = [];
    this.#unsentBytes = 0;
    this.#link.leave(this);
    this.#tell((owner) => owner.closed());
  }

  #deliver(bytes: Buffer): void {
    if (this.#state === 'open') this.#tell((owner) => owner.data(bytes));
  }

  #tell(call: (owner: ControlConnectionListener) => void): void {
    const owner = this.#listener;
    if (owner !== undefined) this.#link.guard(this, () => call(owner));
  }

  /** Half a window at a time: few frames, and the other half keeps the bytes flowing. */
  #grant(): void {
    const used = controlWindowBytes - this.#granted;
    if (used < controlWindowBytes / 2 || this.#isPaused || this.#state !== 'open') return;
    if (this.#listener === undefined) return;
    this.#granted = controlWindowBytes;
    this.#link.writer.credit(this.id, used);
  }

  /**
   * The first bytes for a router are the answer to its hello. If the connection is still open at
   * the end of the turn, the answer was not a refusal (behaviour/control-channel#transport).
   */
  #admit(): void {
    if (this.#isAdmitted) return;
    this.#isAdmitted = true;
    this.#link.clock.soon(() => {
      if (this.#state === 'open') this.#link.writer.signal('admit', this.id);
    });
  }

  /** Takes so many bytes from the chunks that wait. */
  #shift(bytes: number): Buffer[] {
    const taken: Buffer[] = [];
    let left = bytes;
    while (left > 0) {
      const chunk = this.#unsent[this.#next] ?? nothing;
      const piece = chunk.length <= left ? chunk : chunk.subarray(0, left);
      taken.push(piece);
      left -= piece.length;
      if (piece.length === chunk.length) this.#next += 1;
      else this.#unsent[this.#next] = chunk.subarray(piece.length);
    }
    this.#unsentBytes -= bytes;
    if (this.#unsentBytes === 0) {
      this.#unsent = [];
      this.#next = 0;
    } else if (this.#next >= shiftedChunks) {
      this.#unsent = this.#unsent.slice(this.#next);
      this.#next = 0;
    }
    return taken;
  }
}

const nothing: Buffer = Buffer.alloc(0);
/** Larger pieces are handed on without a copy. */
const ownUpToBytes = 4096;
/** Sent chunks that are dropped from the list at once, because each time costs a copy of it. */
const shiftedChunks = 1024;
