// The HTTP server: uWebSockets.js behind the TLS front, or by itself with TLS in process.

import type {
  TemplatedApp,
  HttpRequest as UwsRequest,
  HttpResponse as UwsResponse,
  us_listen_socket,
} from 'uWebSockets.js';
import type { HttpHandler, HttpReply, Peer } from '../../platform/http-exchange.ts';
import type { Clock, Timer } from '../../platform/ports.ts';
import type { Limits } from '../../settings/limits.ts';
import { type FramingFault, faultOfBody, faultOfHead } from '../front/framing-faults.ts';
import { type BodyBudget, BodyGatherer, type BodyOutcome } from './body.ts';
import type { Origin } from './origin.ts';
import type { RequestTurns } from './request-turns.ts';
import type { SocketHandler, SocketLimits } from './sockets.ts';
import { UnsentAnswers } from './unsent-answers.ts';
import { loadUws, type Uws } from './uws.ts';
import { UwsExchange } from './uws-exchange.ts';
import { faultOfHeaders } from './uws-framing.ts';
import { UwsSockets } from './uws-sockets.ts';

/** Bounds of the server. */
export type ServerLimits = Pick<
  Limits,
  'headerBytesMax' | 'bodyBytesMax' | 'bodiesBytesMax' | 'unsentBytesMax' | 'bodyTimeoutMs'
>;

/** The options of a server. */
export interface ServerOptions {
  readonly origin: Origin;
  readonly handler: HttpHandler;
  /**
   * Answers a request whose body is over the bound; `body` is empty. The connection is closed after
   * the answer.
   */
  readonly tooLarge: HttpHandler;
  /** Answers a request whose framing is not valid. The connection is closed after the answer. */
  readonly malformed: (fault: FramingFault, reply: HttpReply) => void;
  /** Accepts WebSockets; without it they are refused. */
  readonly sockets?: {
    readonly handlers: readonly SocketHandler[];
    readonly limits: SocketLimits;
  };
  /** Called with what a handler threw; the request was answered 500 without a body. */
  readonly failed: (error: unknown) => void;
  readonly clock: Clock;
  readonly limits: ServerLimits;
  /** One for all servers of a thread. */
  readonly turns: RequestTurns;
}

/** Counts of one server. */
export interface ServerCounters {
  requests: number;
  requestsInFlight: number;
  /** Requests whose peer disconnected before the answer was sent. */
  requestsAborted: number;
  handlerFailures: number;
  bodiesTooLarge: number;
  /** Requests whose framing was not valid. */
  requestsMalformed: number;
  bodiesTimedOut: number;
  /** Connections closed because all bodies together were too large. */
  bodiesRefused: number;
  /** Answers dropped because their peers did not read them and all together were too large. */
  answersCutOff: number;
  /** Connections closed for an unknown id: the client sent a PROXY header of its own. */
  unknownConnections: number;
}

/** Starts a server. Throws an error with a clear sentence when it can't listen. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const uws = await loadUws(options.limits.headerBytesMax);
  const server = new Server(uws, options);
  await server.listen();
  return server;
}

/** A running server. */
export class Server {
  /** 0 for a Unix socket. */
  port = 0;
  /** Whether answers end their connections, and no more WebSockets are accepted. */
  draining = false;
  /** Whether answers ask clients of this node to close their connections. */
  isLeaving = false;
  readonly #unsent: UnsentAnswers;
  readonly counters: ServerCounters = {
    requests: 0,
    requestsInFlight: 0,
    requestsAborted: 0,
    handlerFailures: 0,
    bodiesTooLarge: 0,
    requestsMalformed: 0,
    bodiesTimedOut: 0,
    bodiesRefused: 0,
    answersCutOff: 0,
    unknownConnections: 0,
  };
  readonly #uws: Uws;
  readonly #options: ServerOptions;
  readonly #app: TemplatedApp;
  readonly #budget: BodyBudget;
  readonly #sockets: UwsSockets | undefined;
  /** Functions that end the streamed answers. */
  readonly #streams = new Map<UwsExchange, () => void>();
  /** Bodies that are arriving, the oldest first, because all have the same time limit. */
  readonly #arriving = new Map<UwsResponse, number>();
  #arrivalTimer: Timer | undefined;
  #socket: us_listen_socket | undefined;
  #idle: (() => void) | undefined;

  constructor(uws: Uws, options: ServerOptions) {
    this.#uws = uws;
    this.#options = options;
    this.#unsent = new UnsentAnswers(options.limits.unsentBytesMax);
    this.#budget = { free: options.limits.bodiesBytesMax };
    this.#app = options.origin.app(uws);
    if (options.sockets !== undefined) {
      const { handlers, limits } = options.sockets;
      this.#sockets = new UwsSockets(this);
      for (const handler of handlers) this.#sockets.attach(handler, this.#app, uws, limits);
    }
    // One route, because the application decides which paths exist.
    this.#app.any('/*', (response, request) => this.#take(response, request));
  }

  async listen(): Promise<void> {
    const listening = await this.#options.origin.listen(this.#app, this.#uws);
    this.#socket = listening.socket;
    this.port = listening.port;
  }

  /** Open WebSockets. */
  get sockets(): number {
    return this.#sockets?.size ?? 0;
  }

  /** Whether a peer is to close its connection. A client of another node keeps it there. */
  dismisses({ namesRequests }: Peer): boolean {
    return (this.draining || this.isLeaving) && namesRequests !== true;
  }

  /** An error was thrown outside of the application's call. */
  failed(error: unknown): void {
    this.counters.handlerFailures += 1;
    this.#options.failed(error);
  }

  /** The answer goes on after its request; `close` ends it if the server stops before. */
  opened(exchange: UwsExchange, close: () => void): void {
    if (this.draining) this.#options.clock.soon(close);
    else this.#streams.set(exchange, close);
  }

  /** A part of the answer is kept until its peer takes it: `bytes` of it. */
  unsent(exchange: UwsExchange, bytes: number): void {
    this.#unsent.keep(exchange, bytes);
    this.counters.answersCutOff = this.#unsent.cut;
  }

  /**
   * A function that closes the connection of an answer or a WebSocket later. Obtained before the
   * answer or the WebSocket begins.
   */
  finisher(response: UwsResponse, peer: Peer): () => void {
    return this.#options.origin.finisher(response, peer);
  }

  /** The exchange is over: completely answered, or the peer has disconnected. Called once. */
  over(exchange: UwsExchange): void {
    this.#streams.delete(exchange);
    if (exchange.isKept) this.#unsent.forget(exchange);
    this.counters.requestsInFlight -= 1;
    if (exchange.aborted) this.counters.requestsAborted += 1;
    if (this.counters.requestsInFlight === 0) this.#idle?.();
  }

  /** Accepts no new connections; open ones stay until `stop`. */
  stopListening(): void {
    if (this.#socket !== undefined) this.#uws.us_listen_socket_close(this.#socket);
    this.#socket = undefined;
  }

  /**
   * Accepts no new connections, closes WebSockets with a close frame, ends streamed answers, lets
   * other answers end their connections, and closes when no request is in flight, at the latest
   * after `timeoutMs`.
   */
  async stop(timeoutMs: number): Promise<void> {
    this.draining = true;
    this.stopListening();
    this.#sockets?.closeAll();
    for (const close of [...this.#streams.values()]) close();
    const { clock } = this.#options;
    const untilMs = clock.monotonic() + timeoutMs;
    // Repeated, because requests that a connection sent earlier may have been read since the last
    // answer.
    while (this.counters.requestsInFlight > 0 && clock.monotonic() < untilMs) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
        clock.after(untilMs - clock.monotonic(), resolve);
      });
      // In a later turn, not on the stack of the last answer.
      await new Promise<void>((resolve) => clock.soon(resolve));
    }
    this.#arrivalTimer?.cancel();
    this.#app.close();
  }

  /** Begins the exchange of a WebSocket; undefined if the connection was closed instead. */
  enter(response: UwsResponse, request: UwsRequest): UwsExchange | undefined {
    const exchange = this.#enter(response, request);
    if (exchange === undefined) return undefined;
    response.onAborted(() => exchange.abort());
    const fault = this.#faultOf(exchange, request);
    if (fault === undefined) return exchange;
    this.#refuseFraming(response, exchange, fault);
    exchange.leaveCall();
    return undefined;
  }

  #enter(response: UwsResponse, request: UwsRequest): UwsExchange | undefined {
    const peer = this.#options.origin.peer(response);
    if (peer === undefined) {
      this.counters.unknownConnections += 1;
      response.onAborted(noMatter);
      response.close();
      return undefined;
    }
    this.counters.requests += 1;
    this.counters.requestsInFlight += 1;
    return new UwsExchange(this, response, request, peer);
  }

  #take(response: UwsResponse, request: UwsRequest): void {
    const exchange = this.#enter(response, request);
    if (exchange === undefined) return;
    const fault = this.#faultOf(exchange, request);
    if (fault !== undefined) {
      response.onAborted(() => exchange.abort());
      this.#refuseFraming(response, exchange, fault);
      exchange.leaveCall();
      return;
    }
    const length = request.getHeader('content-length');
    if ((length === '' || length === '0') && request.getHeader('transfer-encoding') === '') {
      // Also needed for an answer in this turn: ending a large answer while the peer disconnects
      // would crash the process.
      response.onAborted(() => exchange.abort());
      this.#hand(exchange);
      exchange.leaveCall();
    } else this.#takeBody(response, exchange, length === '' ? undefined : Number(length));
  }

  #faultOf(exchange: UwsExchange, request: UwsRequest): FramingFault | undefined {
    if (this.#options.origin.isFramed) return faultOfHead(exchange.method, exchange.path);
    return exchange.method === '' ? 'requestLine' : faultOfHeaders(request);
  }

  /** `declared` is undefined for a chunked body. */
  #takeBody(response: UwsResponse, exchange: UwsExchange, declared: number | undefined): void {
    const { bodyBytesMax, bodyTimeoutMs } = this.#options.limits;
    const gatherer = new BodyGatherer(bodyBytesMax, this.#budget);
    response.onAborted(() => {
      this.#arriving.delete(response);
      gatherer.release();
      exchange.abort();
    });
    exchange.isChunked = declared === undefined;
    // Bytes after the last chunk were not checked, so they must not become another request.
    exchange.endsConnection = exchange.isChunked && !this.#options.origin.isFramed;
    if (declared !== undefined && declared > bodyBytesMax) {
      this.#refuseBody(response, exchange);
      exchange.leaveCall();
      return;
    }
    exchange.keepHeaders();
    exchange.leaveCall();
    response.onData((chunk, last) => {
      this.#arrived(response, exchange, gatherer, gatherer.add(chunk, last));
    });
    // Removed below when the body arrived with the headers, which is nearly always the case.
    this.#arriving.set(response, this.#options.clock.monotonic() + bodyTimeoutMs);
    this.#arrivalTimer ??= this.#options.clock.after(bodyTimeoutMs, () => this.#dropLate());
  }

  #arrived(
    response: UwsResponse,
    exchange: UwsExchange,
    gatherer: BodyGatherer,
    outcome: BodyOutcome,
  ): void {
    if (outcome === 'more' || exchange.closing !== undefined) return;
    this.#arriving.delete(response);
    gatherer.release();
    if (outcome === 'noRoom') {
      this.counters.bodiesRefused += 1;
      response.close();
      return;
    }
    exchange.corked = true;
    const { body } = gatherer;
    const fault = exchange.isChunked && outcome === 'whole' ? faultOfBody(body) : undefined;
    if (outcome === 'tooLarge') this.#refuseBody(response, exchange);
    else if (fault !== undefined) this.#refuseFraming(response, exchange, fault);
    else {
      exchange.body = body;
      if (exchange.endsConnection) this.#handSoon(exchange);
      else this.#hand(exchange);
    }
    exchange.corked = false;
  }

  /** Answers at once, because the start of the next request on the connection cannot be found. */
  #refuseFraming(response: UwsResponse, exchange: UwsExchange, fault: FramingFault): void {
    const { origin, malformed } = this.#options;
    this.counters.requestsMalformed += 1;
    exchange.endsConnection = !origin.isFramed;
    exchange.closing = this.finisher(response, exchange.peer);
    this.#run(exchange, () => malformed(fault, exchange));
  }

  /** Answers at once. uWebSockets.js drops the rest of the body. */
  #refuseBody(response: UwsResponse, exchange: UwsExchange): void {
    this.counters.bodiesTooLarge += 1;
    // Obtained before the answer, because the response may not be used after it.
    exchange.closing = this.finisher(response, exchange.peer);
    this.#run(exchange, this.#options.tooLarge);
  }

  /**
   * Hands a request on in a later turn. If more bytes follow it in this turn, the library closes
   * the connection, because the answer is outstanding.
   */
  #handSoon(exchange: UwsExchange): void {
    this.#options.clock.soon(() => {
      if (!exchange.done) this.#hand(exchange);
    });
  }

  /** Hands a complete request on, in this turn or in a later one. */
  #hand(exchange: UwsExchange): void {
    const { turns, clock, handler } = this.#options;
    if (turns.isOver) {
      exchange.keepHeaders();
      exchange.arrivedMs = clock.monotonic();
      turns.later(exchange.keptBytes, () => {
        // The peer may have disconnected in the meantime.
        if (!exchange.done) this.#run(exchange, handler);
      });
      return;
    }
    const startedMs = clock.monotonic();
    this.#run(exchange, handler);
    turns.handled(startedMs);
  }

  #run(exchange: UwsExchange, handler: HttpHandler): void {
    try {
      handler(exchange, exchange);
    } catch (error) {
      exchange.send(500, [], '');
      this.failed(error);
    }
  }

  /** Closes connections whose bodies take too long. */
  #dropLate(): void {
    const { clock, limits } = this.#options;
    this.#arrivalTimer = undefined;
    const now = clock.monotonic();
    for (const [response, untilMs] of this.#arriving) {
      if (untilMs > now) {
        this.#arrivalTimer = clock.after(Math.min(untilMs - now, limits.bodyTimeoutMs), () =>
          this.#dropLate(),
        );
        return;
      }
      this.counters.bodiesTimedOut += 1;
      // The abort handler of the response removes it from the map.
      response.close();
    }
  }
}

const noMatter = (): void => {};
