// Asks each router that connects whether it still serves its terminators, and deletes those that it
// does not (behaviour/control-channel#terminators).

import type { Frame, MessageSteps } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { decodeParts, encodeMessage, fabric } from '../../channel/messages/messages.ts';
import type { Timer } from '../../platform/ports.ts';
import { terminatorKind } from '../../records/terminator.ts';
import type { RoutersContext } from '../context.ts';
import type { ConnectedRouter } from '../router-feature.ts';
import { ownTerminator, removeOwn } from './own-terminators.ts';

/** What a router has not answered yet. */
interface Question {
  readonly marker: number;
  /** Ids of the terminators without an answer. */
  readonly open: Set<string>;
  timer: Timer | undefined;
}

/** The questions to all connected routers. */
export class TerminatorValidation {
  readonly #context: RoutersContext;
  readonly #questions = new Map<string, Question>();
  /** Tells answers to a question from those to an earlier one. */
  #marker = 0;

  constructor(context: RoutersContext) {
    this.#context = context;
  }

  /** Asks for all terminators of the router in one message; a router without any is not asked. */
  connected(router: ConnectedRouter): void {
    this.disconnected(router);
    const { store } = this.#context.env;
    const ids: string[] = [];
    for (const { record } of store.table(terminatorKind).group('router').rows(router.id)) {
      if (record.isOfRouter) ids.push(record.id);
    }
    if (ids.length > 0) this.#ask(router, ids, true);
  }

  /** The router will connect again, and is asked then. */
  disconnected({ id }: Pick<ConnectedRouter, 'id'>): void {
    this.#questions.get(id)?.timer?.cancel();
    this.#questions.delete(id);
  }

  /** An answer that is under way was given before the router asked for the terminator. */
  confirmed({ id }: ConnectedRouter, terminatorId: string): void {
    const question = this.#questions.get(id);
    if (question?.open.delete(terminatorId) && question.open.size === 0) {
      this.disconnected({ id });
    }
  }

  *answered(router: ConnectedRouter, frame: Frame): MessageSteps {
    const question = this.#questions.get(router.id);
    const gone: string[] = [];
    for (const { states } of decodeParts(fabric.ValidateTerminatorsV2Response, frame.body)) {
      for (const [id, { marker, valid }] of Object.entries(states)) {
        if (question === undefined || marker !== question.marker) continue;
        if (!question.open.delete(id)) continue;
        if (!valid) gone.push(id);
      }
      yield;
    }
    if (question === undefined || this.#questions.get(router.id) !== question) return;
    if (question.open.size === 0) this.disconnected(router);
    removeOwn(this.#context, router, gone, { operation: 'removeInvalidTerminators' });
  }

  #ask(router: ConnectedRouter, ids: readonly string[], isConnecting: boolean): void {
    const { env } = this.#context;
    const marker = ++this.#marker;
    const open = new Set<string>();
    const terminators: fabric.Terminator.$Properties[] = [];
    for (const id of ids) {
      const own = ownTerminator(env, router, id);
      if (own === undefined) continue;
      open.add(id);
      terminators.push({ id, binding: own.binding, address: own.address, marker });
    }
    if (open.size === 0) return;
    const body = encodeMessage(fabric.ValidateTerminatorsV2Request, {
      terminators,
      fixInvalid: true,
      postCreate: isConnecting,
    });
    router.channel.send({ contentType: contentTypes.validateTerminatorsV2, body });
    const timer = env.clock.after(repeatMs, () => {
      this.#questions.delete(router.id);
      this.#ask(router, [...open], false);
    });
    this.#questions.set(router.id, { marker, open, timer });
  }
}

/** After this time a router is asked again for what it has not answered. @bound per entity */
const repeatMs = 180_000;
