// Takes a request through the controller: route, caller, right, body, operation, durable answer.

import { FrameTooLarge, JournalStalled } from '../../../snapshots/errors.ts';
import type { Journal } from '../../../snapshots/journal.ts';
import { Busy } from '../../auth/admission-queue.ts';
import { countsWrites } from '../../auth/caller-rates.ts';
import { callerAgain, findCaller } from '../../auth/callers.ts';
import type { AuthEnvironment } from '../../auth/context.ts';
import { checkTokens } from '../../auth/factors.ts';
import { noteSecondaryJwt } from '../../auth/second-factor/secondary-jwt.ts';
import { expiryOf, withExpiry } from '../../auth/sessions/session-expiry.ts';
import {
  type AnyOperation,
  basePaths,
  type Caller,
  type Operation,
  type Reply,
} from '../../declare/operations/operation.ts';
import { AnswerRoom } from '../../declare/resources/answer-size.ts';
import { checkBody } from '../../declare/resources/validate.ts';
import { ApiError, asApiError, fieldError } from '../../errors/errors.ts';
import type { Log } from '../../observe/logs.ts';
import type { Header, HttpHandler, HttpReply, HttpRequest } from '../../platform/http-exchange.ts';
import type { DurableFrames } from '../../store/durable-frames.ts';
import { NotFinalized } from '../../store/record.ts';
import { DuplicateKey, TableFull } from '../../store/table.ts';
import type { Transaction } from '../../store/transaction.ts';
import { type FramingFault, framingRules } from '../front/framing-faults.ts';
import { sendError, sendReply } from './answer.ts';
import { authorize, type FoundCaller } from './authorization.ts';
import { parseJson, refuseOtherThanUtf8 } from './json-body.ts';
import { answerOutside, type OutsideHandler } from './other-paths.ts';
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
  readonly #commonHeaders: readonly Header[];
  /** Bytes of the bodies of requests that wait for tokens or for pending deferred cascades. */
  #waitingBytes = 0;

  constructor(options: ApplicationOptions<Env>) {
    this.#options = options;
    this.#env = options.env;
    this.#commonHeaders = [
      ['ziti-instance-id', options.env.addresses.instanceId],
      ['access-control-allow-origin', '*'],
    ];
  }

  readonly handle: HttpHandler = (request, to) => {
    const requestId = this.#env.ids.request();
    const { fence } = this.#env.store;
    fence.begin();
    const startedMs = request.arrivedMs ?? this.#env.clock.monotonic();
    const headers = this.#commonHeaders;
    const asked: Asked = { request, requestId, to, startedMs, headers, operation: undefined };
    try {
      if (this.#waitedMs(asked) > this.#env.limits.handlerTimeoutMs) throw new ApiError('TIMEOUT');
      const match = this.#match(request);
      if (match.found === 'nothing' && answerOutside(this.#options.outside, request, to)) return;
      if (request.method === 'OPTIONS') {
        to.send(200, [...headers, ...preflightHeaders], '');
        return;
      }
      const { operation, api, params } = operationOf(match, request.path);
      asked.operation = operation;
      const now = this.#env.clock.now();
      const context = new RequestContext({ env: this.#env, api, requestId, request, params, now });
      const caller = findCaller(context);
      const isPartial = caller !== undefined && caller !== 'invalid' && caller.isPartial;
      const checked = isPartial
        ? checkTokens(context, caller, this.#mayHold(request.body.length))
        : undefined;
      if (isPartial && checked !== undefined) {
        this.#serveLater(context, operation, asked, caller, checked);
      } else this.#serve(context, operation, asked, caller);
    } catch (error) {
      this.#fail(error, asked);
    }
  };

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
    asked: Asked,
    caller: Caller,
    checked: Promise<void>,
  ): void {
    context.keepHeaders();
    const { fence } = this.#env.store;
    const read = fence.lsn;
    const { length } = asked.request.body;
    this.#waitingBytes += length;
    this.#inTime(operation, asked, async () => {
      try {
        try {
          await checked;
        } finally {
          this.#waitingBytes -= length;
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
    asked: Asked,
    caller: FoundCaller,
  ): void {
    if (typeof caller === 'object' && caller.secondFactorUntil !== undefined) {
      this.#noteSecondaryJwt(context, caller);
    }
    authorize(context, operation, caller);
    this.#readBody(context, operation);
    if (operation.creates === true) this.#env.memory.admitRecord();
    const { callerIfAny } = context;
    if (callerIfAny !== undefined) {
      asked.headers = this.#sessionHeaders(callerIfAny);
      asked.request.peer.sessionUsed?.();
    }
    this.#run(context, operation, asked);
  }

  #noteSecondaryJwt(context: RequestContext<Env>, caller: Caller): void {
    const { durable } = this.#options;
    if (durable.size < this.#env.limits.writesWaitingMax) noteSecondaryJwt(context, caller);
  }

  #readBody(context: RequestContext<Env>, operation: Operation<Env>): void {
    const { request } = context;
    context.rawBody = rawBodyOf(operation, request);
    // A raw body may be DER. The operation that reads it refuses an invalid certificate request.
    if (context.rawBody !== undefined) context.body = {};
    else {
      refuseOtherThanUtf8(request.body);
      context.body = bodyOf(operation, request);
    }
  }

  /** How long a request has waited for its turn. */
  #waitedMs({ request, startedMs }: Asked): number {
    return request.arrivedMs === undefined ? 0 : this.#env.clock.monotonic() - startedMs;
  }

  #run(context: RequestContext<Env>, operation: Operation<Env>, asked: Asked): void {
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

  #begin(context: RequestContext<Env>, operation: Operation<Env>, asked: Asked): void {
    const prepared = operation.prepare?.(context);
    if (!(prepared instanceof Promise || this.#mustWait(operation))) {
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
    asked: Asked,
    work: (wait: CancellableWait) => Promise<void>,
  ): void {
    const wait = new CancellableWait();
    const timeoutMs = this.#env.limits[operation.timeout ?? 'handlerTimeoutMs'];
    const leftMs = Math.max(0, timeoutMs - this.#waitedMs(asked));
    const timer = this.#env.clock.after(leftMs, () => {
      this.#refuse(asked, new ApiError('TIMEOUT'));
      wait.cancel();
    });
    void work(wait).finally(() => timer.cancel());
  }

  /**
   * Facts can go stale while they are prepared. They are prepared at most twice; after that the
   * caller is asked to retry. Answers and refusals are held in the turn that makes them, because
   * later the fence also covers what other requests have read.
   */
  async #decideLater(
    context: RequestContext<Env>,
    operation: Operation<Env>,
    asked: Asked,
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
          while (!to.done && this.#mustWait(operation)) {
            await this.#waitInLine(context.request, wait);
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
   * Waits until no deferred cascade is left, or the caller's time is over. Waiting bodies are
   * bounded like bodies that still arrive. @throws ApiError SERVER_TOO_MANY_REQUESTS for one too
   * many.
   */
  async #waitInLine({ body }: HttpRequest, wait: CancellableWait): Promise<void> {
    const { limits, store } = this.#env;
    if (store.deferredCascades.waiting >= limits.writesWaitingMax || !this.#mayHold(body.length)) {
      throw new ApiError('SERVER_TOO_MANY_REQUESTS');
    }
    this.#waitingBytes += body.length;
    await wait.for((done) => store.deferredCascades.onceGrantsMayGo(done));
    this.#waitingBytes -= body.length;
  }

  /** Whether there is room for the body of one more request that waits. */
  #mayHold(bodyBytes: number): boolean {
    return this.#waitingBytes + bodyBytes <= this.#env.limits.bodiesBytesMax;
  }

  /**
   * A grant must not restore access that was revoked in the meantime, so it waits until all of that
   * access is removed. The work runs in slices, so that no other request waits for it.
   */
  #mustWait({ grants }: AnyOperation): boolean {
    return grants === true && this.#env.store.deferredCascades.holdsGrants;
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
    const room = new AnswerRoom(this.#env.limits);
    for (const piece of reply.data) room.take(piece);
    return reply;
  }

  #answer(operation: Operation<Env>, asked: Asked, reply: Reply): void {
    const { lsn } = this.#env.store.fence;
    this.#options.durable.when(
      lsn,
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

  #fail(thrown: unknown, asked: Asked): void {
    const error = asApiError(translated(thrown));
    if (error.code === 'UNHANDLED') {
      const { requestId, request } = asked;
      const { method, path } = request;
      this.#options.log.error(
        { requestId, method, path, err: thrown },
        'a request failed unexpectedly',
      );
    }
    if (isCrowd(thrown, this.#env.store.journal)) this.#tellCrowd();
    const { durable } = this.#options;
    const send = () => this.#refuse(asked, error);
    // Without its lease, a node may refuse what another one has granted by now.
    const late = () => {
      if (durable.mayLeave) send();
      else this.#refuse(asked, notDurable());
    };
    // A refusal may also rest on a write that a crash could still undo.
    durable.when(this.#env.store.fence.lsn, send, late);
  }

  #tellCrowd(): void {
    if (!this.#options.figures.crowded(this.#env.clock.monotonic())) return;
    this.#options.log.warn({ answersHeld: this.#options.durable.size }, crowdNote);
  }

  /**
   * Answers with an error, unless the request was already answered or its peer has disconnected.
   */
  #refuse(asked: Asked, error: ApiError): void {
    if (asked.to.done) return;
    sendError(asked.to, error, asked.requestId, asked.headers);
    this.#options.figures.refused(error.code);
    this.#count(asked, error.status);
  }

  #count({ operation, request, requestId, startedMs }: Asked, status: number): void {
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

  #sessionHeaders(caller: Caller): readonly Header[] {
    const { activity, config, clock } = this.#env;
    const now = clock.now();
    const { slot, record } = caller.session;
    activity.touch(slot, now);
    const expiresAt = expiryOf(config, record.createdAt, now);
    return withExpiry(this.#commonHeaders, expiresAt, now);
  }
}

const crowdNote =
  'writes are refused because too many wait for the disk: check whether the disk of the home is slow';

/** Whether the log accepts writes but has no room at present. */
function isCrowd(thrown: unknown, { health }: Journal): boolean {
  return thrown instanceof JournalStalled && health.state === 'writable';
}

/** A request on its way to its answer. */
interface Asked {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly to: HttpReply;
  /** Monotonic ms at which the request and its body had arrived. */
  readonly startedMs: number;
  headers: readonly Header[];
  /** Undefined until the route is found. */
  operation: AnyOperation | undefined;
}

/** A wait for one event that can be cancelled. */
class CancellableWait {
  #giveUp: (() => void) | undefined;

  /** Waits until `done` is called. `begin` returns a function that cancels the wait. */
  for(begin: (done: () => void) => () => void): Promise<void> {
    return new Promise((resolve) => {
      const cancel = begin(resolve);
      this.#giveUp = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Ends the wait. */
  cancel(): void {
    this.#giveUp?.();
  }
}

function operationOf<Env extends AuthEnvironment>(
  match: Match<Env>,
  path: string,
): Extract<Match<Env>, { found: 'operation' }> {
  switch (match.found) {
    case 'operation':
      return match;
    case 'path':
      throw new ApiError('METHOD_NOT_ALLOWED', { headers: [['allow', match.methods.join(', ')]] });
    case 'nothing':
      throw unknownPath(path);
  }
}

/**
 * 404 for a path that no operation has: it says which paths there are (behaviour/requests#paths).
 */
function unknownPath(path: string): ApiError {
  const { cause } = fieldError('path', 'is unknown', withoutLastSlash(path));
  return new ApiError('NOT_FOUND', cause === undefined ? {} : { message: served, cause });
}

const bases = Object.values(basePaths).join(' and ');
const served = `There is nothing at this path. The controller serves ${bases}.`;

/**
 * @throws ApiError INVALID_CONTENT_TYPE for a body without a type, where several types are
 * accepted.
 */
function rawBodyOf({ rawTypes }: AnyOperation, request: HttpRequest): Buffer | undefined {
  if (rawTypes === undefined) return undefined;
  const type = typeOf(request);
  if (type === '' && request.body.length > 0) throw new ApiError('INVALID_CONTENT_TYPE');
  return rawTypes.includes(type) ? request.body : undefined;
}

function bodyOf(operation: AnyOperation, request: HttpRequest): unknown {
  if (operation.body === undefined) return undefined;
  if (operation.bodyType !== undefined) return textOf(operation.bodyType, request);
  const type = request.header('content-type');
  if (request.body.length > 0 && type !== '' && !type.toLowerCase().includes('json')) {
    throw new ApiError('INVALID_CONTENT_TYPE');
  }
  const json = parseJson(request.body);
  if (json !== undefined && json !== null) return checkBody(operation.body, json);
  if (operation.bodyOptional) return {};
  throw fieldError('body', 'is required', '');
}

/** A body that is not JSON, as its operation reads it; a body without a type is accepted. */
function textOf(wanted: string, request: HttpRequest): string {
  const type = typeOf(request);
  if (type !== '' && type !== wanted) throw new ApiError('INVALID_CONTENT_TYPE');
  return request.body.toString('utf8');
}

/** For an answer that depends on a change which does not become durable. */
function notDurable(): ApiError {
  return new ApiError('STORAGE_UNAVAILABLE', {
    message:
      'The storage does not respond at the moment, and the answer depends on a change that is not durable yet.',
  });
}

/** The content type of a body without its parameters, in lower case; empty for none. */
function typeOf(request: HttpRequest): string {
  const [type = ''] = request.header('content-type').split(';', 1);
  return type.trim().toLowerCase();
}

/** An error of the lower layers as an error of the API. */
function translated(thrown: unknown): unknown {
  if (thrown instanceof DuplicateKey) {
    return fieldError(thrown.field, 'is in use already', thrown.value);
  }
  if (thrown instanceof NotFinalized) return new ApiError('UPGRADE_NOT_FINAL');
  if (thrown instanceof TableFull) return new ApiError('TOO_MANY_RECORDS');
  if (thrown instanceof Busy) return new ApiError('SERVER_TOO_MANY_REQUESTS');
  if (thrown instanceof JournalStalled) return new ApiError('STORAGE_UNAVAILABLE');
  if (thrown instanceof FrameTooLarge) {
    return fieldError('body', 'makes a record that is too large', '');
  }
  return thrown;
}
