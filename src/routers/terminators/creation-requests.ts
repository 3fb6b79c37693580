// The requests by which routers create terminators: for a client that binds, as a tunneler, and by
// a binding of their own (behaviour/control-channel#terminators).

import { FrameTooLarge, JournalStalled } from '../../../snapshots/errors.ts';
import type { Frame } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { decodeMessage, edge, encodeMessage, fabric } from '../../channel/messages/messages.ts';
import { ApiError } from '../../errors/errors.ts';
import { routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import { sessionKind } from '../../records/session.ts';
import { boundsOf } from '../../settings/bounds.ts';
import { TableFull } from '../../store/table.ts';
import { TokenBuckets } from '../../turns/token-buckets.ts';
import type { RoutersContext } from '../context.ts';
import {
  type ConnectedRouter,
  type MessageHandler,
  type RouterRefusal,
  RouterRequestRefused,
  retryHints,
  routerErrors,
  type SessionChecks,
} from '../router-feature.ts';
import {
  createTerminator,
  expectOwnId,
  TerminatorIdTaken,
  type WantedTerminator,
} from './creation.ts';
import { endOfHosting } from './removals.ts';

/** The sources of creations. */
export interface CreationOptions {
  readonly context: RoutersContext;
  readonly checks: SessionChecks;
  /** Told of each terminator that a router has just confirmed by a request. */
  readonly confirmed: (router: ConnectedRouter, terminatorId: string) => void;
}

/** The handlers of requests that create terminators. */
export function creationHandlers(options: CreationOptions): [number, MessageHandler][] {
  const creation = new Creation(options);
  return [
    [contentTypes.createTerminatorV2, (router, frame) => creation.ofClient(router, frame)],
    [contentTypes.createTunnelTerminator, (router, frame) => creation.ofTunneler(router, frame)],
    [contentTypes.createTerminator, (router, frame) => creation.ofBinding(router, frame)],
  ];
}

class Creation {
  readonly #options: CreationOptions;
  readonly #rates: TokenBuckets;

  constructor(options: CreationOptions) {
    this.#options = options;
    const bounds = boundsOf(creationBounds, options.context.env.bounds);
    this.#rates = new TokenBuckets({
      perSecond: bounds.terminatorCreatesPerSecondMax,
      burst: bounds.terminatorCreatesBurstMax,
    });
  }

  ofClient(router: ConnectedRouter, frame: Frame): void {
    const request = decodeMessage(edge.CreateTerminatorV2Request, frame.body);
    const { env } = this.#options.context;
    const reply = (outcome: Outcome) => {
      router.channel.reply(frame, {
        contentType: contentTypes.createTerminatorV2Response,
        body: encodeMessage(edge.CreateTerminatorV2Response, {
          terminatorId: request.address,
          ...outcome,
        }),
      });
      // A refusal alone lets the host try this session for long before it asks for another one.
      // That of another client goes on.
      if (outcome.errorCode !== routerErrors.invalidSession) return;
      const { sessionToken } = request;
      if (env.store.table(sessionKind).peek(sessionToken) === undefined) {
        router.channel.send(endOfHosting([sessionToken]));
      }
    };
    this.#carryOut(router, request.address, reply, () => {
      const { apiSessionToken, sessionToken } = request;
      const asked = { apiSessionToken, sessionToken, type: 'Bind' } as const;
      const { session, identity, service } = this.#options.checks.check(router, asked);
      createTerminator(env, router, {
        ...offered(request),
        id: request.address,
        address: request.address,
        binding: 'edge',
        service,
        host: identity,
        sessionId: session.id,
      });
    });
  }

  ofTunneler(router: ConnectedRouter, frame: Frame): void {
    const request = decodeMessage(edge.CreateTunnelTerminatorRequestV2, frame.body);
    const { startTime } = request;
    const reply = (outcome: Outcome) =>
      router.channel.reply(frame, {
        contentType: contentTypes.createTunnelTerminatorResponse,
        body: encodeMessage(edge.CreateTunnelTerminatorResponseV2, {
          terminatorId: request.address,
          startTime,
          ...outcome,
        }),
      });
    this.#carryOut(router, request.address, reply, () => {
      const { serviceId, address } = request;
      const place = { serviceId, address, binding: 'tunnel' };
      this.#createOwn(router, address, { ...offered(request), ...place });
    });
  }

  /** Its address is not its id, so it gets one here. */
  ofBinding(router: ConnectedRouter, frame: Frame): void {
    const request = decodeMessage(fabric.CreateTerminatorRequest, frame.body);
    const id = this.#options.context.env.ids.entity();
    const reply = ({ result, msg }: Outcome) => {
      const isCreated = result === edge.CreateTerminatorResult.SUCCESS;
      router.channel.replyResult(frame, isCreated, isCreated ? id : msg);
    };
    this.#carryOut(router, id, reply, () => {
      const { binding, address } = request;
      expectPlace(request);
      const { serviceId } = request;
      this.#createOwn(router, id, { ...offered(request), serviceId, address, binding });
    });
  }

  /** The router itself hosts, as the identity with its own id. */
  #createOwn(router: ConnectedRouter, id: string, request: Offer & OwnPlace): void {
    const { env } = this.#options.context;
    const { binding, address, serviceId } = request;
    const service = env.store.table(serviceKind).find(serviceId);
    const found = this.#options.checks.checkTunneler(router, { service, type: 'Bind' });
    createTerminator(env, router, {
      ...offered(request),
      id,
      binding,
      address,
      service: found.service,
      host: found.identity,
      sessionId: undefined,
    });
  }

  /** Refusals leave at once; a terminator exists for the router once it is durable. */
  #carryOut(
    router: ConnectedRouter,
    id: string,
    reply: (outcome: Outcome) => void,
    create: () => void,
  ): void {
    const { env, durable, log } = this.#options.context;
    try {
      if (!this.#mayCreate(router)) throw new TooManyCreates();
      expectOwnId(env, router, id);
      create();
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome === unexpected) {
        log.error({ err: error, router: router.id }, 'a terminator could not be created');
      }
      reply(outcome);
      return;
    }
    this.#options.confirmed(router, id);
    durable.when(env.store.fence.lsn, () => reply(created));
  }

  #mayCreate({ id }: ConnectedRouter): boolean {
    const { env } = this.#options.context;
    const slot = env.store.table(routerKind).peek(id)?.slot;
    return slot === undefined || this.#rates.take(slot, env.clock.monotonic()) === 0;
  }
}

/** The parts that all requests have. */
type Offer = Pick<
  WantedTerminator,
  'cost' | 'precedence' | 'instanceId' | 'instanceSecret' | 'peerData'
>;

/** Where a router itself hosts. */
type OwnPlace = Pick<WantedTerminator, 'binding' | 'address'> & { readonly serviceId: string };

/** Decoded messages inherit the values of the fields that they lack, so no spread has them. */
function offered({ cost, precedence, instanceId, instanceSecret, peerData }: Offer): Offer {
  return { cost, precedence, instanceId, instanceSecret, peerData };
}

/** What a creation is answered with. */
interface Outcome {
  readonly result: edge.CreateTerminatorResult;
  readonly msg?: string;
  readonly errorCode?: number;
  readonly retryHint?: number;
}

/** @throws RouterRequestRefused for a malformed binding or address */
function expectPlace({ binding, address }: Pick<OwnPlace, 'binding' | 'address'>): void {
  const isBinding = binding.length <= bindingCharactersMax && bindingPattern.test(binding);
  if (isBinding && address !== '' && address.length <= addressCharactersMax) return;
  throw new RouterRequestRefused({
    code: routerErrors.invalidTerminator,
    retryHint: retryHints.notRetriable,
    text: 'binding or address is malformed',
  });
}

class TooManyCreates extends Error {}

const { SUCCESS, ID_CONFLICT, OTHER, BUSY, INVALID_SESSION } = edge.CreateTerminatorResult;

const created: Outcome = { result: SUCCESS };

const busy: Outcome = {
  result: BUSY,
  msg: 'the controller is busy',
  errorCode: routerErrors.internal,
  retryHint: retryHints.tooBusy,
};

const unexpected: Outcome = {
  result: OTHER,
  msg: 'the terminator could not be created',
  errorCode: routerErrors.internal,
  retryHint: retryHints.default,
};

function outcomeOf(error: unknown): Outcome {
  if (error instanceof RouterRequestRefused) {
    const { code, retryHint, text } = error.refusal;
    const isTaken = error instanceof TerminatorIdTaken;
    return {
      result: isTaken ? ID_CONFLICT : resultOf(code),
      msg: text,
      errorCode: code,
      retryHint,
    };
  }
  // Errors of the API tell of memory running out, or of a former terminator with the same id that
  // is still being removed.
  const isBusy =
    error instanceof TooManyCreates ||
    error instanceof JournalStalled ||
    error instanceof TableFull ||
    error instanceof ApiError;
  if (isBusy) return busy;
  if (error instanceof FrameTooLarge) return { ...unexpected, retryHint: retryHints.notRetriable };
  return unexpected;
}

function resultOf(code: RouterRefusal['code']): edge.CreateTerminatorResult {
  const isOfSession =
    code === routerErrors.invalidApiSession || code === routerErrors.invalidSession;
  return isOfSession ? INVALID_SESSION : OTHER;
}

/** The name of a binding that a router chooses. */
const bindingPattern = /^[\w.-]+$/;

/** Characters of the name of a binding; the names of the field have up to 20. @bound per entity */
const bindingCharactersMax = 100;

/** Characters of an address, as the field of records allows. @bound per entity */
const addressCharactersMax = 4096;

/** Bounds of requests that create terminators. */
export const creationBounds = {
  /**
   * Requests per second by which a router may create terminators, at 0.1 ms each; it is told that
   * the controller is busy when it sends more, and slows down. @bound per entity
   */
  terminatorCreatesPerSecondMax: 1000,
  /**
   * Such requests at once after a pause: a router that comes back with its hosts.
   * @bound per entity
   */
  terminatorCreatesBurstMax: 2000,
};
