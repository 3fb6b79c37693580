// Tells routers of links that a request has deleted (behaviour/fabric#links).

import type { Message } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { encodeMessage, fabric } from '../../channel/messages/messages.ts';
import { type LinkRecord, linkIdOf, linkKind } from '../../records/link.ts';
import { routerKind } from '../../records/router.ts';
import { isOf } from '../../store/transaction.ts';
import type { RoutersContext } from '../context.ts';

/** Has both routers drop a link that was deleted by itself; the one that dialed dials again. */
export function followRemovals({ env, connected }: RoutersContext): void {
  const routers = env.store.table(routerKind);
  env.store.follow(({ cause, changes }) => {
    // Links also go with their routers, and when routers no longer list them.
    if (connected.size === 0 || cause.requestId === '') return;
    for (const change of changes) {
      if (!isOf(change, linkKind) || change.after !== undefined) continue;
      const { before } = change;
      const ends = before === undefined ? [] : [before.sourceRouter, before.destRouter];
      if (before === undefined || ends.some((id) => routers.peek(id) === undefined)) continue;
      const fault = faultOf(before);
      for (const id of ends) connected.get(id)?.channel.send(fault);
    }
  });
}

function faultOf({ id, iteration }: LinkRecord): Message {
  return {
    contentType: contentTypes.fault,
    body: encodeMessage(fabric.Fault, {
      subject: fabric.FaultSubject.LINK_FAULT,
      id: linkIdOf(id),
      iteration,
    }),
  };
}
