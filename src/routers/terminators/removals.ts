// Tells routers of terminators that a request has deleted (behaviour/control-channel#terminators).

import type { Message } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { edge, encodeMessage } from '../../channel/messages/messages.ts';
import { routerKind } from '../../records/router.ts';
import { sessionKind } from '../../records/session.ts';
import { terminatorKind } from '../../records/terminator.ts';
import { isOf } from '../../store/transaction.ts';
import type { RoutersContext } from '../context.ts';

/**
 * Tells the router of a hosted terminator that was deleted by itself to close what rests on its
 * session there. Otherwise the router would keep it, and create it again when it reconnects.
 */
export function followRemovals({ env, connected }: RoutersContext): void {
  const { store } = env;
  store.follow(({ cause, changes }) => {
    // Routers, too, delete what they no longer serve.
    if (connected.size === 0 || cause.requestId === '') return;
    for (const change of changes) {
      if (!isOf(change, terminatorKind) || change.after !== undefined) continue;
      const { router, isOfRouter, sessionId } = change.before ?? {};
      if (!isOfRouter || router === undefined || sessionId === undefined) continue;
      // What has ended with its session or its router is told of by that.
      if (store.table(sessionKind).peek(sessionId) === undefined) continue;
      if (store.table(routerKind).peek(router) === undefined) continue;
      connected.get(router)?.channel.send(endOfHosting([sessionId]));
    }
  });
}

/** Has a router close what rests on sessions there; they may go on elsewhere. */
export function endOfHosting(ids: readonly string[]): Message {
  return {
    contentType: contentTypes.sessionRemoved,
    body: encodeMessage(edge.SessionRemoved, { tokens: [...ids], ids: [...ids] }),
  };
}
