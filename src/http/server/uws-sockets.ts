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
import { closeCodes, type Socket, type SocketHandler, type SocketListener } from './sockets.ts';
import type { Uws } from './uws.ts';

/** Bounds of WebSockets. */
export const socketBounds = {
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

/** The bounds of the WebSockets of one server. */
export type SocketLimits = Readonly<typeof socketBounds>;

/** The WebSockets of one server. */
export class UwsSockets {
  readonly #server: Server;
  readonly #handler: SocketHandler;
  readonly #open = new Set<UwsSocket>();

  constructor(server: Server, handler: SocketHandler) {
    this.#server = server;
    this.#handler = handler;
  }

  /** The number of open WebSockets. */
  get size(): number {
    return this.#open.size;
  }

  /** Registers the handler's path at an app. */
  attach(app: TemplatedApp, uws: Uws, limits: SocketLimits): void {
    app.ws<Taken>(this.#handler.path, {
      maxPayloadLength: limits.socketMessageBytesMax,
      maxBackpressure: limits.socketBufferBytesMax,
      closeOnBackpressureLimit: true,
      idleTimeout: idleSeconds(limits.socketIdleTimeoutMs),
      sendPingsAutomatically: true,
      compression: disabledCompression(uws),
      upgrade: (response, request, context) => this.#upgrade(response, request, context),
      open: (ws) => this.#opened(ws),
      message: (ws, message) => {
        const { socket } = ws.getUserData();
        this.#guarded(() => socket?.listener?.message(Buffer.from(message).toString('utf8')));
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

  #upgrade(response: UwsResponse, request: UwsRequest, context: us_socket_context_t): void {
    const exchange = this.#server.enter(response, request);
    if (exchange === undefined) return;
    if (this.#server.draining) exchange.send(503, [], '');
    let take: Taken['take'] | undefined;
    try {
      if (!exchange.done) take = this.#handler.upgrade(exchange, exchange);
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

  #opened(ws: WebSocket<Taken>): void {
    const taken = ws.getUserData();
    const socket = new UwsSocket(ws);
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

  constructor(ws: WebSocket<Taken>) {
    this.#ws = ws;
  }

  get bufferedBytes(): number {
    return this.isOpen ? this.#ws.getBufferedAmount() : 0;
  }

  send(...messages: readonly (Uint8Array | string)[]): void {
    if (!this.isOpen) return;
    this.#ws.cork(() => {
      for (const message of messages) {
        // The library drops the connection beyond its bound, and then it may not be touched.
        if (this.isOpen) this.#ws.send(message, false, false);
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
