// WebSockets on uWebSockets.js.

import type {
  TemplatedApp,
  HttpRequest as UwsRequest,
  HttpResponse as UwsResponse,
  us_socket_context_t,
  WebSocket,
} from 'uWebSockets.js';
import { Buffer } from 'node:buffer';
import type { Server } from './server.ts';
import {
  closeCodes,
  type Socket,
  type SocketHandler,
  type SocketLimits,
  type SocketListener,
} from './sockets.ts';
import type { Uws } from './uws.ts';

/** Bounds of WebSockets. */
export const socketBounds: SocketLimits = {
  /** One WebSocket message: a filter of `filterCharsMax`, escaped. @bound per connection */
  socketMessageBytesMax: 32 * 1024,
  /**
   * Bytes that a WebSocket has not taken; beyond it the connection is dropped. Senders stop long
   * before (`inspectorBufferBytesMax`). @bound per connection
   */
  socketBufferBytesMax: 1024 * 1024,
  /**
   * A WebSocket that takes and sends nothing for this long is dropped, pings included. Shorter than
   * `idleTimeoutMs`, so that pings keep a quiet one open. @bound per connection
   */
  socketIdleTimeoutMs: 30_000,
};

/** The WebSockets of one server. */
export class UwsSockets {
  readonly #server: Server;
  readonly #open = new Set<UwsSocket>();

  constructor(server: Server) {
    this.#server = server;
  }

  /** The number of open WebSockets. */
  get size(): number {
    return this.#open.size;
  }

  /** Registers a handler's path at an app. */
  attach(handler: SocketHandler, app: TemplatedApp, uws: Uws, common: SocketLimits): void {
    const limits = { ...common, ...handler.limits };
    app.ws<Taken>(handler.path, {
      maxPayloadLength: limits.socketMessageBytesMax,
      maxBackpressure: limits.socketBufferBytesMax,
      closeOnBackpressureLimit: true,
      idleTimeout: idleSeconds(limits.socketIdleTimeoutMs),
      sendPingsAutomatically: true,
      compression: disabledCompression(uws),
      upgrade: (...[response, request, context]) =>
        this.#upgrade(handler, response, request, context),
      open: (ws) => this.#opened(ws, handler.sendsBinary === true),
      message: (ws, message, isBinary) => {
        const { listener } = ws.getUserData().socket ?? {};
        this.#guarded(() => {
          // The memory is the library's, and good for this call alone.
          const bytes = Buffer.from(message);
          if (isBinary && listener?.binary !== undefined) listener.binary(Buffer.from(bytes));
          else listener?.message(bytes.toString('utf8'));
        });
      },
      close: (ws, code) => this.#closed(ws, code),
    });
  }

  /** Closes all with a close frame, because the server ends. */
  closeAll(): void {
    for (const socket of this.#open) {
      // A close frame after unsent bytes would not arrive before the end.
      if (socket.bufferedBytes > 0) socket.terminate();
      else socket.close(closeCodes.goingAway, 'the controller stops');
    }
  }

  #upgrade(
    handler: SocketHandler,
    response: UwsResponse,
    request: UwsRequest,
    context: us_socket_context_t,
  ): void {
    const exchange = this.#server.enter(response, request);
    if (exchange === undefined) return;
    if (this.#server.draining) exchange.send(503, [], '');
    let take: Taken['take'] | undefined;
    try {
      if (!exchange.done) take = handler.upgrade(exchange, exchange);
      if (take === undefined && !exchange.done) throw new Error('an upgrade got no answer');
    } catch (error) {
      exchange.send(500, [], '');
      this.#server.failed(error);
    }
    exchange.leaveCall();
    if (take === undefined || exchange.done) return;
    exchange.upgraded();
    const key = request.getHeader('sec-websocket-key');
    // Neither a protocol nor an extension is accepted, as RFC 6455 allows.
    const finish = this.#server.finisher(response, exchange.peer);
    response.upgrade<Taken>({ take, finish, socket: undefined }, key, '', '', context);
  }

  #opened(ws: WebSocket<Taken>, sendsBinary: boolean): void {
    const taken = ws.getUserData();
    const socket = new UwsSocket(ws, sendsBinary);
    taken.socket = socket;
    this.#open.add(socket);
    this.#guarded(() => {
      socket.listener = taken.take(socket);
    });
    const { listener } = socket;
    if (listener === undefined) socket.terminate();
    // It may have been closed while it was accepted, before there was a listener.
    else if (!socket.isOpen) this.#guarded(() => listener.closed());
  }

  #closed(ws: WebSocket<Taken>, code: number): void {
    const { socket, finish } = ws.getUserData();
    // Without a close frame the TLS front would take it for a pause between two requests.
    if (code === abnormalCode) finish();
    if (socket === undefined) return;
    socket.isOpen = false;
    this.#open.delete(socket);
    this.#guarded(() => socket.listener?.closed());
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#server.failed(error);
    }
  }
}

/** The user data that the library keeps per WebSocket. */
interface Taken {
  readonly take: (socket: Socket) => SocketListener;
  readonly finish: () => void;
  socket: UwsSocket | undefined;
}

class UwsSocket implements Socket {
  isOpen = true;
  listener: SocketListener | undefined;
  readonly #ws: WebSocket<Taken>;
  readonly #sendsBinary: boolean;

  constructor(ws: WebSocket<Taken>, sendsBinary: boolean) {
    this.#ws = ws;
    this.#sendsBinary = sendsBinary;
  }

  get bufferedBytes(): number {
    return this.isOpen ? this.#ws.getBufferedAmount() : 0;
  }

  send(...messages: readonly (Uint8Array | string)[]): void {
    if (!this.isOpen) return;
    this.#ws.cork(() => {
      for (const message of messages) {
        // The library drops the connection beyond its bound, and then it may not be touched.
        const isBinary = this.#sendsBinary && typeof message !== 'string';
        if (this.isOpen) this.#ws.send(message, isBinary, false);
      }
    });
  }

  close(code: number, reason: string): void {
    if (this.isOpen) this.#ws.end(code, reason);
  }

  terminate(): void {
    if (this.isOpen) this.#ws.close();
  }
}

/** The close code without a close frame (RFC 6455 §7.1.5). */
const abnormalCode = 1006;

/** The library counts in seconds, from 8 to 960, and sends its pings in time before the end. */
function idleSeconds(ms: number): number {
  return Math.min(960, Math.max(8, Math.round(ms / 1000)));
}

/** Its type leaves out the value. */
function disabledCompression(uws: Uws): number {
  return 'DISABLED' in uws && typeof uws.DISABLED === 'number' ? uws.DISABLED : 0;
}
