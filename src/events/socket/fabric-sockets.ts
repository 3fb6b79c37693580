// `GET /fabric/v1/ws-api`: the WebSockets of programs that follow events
// (behaviour/events#the-websocket).

import {
  type BadToken,
  badTokenRefused,
  callerAgain,
  concernsCallers,
  findCaller,
} from '../../auth/callers.ts';
import type { AuthEnvironment } from '../../auth/context.ts';
import { bearersOf } from '../../auth/external-jwt/candidates.ts';
import { factorOwed } from '../../auth/factors.ts';
import type { AnswerGate } from '../../cluster/log/answer-gate.ts';
import type { BearerToken, Caller } from '../../declare/operations/operation.ts';
import { ApiError, tokenMissing } from '../../errors/errors.ts';
import { sendError } from '../../http/application/answer.ts';
import {
  isOwnOrigin,
  type Socket,
  type SocketHandler,
  type SocketListener,
} from '../../http/server/sockets.ts';
import { GatedSocket } from '../../inspect/server/stream/gated-socket.ts';
import type { HttpReply, HttpRequest } from '../../platform/http-exchange.ts';
import type { Timer } from '../../platform/ports.ts';
import type { EntityCounts } from '../entity-counts.ts';
import type { EventHub } from '../event-hub.ts';
import { FabricPeer, type FabricRequest } from './fabric-peer.ts';

/** What the WebSockets are made of. */
export interface FabricSocketsOptions {
  readonly env: AuthEnvironment;
  readonly hub: EventHub;
  readonly counts: EntityCounts;
  /** Requests besides those for events, by content type. */
  readonly requests: ReadonlyMap<number, FabricRequest>;
  /** Says what may leave; absent where there is no cluster. */
  readonly gate?: AnswerGate | undefined;
}

/** The WebSockets of the fabric API. */
export class FabricSockets implements SocketHandler {
  readonly path = '/fabric/v1/ws-api';
  readonly sendsBinary = true;
  readonly limits: NonNullable<SocketHandler['limits']>;
  readonly #options: FabricSocketsOptions;
  readonly #peers = new Map<FabricPeer, () => void>();
  #timer: Timer | undefined;
  /** Whether a commit may have taken somebody's right to listen. */
  #isDoubtful = false;
  /** Events that were not sent since the start. */
  #dropped = 0;

  constructor(options: FabricSocketsOptions) {
    this.#options = options;
    const { eventBufferBytesMax } = options.env.limits;
    this.limits = {
      socketMessageBytesMax: fabricMessageBytesMax,
      socketBufferBytesMax: eventBufferBytesMax + fabricAnswerBytesMax,
    };
    options.hub.onCommit((changes) => {
      this.#isDoubtful ||= concernsCallers(changes);
    });
  }

  /** For metrics. */
  get figures(): { readonly attached: number; readonly dropped: number } {
    return { attached: this.#peers.size, dropped: this.#dropped };
  }

  upgrade(
    request: HttpRequest,
    reply: HttpReply,
  ): ((socket: Socket) => SocketListener) | undefined {
    const { ids, addresses } = this.#options.env;
    try {
      const holder = this.#admit(request);
      return (socket) => this.#attach(socket, holder);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      sendError(reply, error, ids.request(), [['ziti-instance-id', addresses.instanceId]]);
      return undefined;
    }
  }

  /** @throws ApiError */
  #admit(request: HttpRequest): Holder {
    const { env, gate } = this.#options;
    if (!isOwnOrigin(request.header('origin'), request.header('host'))) {
      throw new ApiError('UNAUTHORIZED', { status: 403 });
    }
    if (gate?.isOpen === false) throw new ApiError('STORAGE_UNAVAILABLE');
    const { own, foreign: bearers } = bearersOf(request, (text) => env.accessTokens.isOwn(text));
    const caller = this.#callerOf(request, bearers, own);
    if (caller === undefined) throw tokenMissing();
    if (typeof caller === 'string') throw badTokenRefused(caller);
    if (caller.isPartial) throw factorOwed({ env, bearerTokens: bearers }, caller);
    if (!mayListen(caller)) throw new ApiError('UNAUTHORIZED');
    if (this.#peers.size >= env.limits.eventSubscribersMax) throw new ApiError('RATE_LIMITED');
    return { caller, bearers };
  }

  /** Tools that have logged in with OpenZiti send the token as a bearer token. */
  #callerOf(
    request: HttpRequest,
    bearers: readonly BearerToken[],
    ownTokens: readonly string[],
  ): Caller | undefined | BadToken {
    const { env } = this.#options;
    const { peer } = request;
    const context = { env, bearerTokens: bearers, ownTokens };
    const found = findCaller({ ...context, request });
    if (found !== undefined) return found;
    for (const { text } of bearers) {
      const header = (name: string) => (name === 'zt-session' ? text : '');
      const caller = findCaller({ ...context, request: { header, peer } });
      if (typeof caller === 'object') return caller;
    }
    return bearers.length > 0 ? 'invalid' : undefined;
  }

  #attach(socket: Socket, { caller, bearers }: Holder): SocketListener {
    const { env, hub, counts, requests, gate } = this.#options;
    const peer = new FabricPeer({
      socket: gate === undefined ? socket : new GatedSocket(socket, gate),
      caller,
      bearers,
      limits: env.limits,
      bounds: env.bounds,
      requests,
      counts,
      eventOf: (type, fields) => hub.eventOf(type, fields),
      subscribed: () => hub.changed(),
      dismissEnded: (mustLook) => this.#dismissEnded(mustLook),
      left: (left) => this.#leave(left),
      dropped: (count) => {
        this.#dropped += count;
      },
    });
    this.#peers.set(peer, hub.add(peer));
    this.#timer ??= env.clock.after(secondMs, () => this.#second());
    return peer;
  }

  #leave(peer: FabricPeer): void {
    this.#peers.get(peer)?.();
    this.#peers.delete(peer);
    if (this.#peers.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** An open stream counts as activity of its session, as polling would. */
  #second(): void {
    const { env } = this.#options;
    this.#timer = env.clock.after(secondMs, () => this.#second());
    const now = env.clock.now();
    this.#dismissEnded(true);
    for (const peer of this.#peers.keys()) {
      peer.second();
      env.activity.touch(peer.caller.session.slot, now);
    }
  }

  #dismissEnded(mustLook: boolean): void {
    if (!this.#isDoubtful && !mustLook) return;
    this.#isDoubtful = false;
    for (const peer of [...this.#peers.keys()]) {
      if (!this.#mayStay(peer)) peer.dismiss();
    }
  }

  #mayStay({ caller, bearers }: FabricPeer): boolean {
    const now = callerAgain({ env: this.#options.env, bearerTokens: bearers }, caller);
    return now !== 'invalid' && !now.isPartial && mayListen(now);
  }
}

interface Holder {
  readonly caller: Caller;
  readonly bearers: readonly BearerToken[];
}

/** Administrators and the permission `ops`, as for the rest of the fabric that it opens. */
function mayListen({ isAdmin, identity }: Caller): boolean {
  return isAdmin || identity.permissions.includes('ops');
}

const secondMs = 1000;

/** Bytes of one message of a program, a frame with its head. @bound per connection */
const fabricMessageBytesMax = 64 * 1024;

/** Bytes of answers that a WebSocket may hold besides events: those of inspections. @bound */
const fabricAnswerBytesMax = 20 * 1024 * 1024;
