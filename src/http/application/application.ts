// Takes a request through the controller: route, caller, right, body, operation, durable answer.

import { countsWrites } from '../../auth/caller-rates.ts';
import { callerAgain, findCaller } from '../../auth/callers.ts';
import type { AuthEnvironment } from '../../auth/context.ts';
import { checkTokens } from '../../auth/factors.ts';
import { isFirstUse, noteFirstUse } from '../../auth/oidc/first-use.ts';
import { noteSecondaryJwt } from '../../auth/second-factor/secondary-jwt.ts';
import { expiryOf, withExpiry } from '../../auth/sessions/session-expiry.ts';
import type { AnyOperation, Caller, Operation, Reply } from '../../declare/operations/operation.ts';
import { AnswerSize } from '../../declare/resources/answer-size.ts';
import { ApiError, asApiError } from '../../errors/errors.ts';
import type { Log } from '../../observe/logs.ts';
import {
  behindHeader,
  type Header,
  type HttpHandler,
  type HttpReply,
  type HttpRequest,
  requestIdHeader,
} from '../../platform/http-exchange.ts';
import type { DurableFrames } from '../../store/durable-frames.ts';
import type { Transaction } from '../../store/transaction.ts';
import { type FramingFault, framingRules } from '../front/framing-faults.ts';
import { sendError, sendReply } from './answer.ts';
import { authorize, type FoundCaller } from './authorization.ts';
import { type FollowingReads, misdirected } from './following-reads.ts';
import { type CancellableWait, HeldRequests } from './held-requests.ts';
import { answerOutside, type OutsideHandler } from './other-paths.ts';
import { isCrowd, notDurable, translated, unknownPath } from './refusals.ts';
import { readBody } from './request-body.ts';
import { RequestContext } from './request-context.ts';
import type { RequestFigures } from './request-figures.ts';
import { type Match, type Routes, withoutLastSlash, withSingleSlashes } from './routes.ts';

/** The parts that the application is built from. `Env` is what the operations may use. */
export interface ApplicationOptions<Env extends AuthEnvironment> {
  readonly env: Env;
  readonly routes: Routes<Env>;
  /** Holds each answer until everything that it read or wrote is durable. */
  readonly durable: DurableFrames;
  readonly log: Log;
  /** Handlers of paths outside both APIs; the first one that claims a path answers. */
  readonly outside: readonly OutsideHandler[];
  /** Counts the answers. */
  readonly figures: RequestFigures;
  /** On a node of a cluster: how it answers while it follows. */
  readonly following?: FollowingReads<Env> | undefined;
}

const preflightHeaders: readonly Header[] = [
  ['access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
  [
    'access-control-allow-headers',
    'content-type, accept, authorization, zt-session, net-session, mfa-validation-code, session-token, ziti-token-issuer-id',
  ],
  ['access-control-max-age', '86400'],
];

/** The entry points that listeners call with requests. */
export class Application<Env extends AuthEnvironment> {
  readonly #options: ApplicationOptions<Env>;
  readonly #env: Env;
  #instanceId = '';
  #headers: readonly Header[] = [];
  readonly #held: HeldRequests;

  constructor(options: ApplicationOptions<Env>) {
    this.#options = options;
    this.#env = options.env;
    this.#held = new HeldRequests(options.env);
  }

  get #commonHeaders(): readonly Header[] {
    const { instanceId } = this.#env.addresses;
    if (instanceId !== this.#instanceId) {
      this.#instanceId = instanceId;
      this.#headers = [
        ['ziti-instance-id', instanceId],
        ['access-control-allow-origin', '*'],
      ];
    }
    return this.#headers;
  }

  readonly handle: HttpHandler = (request, to) => {
    const requestId = requestIdOf(request) || this.#env.ids.request();
    const { fence } = this.#env.store;
    fence.begin();
    const startedMs = request.arrivedMs ?? this.#env.clock.monotonic();
    const headers = this.#commonHeaders;
    const asked: Asked<Env> = {
      request,
      requestId,
      to,
      startedMs,
      headers,
      operation: undefined,
      following: this.#following,
    };
    try {
      if (this.#waitedMs(asked) > this.#env.limits.handlerTimeoutMs) throw new ApiError('TIMEOUT');
      const match = this.#match(request);
      if (match.found === 'nothing' && answerOutside(this.#options.outside, request, to)) return;
      if (request.method === 'OPTIONS') {
        to.send(200, [...headers, ...preflightHeaders], '');
        return;
      }
      const named = operationOf(match, request.path);
      asked.operation = named.operation;
      if (asked.following === undefined) this.#find(named, asked);
      else this.#whenCurrent(asked.following, named, asked);
    } catch (error) {
      this.#fail(error, asked);
    }
  };

  /** How the node answers now; undefined unless it follows. */
  get #following(): FollowingReads<Env> | undefined {
    const { following } = this.#options;
    return following?.isFollowing === true ? following : undefined;
  }

  /** Nothing of a request is looked up before, its caller included. */
  #whenCurrent(following: FollowingReads<Env>, named: Named<Env>, asked: Asked<Env>): void {
    const { operation } = named;
    if (operation.answered === 'leader') {
      this.#passOn(asked);
      return;
    }
    if (operation.answered === 'own') {
      this.#find(named, asked);
      return;
    }
    asked.request.keepHeaders();
    following.onceSettled((standing) => {
      if (asked.to.done) return;
      this.#env.store.fence.begin();
      // A node that leads by now answers as a leader does.
      asked.following = this.#following;
      try {
        if (standing === 'current' || asked.following === undefined) this.#find(named, asked);
        else this.#passOn(asked, standing === 'behind' ? [behindHeader] : []);
      } catch (error) {
        this.#fail(error, asked);
      }
    });
  }

  /** Leaves a request to the leader. */
  #passOn({ to, headers }: Asked<Env>, more: readonly Header[] = []): void {
    to.send(misdirected, [...headers, ...more], '');
  }

  /** Finds the caller, and serves the request. */
  #find({ operation, api, params }: Named<Env>, asked: Asked<Env>): void {
    const { request, requestId, following } = asked;
    const env = following?.env ?? this.#env;
    const now = env.clock.now();
    const context = new RequestContext({ env, api, requestId, request, params, now });
    const caller = findCaller(context);
    if (following?.needsLeader(caller, operation) === true) {
      this.#passOn(asked);
      return;
    }
    const isPartial = typeof caller === 'object' && caller.isPartial;
    const checked = isPartial
      ? checkTokens(context, caller, this.#held.mayHold(request.body.length))
      : undefined;
    if (isPartial && checked !== undefined) {
      this.#serveLater(context, operation, asked, caller, checked);
    } else this.#serve(context, operation, asked, caller);
  }

  /** Answers a request whose body is over the bound; it arrives without one. */
  readonly tooLarge: HttpHandler = (_request, reply) => {
    this.#refuseUnread(reply, new ApiError('REQUEST_ENTITY_TOO_LARGE'));
  };

  /** Answers a request whose framing is not valid. */
  readonly malformed = (fault: FramingFault, reply: HttpReply): void => {
    const { status, field, reason } = framingRules[fault];
    const cause = { field, reason, value: '' };
    this.#refuseUnread(reply, new ApiError('MALFORMED_REQUEST', { status, cause }));
  };

  /** Paths are tidied only where no route has them as they were sent. */
  #match(request: HttpRequest): Match<Env> {
    const { routes } = this.#options;
    const match = routes.match(request.method, request.path);
    if (match.found !== 'nothing') return match;
    request.path = withSingleSlashes(request.path);
    const path = withoutLastSlash(request.path);
    const tidied = routes.match(request.method, path);
    // A page outside both APIs may have an address that ends with a slash.
    if (tidied.found !== 'nothing') request.path = path;
    return tidied;
  }

  #refuseUnread(to: HttpReply, error: ApiError): void {
    const { figures } = this.#options;
    sendError(to, error, this.#env.ids.request(), this.#commonHeaders);
    figures.refused(error.code);
    figures.answered(undefined, error.status, 0);
  }

  /** Serves a caller whose tokens are being checked, once `checked` has settled. */
  #serveLater(
    context: RequestContext<Env>,
    operation: Operation<Env>,
    asked: Asked<Env>,
    caller: Caller,
    checked: Promise<void>,
  ): void {
    context.keepHeaders();
    const { fence } = this.#env.store;
    const read = fence.lsn;
    const { length } = asked.request.body;
    this.#inTime(operation, asked, async () => {
      try {
        try {
          await this.#held.hold(length, checked);
        } finally {
          fence.begin(read);
        }
        if (asked.to.done) return;
        this.#serve(context, operation, asked, callerAgain(context, caller));
      } catch (error) {
        this.#fail(error, asked);
      }
    });
  }

  #serve(
    context: RequestContext<Env>,
    operation: Operation<Env>,
    asked: Asked<Env>,
    caller: FoundCaller,
  ): void {
    if (typeof caller === 'object') this.#noteTokens(context, caller);
    authorize(context, operation, caller);
    readBody(context, operation);
    if (operation.creates === true) this.#env.memory.admitRecord();
    const { callerIfAny } = context;
    if (callerIfAny !== undefined) {
      asked.headers = this.#sessionHeaders(callerIfAny, asked);
      asked.request.peer.sessionUsed?.();
    }
    this.#run(context, operation, asked);
  }

  /** Writes what the tokens of a request mean for its API session, if there is room for that. */
  #noteTokens(context: RequestContext<Env>, caller: Caller): void {
    if (caller.secondFactorUntil === undefined && !isFirstUse(caller)) return;
    if (this.#options.durable.size >= this.#env.limits.writesWaitingMax) return;
    noteSecondaryJwt(context, caller);
    if (isFirstUse(caller)) noteFirstUse(context, caller);
  }

  /** How long a request has waited for its turn. */
  #waitedMs({ request, startedMs }: Asked<Env>): number {
    return request.arrivedMs === undefined ? 0 : this.#env.clock.monotonic() - startedMs;
  }

  #run(context: RequestContext<Env>, operation: Operation<Env>, asked: Asked<Env>): void {
    this.#countWrite(context, operation);
    try {
      this.#begin(context, operation, asked);
    } finally {
      context.countFilterSteps();
    }
  }

  /** @throws ApiError RATE_LIMITED for a caller who writes too fast. */
  #countWrite({ callerIfAny }: RequestContext<Env>, operation: Operation<Env>): void {
    if (operation.rate === 'written' || callerIfAny === undefined) return;
    if (countsWrites(operation)) this.#env.rates.countWrite(operation, callerIfAny);
  }

  #begin(context: RequestContext<Env>, operation: Operation<Env>, asked: Asked<Env>): void {
    const prepared = operation.prepare?.(context);
    if (!(prepared instanceof Promise || this.#held.mustWait(operation))) {
      this.#answer(operation, asked, this.#decide(context, operation, prepared));
      return;
    }
    context.keepHeaders();
    this.#inTime(operation, asked, (wait) =>
      this.#decideLater(context, operation, asked, prepared, wait).finally(() =>
        context.countFilterSteps(),
      ),
    );
  }

  /**
   * Answers TIMEOUT unless `work`, which never rejects, ends within the time limit of its
   * operation.
   */
  #inTime(
    operation: Operation<Env>,
    asked: Asked<Env>,
    work: (wait: CancellableWait) => Promise<void>,
  ): void {
    const timeoutMs = this.#env.limits[operation.timeout ?? 'handlerTimeoutMs'];
    const leftMs = Math.max(0, timeoutMs - this.#waitedMs(asked));
    this.#held.within(leftMs, () => this.#refuse(asked, new ApiError('TIMEOUT')), work);
  }

  /**
   * Facts can go stale while they are prepared. They are prepared at most twice; after that the
   * caller is asked to retry. Answers and refusals are held in the turn that makes them, because
   * later the fence also covers what other requests have read.
   */
  async #decideLater(
    context: RequestContext<Env>,
    operation: Operation<Env>,
    asked: Asked<Env>,
    prepared: unknown,
    wait: CancellableWait,
  ): Promise<void> {
    const { to } = asked;
    const { fence } = this.#env.store;
    let preparing = prepared;
    try {
      for (let attempt = 0; attempt < 2; attempt++) {
        if (attempt > 0) {
          context.bases = [];
          preparing = operation.prepare?.(context);
        }
        const read = fence.lsn;
        let facts: unknown;
        try {
          facts = await preparing;
          // Checked before each decision, because an earlier request may have scheduled another
          // one.
          while (!to.done && this.#held.mustWait(operation)) {
            await this.#held.waitInLine(context.request.body.length, wait);
          }
        } finally {
          fence.begin(read);
        }
        // No work is done for a caller that was answered TIMEOUT or has disconnected.
        if (to.done) return;
        this.#authorizeAgain(context, operation);
        if (context.factsHold) {
          this.#answer(operation, asked, this.#decide(context, operation, facts));
          return;
        }
      }
      throw new ApiError('SERVER_TOO_MANY_REQUESTS');
    } catch (error) {
      if (!to.done) this.#fail(error, asked);
    }
  }

  /**
   * Sessions can end and rights can be revoked during hashing: a caller that lost them decides
   * nothing.
   */
  #authorizeAgain(context: RequestContext<Env>, operation: Operation<Env>): void {
    if (context.callerIfAny === undefined) return;
    authorize(context, operation, callerAgain(context, context.callerIfAny));
  }

  #decide(context: RequestContext<Env>, operation: Operation<Env>, facts: unknown): Reply {
    if (!operation.writes) return this.#bounded(operation.decide(context, facts));
    const { store, limits } = this.#env;
    if (this.#options.durable.size >= limits.writesWaitingMax) {
      this.#tellCrowd();
      throw new ApiError('SERVER_TOO_MANY_REQUESTS');
    }
    const cause = {
      actor: context.callerIfAny?.identity.id ?? 'anonymous',
      requestId: context.requestId,
      operation: operation.id,
    };
    return store.transact(cause, (tx) => {
      if (operation.rate === 'written') this.#countWhenWritten(context, operation, tx);
      return context.within(tx, () => operation.decide(context, facts));
    });
  }

  #countWhenWritten(
    { callerIfAny }: RequestContext<Env>,
    operation: Operation<Env>,
    tx: Transaction,
  ): void {
    if (callerIfAny === undefined || callerIfAny.isAdmin || !countsWrites(operation)) return;
    tx.beforeFirstWrite(() => this.#env.rates.countWrite(operation, callerIfAny));
  }

  /** Lists are bounded while they are built; this bounds all other answers. */
  #bounded(reply: Reply): Reply {
    if (reply.form !== 'data') return reply;
    const size = new AnswerSize(this.#env.limits);
    for (const chunk of reply.data) size.add(chunk);
    return reply;
  }

  #answer(operation: Operation<Env>, asked: Asked<Env>, reply: Reply): void {
    this.#leave(
      asked,
      () => {
        const { to, headers } = asked;
        if (to.done) return;
        if (reply.form === 'refused') {
          this.#refuse(asked, reply.error);
          return;
        }
        sendReply(to, reply, headers);
        this.#count(asked, reply.status);
      },
      () => {
        this.#refuse(asked, operation.writes ? new ApiError('OUTCOME_UNKNOWN') : notDurable());
      },
    );
  }

  /**
   * Calls `send` once everything that the answer rests on is durable, or `late` if that takes long.
   * A node that follows need not wait: all frames that it applies are durable, and it has applied
   * all that were confirmed when the request came.
   */
  #leave({ following }: Asked<Env>, send: () => void, late: () => void): void {
    const { isAttached, fence } = this.#env.store;
    if (following !== undefined && !isAttached) send();
    else this.#options.durable.when(fence.lsn, send, late);
  }

  #fail(thrown: unknown, asked: Asked<Env>): void {
    const error = asApiError(translated(thrown));
    if (error.code === 'UNHANDLED') {
      const { requestId, request } = asked;
      const { method, path } = request;
      this.#options.log.error(
        { requestId, method, path, err: thrown },
        'a request failed unexpectedly',
      );
    }
    const { store } = this.#env;
    if (store.isAttached && isCrowd(thrown, store.journal)) this.#tellCrowd();
    const { durable } = this.#options;
    const send = () => this.#refuse(asked, error);
    // Without its lease, a node may refuse what another one has granted by now.
    const late = () => {
      if (durable.mayLeave) send();
      else this.#refuse(asked, notDurable());
    };
    // A refusal may also rest on a write that a crash could still undo.
    this.#leave(asked, send, late);
  }

  #tellCrowd(): void {
    if (!this.#options.figures.crowded(this.#env.clock.monotonic())) return;
    this.#options.log.warn({ answersHeld: this.#options.durable.size }, crowdNote);
  }

  /**
   * Answers with an error, unless the request was already answered or its peer has disconnected.
   */
  #refuse(asked: Asked<Env>, error: ApiError): void {
    if (asked.to.done) return;
    const { to, requestId, headers, operation } = asked;
    sendError(to, error, requestId, headers, operation?.oidc);
    this.#options.figures.refused(error.code);
    this.#count(asked, error.status);
  }

  #count({ operation, request, requestId, startedMs }: Asked<Env>, status: number): void {
    const ms = this.#env.clock.monotonic() - startedMs;
    this.#options.figures.answered(operation, status, ms);
    const method = operation?.authenticates?.(request);
    if (method !== undefined) this.#options.figures.authenticated(method, status);
    if (this.#options.log.level !== 'debug') return;
    this.#options.log.debug(
      { requestId, operation: operation?.id, status, ms },
      'a request was answered',
    );
  }

  #sessionHeaders(caller: Caller, { following }: Asked<Env>): readonly Header[] {
    const { config, clock } = this.#env;
    const now = clock.now();
    (following?.env ?? this.#env).noteUse(caller);
    const expiresAt = expiryOf(config, caller.session.record, now);
    return withExpiry(this.#commonHeaders, expiresAt, now);
  }
}

const crowdNote =
  'writes are refused because too many wait for the disk: check whether the disk of the home is slow';

/** A request on its way to its answer. */
interface Asked<Env extends AuthEnvironment> {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly to: HttpReply;
  /** Monotonic ms at which the request and its body had arrived. */
  readonly startedMs: number;
  headers: readonly Header[];
  /** Undefined until the route is found. */
  operation: AnyOperation | undefined;
  /** Set if a node answers while it follows. */
  following: FollowingReads<Env> | undefined;
}

/** The id that the node has given a request through which it came; empty if it has none. */
function requestIdOf(request: HttpRequest): string {
  return request.peer.namesRequests === true ? request.header(requestIdHeader) : '';
}

/** An operation as the request names it. */
type Named<Env extends AuthEnvironment> = Extract<Match<Env>, { found: 'operation' }>;

function operationOf<Env extends AuthEnvironment>(match: Match<Env>, path: string): Named<Env> {
  switch (match.found) {
    case 'operation':
      return match;
    case 'path':
      throw new ApiError('METHOD_NOT_ALLOWED', { headers: [['allow', match.methods.join(', ')]] });
    case 'nothing':
      throw unknownPath(path);
  }
}
