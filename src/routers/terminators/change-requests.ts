// The requests by which routers change and remove their terminators, and tell of their health
// (behaviour/control-channel#terminators).

import { type Frame, MalformedMessage } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { encodeHeaders, textValue, uint32Value } from '../../channel/headers.ts';
import { decodeMessage, edge, fabric } from '../../channel/messages/messages.ts';
import { type TerminatorRecord, terminatorKind } from '../../records/terminator.ts';
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
import { expectCost, precedenceNamed, setPrecedence, unknownPrecedence } from './creation.ts';
import { ownTerminator, removeOwn } from './own-terminators.ts';

/** How many checks of their own health hosts have passed and failed since the start. */
export interface HealthFigures {
  passed: number;
  failed: number;
}

/** The sources of changes. */
export interface ChangeOptions {
  readonly context: RoutersContext;
  readonly checks: SessionChecks;
  readonly health: HealthFigures;
}

/** The handlers of requests that change or remove terminators, or tell of their health. */
export function changeHandlers(options: ChangeOptions): [number, MessageHandler][] {
  const changes = new Changes(options);
  const handle = (handler: (router: ConnectedRouter, frame: Frame) => void): MessageHandler =>
    function handled(router, frame) {
      try {
        handler(router, frame);
      } catch (error) {
        if (!(error instanceof RouterRequestRefused)) throw error;
        refuse(router, frame, error.refusal);
      }
    };
  return [
    [contentTypes.removeTerminators, handle((router, frame) => changes.removeSome(router, frame))],
    [contentTypes.removeTerminator, handle((router, frame) => changes.remove(router, frame))],
    [contentTypes.edgeRemoveTerminator, handle((router, frame) => changes.unbind(router, frame))],
    [contentTypes.removeTunnelTerminator, handle((router, frame) => changes.close(router, frame))],
    [contentTypes.updateTerminator, handle((router, frame) => changes.update(router, frame))],
    [contentTypes.edgeUpdateTerminator, handle((router, frame) => changes.rebind(router, frame))],
    [contentTypes.updateTunnelTerminator, handle((router, frame) => changes.adjust(router, frame))],
    [contentTypes.healthEvent, (router, frame) => changes.clientHealth(router, frame)],
    [contentTypes.tunnelHealthEvent, (router, frame) => changes.tunnelerHealth(router, frame)],
  ];
}

/** What a router wants changed. */
type Change = Pick<
  edge.UpdateTerminatorRequest,
  'updateCost' | 'cost' | 'updatePrecedence' | 'precedence'
>;

class Changes {
  readonly #options: ChangeOptions;

  constructor(options: ChangeOptions) {
    this.#options = options;
  }

  /** 1038: ids of others are ignored, as they may have been removed and taken since. */
  removeSome(router: ConnectedRouter, frame: Frame): void {
    const { terminatorIds } = decodeMessage(fabric.RemoveTerminatorsRequest, frame.body);
    if (terminatorIds.length > removedAtOnceMax) {
      throw new MalformedMessage(`more than ${removedAtOnceMax} terminators to remove`);
    }
    this.#remove(router, terminatorIds, () => router.channel.replyResult(frame, true));
  }

  /** 1012 */
  remove(router: ConnectedRouter, frame: Frame): void {
    const { terminatorId } = decodeMessage(fabric.RemoveTerminatorRequest, frame.body);
    this.#remove(router, [terminatorId], () => router.channel.replyResult(frame, true));
  }

  /** 20211: the session need not be valid any more, as this gives nothing. */
  unbind(router: ConnectedRouter, frame: Frame): void {
    const { terminatorId } = decodeMessage(edge.RemoveTerminatorRequest, frame.body);
    const contentType = contentTypes.edgeRemoveTerminatorResponse;
    this.#remove(router, [terminatorId], () => router.channel.reply(frame, { contentType }));
  }

  /** 20410: the body is the id. */
  close(router: ConnectedRouter, frame: Frame): void {
    const { id } = this.#tunnelTerminator(router, frame.body.toString('utf8'));
    const contentType = contentTypes.removeTunnelTerminatorResponse;
    this.#remove(router, [id], () => router.channel.reply(frame, { contentType }));
  }

  /** 1018 */
  update(router: ConnectedRouter, frame: Frame): void {
    const request = decodeMessage(fabric.UpdateTerminatorRequest, frame.body);
    const own = ownTerminator(this.#options.context.env, router, request.terminatorId);
    try {
      if (own === undefined) throw unknownTerminator();
      this.#change(router, own, request);
    } catch (error) {
      if (!(error instanceof RouterRequestRefused)) throw error;
      router.channel.replyResult(frame, false, error.refusal.text);
      return;
    }
    this.#onceDurable(() => router.channel.replyResult(frame, true));
  }

  /** 20209: only for the client that hosts. */
  rebind(router: ConnectedRouter, frame: Frame): void {
    const { context, checks } = this.#options;
    const request = decodeMessage(edge.UpdateTerminatorRequest, frame.body);
    const own = ownTerminator(context.env, router, request.terminatorId);
    if (own === undefined) throw unknownTerminator();
    const { apiSessionToken, sessionToken } = request;
    const asked = { apiSessionToken, sessionToken, type: 'Bind' } as const;
    const { session, identity } = checks.check(router, asked);
    if (own.hostId !== identity.id || own.service !== session.serviceId) throw unknownTerminator();
    this.#change(router, own, request);
    const contentType = contentTypes.edgeUpdateTerminatorResponse;
    this.#onceDurable(() => router.channel.reply(frame, { contentType }));
  }

  /** 20408 */
  adjust(router: ConnectedRouter, frame: Frame): void {
    const request = decodeMessage(edge.UpdateTunnelTerminatorRequest, frame.body);
    this.#change(router, this.#tunnelTerminator(router, request.terminatorId), request);
    const contentType = contentTypes.updateTunnelTerminatorResponse;
    this.#onceDurable(() => router.channel.reply(frame, { contentType }));
  }

  /** 20214 */
  clientHealth(router: ConnectedRouter, frame: Frame): void {
    const { terminatorId, checkPassed } = decodeMessage(edge.HealthEventRequest, frame.body);
    this.#countHealth(router, terminatorId, checkPassed);
  }

  /** 20412 */
  tunnelerHealth(router: ConnectedRouter, { headers }: Frame): void {
    const id = headers.get(healthHeaderKeys.terminatorId)?.toString('utf8') ?? '';
    this.#countHealth(router, id, headers.get(healthHeaderKeys.checkPassed)?.[0] === 1);
  }

  #countHealth(router: ConnectedRouter, id: string, isPassed: boolean): void {
    const { context, health } = this.#options;
    if (ownTerminator(context.env, router, id) === undefined) return;
    if (isPassed) health.passed += 1;
    else health.failed += 1;
  }

  #remove(router: ConnectedRouter, ids: readonly string[], done: () => void): void {
    const operation = 'removeHostedTerminators';
    removeOwn(this.#options.context, router, ids, { operation, done });
  }

  #tunnelTerminator(router: ConnectedRouter, id: string): TerminatorRecord {
    const own = ownTerminator(this.#options.context.env, router, id);
    if (own?.binding !== 'tunnel') throw unknownTerminator();
    return own;
  }

  #change(router: ConnectedRouter, own: TerminatorRecord, change: Change): void {
    const { env } = this.#options.context;
    if (change.updateCost) expectCost(change.cost);
    const named = precedenceNamed(change.precedence);
    if (change.updatePrecedence && named === undefined) throw unknownPrecedence();
    const cost = change.updateCost ? change.cost : own.cost;
    const precedence = (change.updatePrecedence ? named : undefined) ?? own.precedence;
    if (cost === own.cost && precedence === own.precedence) return;
    const cause = { actor: router.id, requestId: '', operation: 'changeHostedTerminator' };
    env.store.transact(cause, (tx) => {
      if (cost !== own.cost) {
        tx.put(env.store.table(terminatorKind), { ...own, cost, updatedAt: tx.now });
      }
      setPrecedence(env, tx, own, precedence);
    });
  }

  #onceDurable(reply: () => void): void {
    const { env, durable } = this.#options.context;
    durable.when(env.store.fence.lsn, reply);
  }
}

/**
 * Ids of one message that removes terminators: more than a router has by default. They are looked
 * up in one turn, at 0.2 µs each. @bound per request
 */
const removedAtOnceMax = 20_000;

const healthHeaderKeys = { terminatorId: 1022, checkPassed: 1023 } as const;

/** Headers of the refusal of a request. */
const refusalHeaderKeys = { errorCode: 1014, retryHint: 18 } as const;

function unknownTerminator(): RouterRequestRefused {
  return new RouterRequestRefused({
    code: routerErrors.invalidTerminator,
    retryHint: retryHints.notRetriable,
    text: 'the terminator is unknown',
  });
}

function refuse(router: ConnectedRouter, frame: Frame, refusal: RouterRefusal): void {
  const { code, retryHint, text } = refusal;
  router.channel.reply(frame, {
    contentType: contentTypes.error,
    headers: encodeHeaders([
      [refusalHeaderKeys.errorCode, uint32Value(code)],
      [refusalHeaderKeys.retryHint, uint32Value(retryHint)],
    ]),
    body: textValue(text),
  });
}
