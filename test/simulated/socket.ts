// WebSockets without a network: a handler is asked, and a peer that reads as slowly as a test says.

import type { Socket, SocketHandler, SocketListener } from '../../src/http/server/sockets.ts';

/** A peer of a socket handler. */
export class SimulatedSocket implements Socket {
  isOpen = true;
  /** What the peer was sent and has read, as texts. */
  readonly received: string[] = [];
  /** The same as bytes. */
  readonly receivedBytes: Buffer[] = [];
  closedWith: { readonly code: number; readonly reason: string } | undefined;
  /** Whether the peer reads; what it does not is buffered. */
  #reads = true;
  #unread: Buffer[] = [];
  #listener: SocketListener | undefined;

  get bufferedBytes(): number {
    return this.#unread.reduce((sum, { length }) => sum + length, 0);
  }

  set reads(reads: boolean) {
    this.#reads = reads;
    if (reads) for (const bytes of this.#unread.splice(0)) this.#read(bytes);
  }

  open(take: (socket: Socket) => SocketListener): void {
    this.#listener = take(this);
  }

  send(...messages: readonly (Uint8Array | string)[]): void {
    if (!this.isOpen) return;
    for (const message of messages) {
      const bytes = Buffer.from(message as string);
      if (this.#reads) this.#read(bytes);
      else this.#unread.push(bytes);
    }
  }

  close(code: number, reason: string): void {
    this.#end(code, reason);
  }

  terminate(): void {
    this.#end(1006, '');
  }

  /** The peer says something. */
  say(message: unknown): void {
    this.#listener?.message(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** The peer sends a binary message. */
  sayBinary(bytes: Buffer): void {
    this.#listener?.binary?.(bytes);
  }

  /** The peer leaves. */
  leave(): void {
    this.#end(1005, '');
  }

  /** All that was read since the last call, parsed. */
  take<T>(): T[] {
    return this.received.splice(0).map((text) => JSON.parse(text) as T);
  }

  #read(bytes: Buffer): void {
    this.received.push(bytes.toString());
    this.receivedBytes.push(bytes);
  }

  #end(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.closedWith = { code, reason };
    this.#listener?.closed();
  }
}

/** What a handler says to an upgrade. */
export interface Upgraded {
  /** Undefined where it was refused. */
  readonly socket: SimulatedSocket | undefined;
  /** 101 where it was not. */
  readonly status: number;
  readonly body: string;
}

/** Asks a handler for a WebSocket. */
export function upgrade(
  handler: SocketHandler,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Upgraded {
  let status = 101;
  let body = '';
  const take = handler.upgrade(
    {
      method: 'GET',
      path: handler.path,
      query,
      body: Buffer.alloc(0),
      arrivedMs: undefined,
      peer: { address: '127.0.0.1', certificates: [] },
      header: (name) => headers[name] ?? (name === 'host' ? 'localhost:1280' : ''),
      keepHeaders: () => {},
    },
    {
      done: false,
      send(answered, _headers, content) {
        status = answered;
        body = Buffer.from(content as string).toString();
      },
      open: () => {
        throw new Error('an upgrade is answered whole');
      },
    },
  );
  if (take === undefined) return { socket: undefined, status, body };
  const socket = new SimulatedSocket();
  socket.open(take);
  return { socket, status, body };
}
